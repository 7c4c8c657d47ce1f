// A sequence lock whose data are relaxed atomics, with fences: no plain access is ever concurrent.
// want: none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_uint sequence;
atomic_int a, b;

static void *writer(void *arg)
{
    for (int i = 1; i <= 200; i++) {
        atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&a, i, memory_order_relaxed);
        atomic_store_explicit(&b, -i, memory_order_relaxed);
        atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
    }
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 200; i++) {
        unsigned before, after;
        int x, y;
        do {
            before = atomic_load_explicit(&sequence, memory_order_acquire);
            x = atomic_load_explicit(&a, memory_order_relaxed);
            y = atomic_load_explicit(&b, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
            after = atomic_load_explicit(&sequence, memory_order_relaxed);
            if (before & 1)
                sched_yield();
        } while (before != after || (before & 1));
        if (x + y != 0)
            *(int *)arg = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    int bad = 0;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, &bad);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return bad;
}
