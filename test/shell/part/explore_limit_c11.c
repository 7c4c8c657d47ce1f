/* The time limit of mtx_timedlock passes in the moment in which the owner wakes up and unlocks. */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static struct timespec limit;

static int other(void *arg)
{
    mtx_t *m = arg;
    int r = mtx_timedlock(m, &limit);
    printf("%d\n", r == thrd_success);
    if (r == thrd_success)
        mtx_unlock(m);
    return 0;
}

int main(void)
{
    static mtx_t m;
    thrd_t t;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    mtx_init(&m, mtx_timed);
    mtx_lock(&m);
    thrd_create(&t, other, &m);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &limit, NULL);
    mtx_unlock(&m);
    thrd_join(t, NULL);
    return 0;
}
