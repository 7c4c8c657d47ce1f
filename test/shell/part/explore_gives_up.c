/* A thread gives up waiting for a lock, and ends with another one. */
#include <threads.h>
#include <time.h>

static mtx_t a, b;

static int other(void *arg)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    t.tv_sec += 3600;
    mtx_lock(&b);
    if (mtx_timedlock(&a, &t) != thrd_success)
        return arg != NULL;
    mtx_unlock(&a);
    return mtx_unlock(&b);
}

int main(void)
{
    thrd_t t;
    mtx_init(&a, mtx_timed);
    mtx_init(&b, mtx_timed);
    thrd_create(&t, other, NULL);
    mtx_lock(&a);
    mtx_unlock(&a);
    mtx_lock(&b);
    mtx_unlock(&b);
    return thrd_join(t, NULL);
}
