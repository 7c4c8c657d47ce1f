/* Barrier that is used twice: the last thread to arrive resets the counter for the next phase
 * before the others have left. It fails if a thread enters the second phase while another one
 * still has to see the end of the first. */
// fails: deadlock
#include "explore.h"

#define N 2
static pthread_mutex_t lock = MUTEX;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here;

static void barrier(void)
{
    LOCK(&lock);
    if (++here == N) {
        pthread_cond_broadcast(&all_here);
        UNLOCK(&lock);
        LOCK(&lock);
        here = 0; /* others may still test for N, or be in the next phase */
    } else {
        while (here != 0 && here != N)
            pthread_cond_wait(&all_here, &lock);
    }
    UNLOCK(&lock);
}

static void *worker(void *p)
{
    barrier();
    barrier();
    return p;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        start(worker, i);
    join_all();
    return 0;
}
