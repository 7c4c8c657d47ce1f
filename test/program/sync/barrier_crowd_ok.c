// Three threads at a barrier for two, which overtake each other on entry: all get through. Which
// two form a round is open, so that they share nothing but the number of arrivals.
// want: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ARRIVALS = 2000 };
pthread_barrier_t b;
atomic_int arrivals;
int passed[3];

static void *worker(void *arg)
{
    int *mine = arg;
    while (atomic_fetch_add_explicit(&arrivals, 1, memory_order_relaxed) < ARRIVALS) {
        pthread_barrier_wait(&b);
        ++*mine;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&b, NULL, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &passed[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&b);
    assert(passed[0] + passed[1] + passed[2] == ARRIVALS);
    return 0;
}
