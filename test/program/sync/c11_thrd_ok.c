// C11 threads: creation, join with a result, thrd_exit, destructors of thread-specific storage.
// want: none
// tsan: it does not support C11 threads
#include <assert.h>
#include <threads.h>

tss_t key;
int x;

static void destroy(void *value) { ++*(int *)value; }

static __attribute__((noinline)) void leave(void) { thrd_exit(7); }

static int worker(void *arg)
{
    x++;
    tss_set(key, &x);
    if (arg)
        leave();
    return 5;
}

int main(void)
{
    thrd_t t;
    int result;
    tss_create(&key, destroy);
    x = 1;
    thrd_create(&t, worker, NULL);
    thrd_join(t, &result);
    assert(result == 5 && x == 3);
    x++;
    thrd_create(&t, worker, &x);
    thrd_join(t, &result);
    assert(result == 7 && x == 6);
    return 0;
}
