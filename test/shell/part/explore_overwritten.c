/* With an argument: allows itself no further descriptors, or overwrites sizes or counts in the
 * memory that it shares with pf. */
#include "channel.h"
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *add(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv)
{
    struct pf_channel *c = (struct pf_channel *)PF_CHANNEL_BASE;
    struct rlimit none = {0, 0};
    pthread_t t;
    if (argc > 1 && !strcmp(argv[1], "no_descriptors"))
        setrlimit(RLIMIT_NOFILE, &none);
    pthread_create(&t, 0, add, 0);
    add(0);
    if (argc > 1 && !strcmp(argv[1], "rings"))
        for (int s = 0; s < PF_STREAMS; s++) {
            c->ring[s].size = c->ring[s].offset = 1ull << 40;
            c->ring[s].use = PF_RING_WRITE;
        }
    if (argc > 1 && !strcmp(argv[1], "counts")) {
        c->nblocked = c->nunexplored = c->nstates = c->nlive = 1u << 30;
        memset(c->unexplored, 'x', sizeof c->unexplored);
    }
    pthread_join(t, 0);
    return 0;
}
