#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile int first, second;

static void fence(void)
{
#ifdef FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *one(void *unused)
{
    (void)unused;
    first = 1;
    fence();
    return second ? NULL : (void *)1;
}

static void *two(void *unused)
{
    (void)unused;
    second = 1;
    fence();
    return first ? NULL : (void *)1;
}

int main(void)
{
    pthread_t t[2];
    void *alone[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], &alone[0]);
    pthread_join(t[1], &alone[1]);
    assert(!alone[0] || !alone[1]);
    return 0;
}
