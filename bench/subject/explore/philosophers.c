/* Dining philosophers: each takes the fork at the left first, then the one at the right. It
 * fails if all have taken their left fork before any has taken the right one. */
// variants: N=2 N=3 N=5 N=7
// fails: deadlock
#include "explore.h"

static pthread_mutex_t fork_lock[N];
static int meals[N];

static void *philosopher(void *p)
{
    long i = (long)p;
    LOCK(&fork_lock[i]);
    LOCK(&fork_lock[(i + 1) % N]);
    meals[i]++;
    UNLOCK(&fork_lock[(i + 1) % N]);
    UNLOCK(&fork_lock[i]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_lock[i], NULL);
    for (int i = 0; i < N; i++)
        start(philosopher, i);
    join_all();
    return 0;
}
