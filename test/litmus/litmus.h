/* Litmus programs: up to four threads, each a few accesses of x and y. main prints what they
 * return, in order, then what SHOW_END prints. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef VARIABLE
#define VARIABLE volatile int
#endif
static VARIABLE x __attribute__((aligned(8))), y __attribute__((aligned(8)));

#define THREAD(name, ...)                                                                          \
    static void *name(void *arg)                                                                   \
    {                                                                                              \
        long result = -1;                                                                          \
        (void)arg;                                                                                 \
        __VA_ARGS__                                                                                \
        return (void *)result;                                                                     \
    }
/* A thread that returns one value, or two. */
#define ONE(a) result = (a);
#define TWO(a, b) result = 100 + (a) * 10 + (b);

#define RUN(...)                                                                                   \
    int main(void)                                                                                 \
    {                                                                                              \
        void *(*const body[])(void *) = {__VA_ARGS__};                                             \
        enum { n = sizeof body / sizeof *body };                                                   \
        pthread_t thread[n];                                                                       \
        void *result;                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            pthread_create(&thread[i], NULL, body[i], NULL);                                       \
        for (int i = 0; i < n; i++) {                                                              \
            pthread_join(thread[i], &result);                                                      \
            long r = (long)result;                                                                 \
            if (r >= 100)                                                                          \
                printf("%ld%ld", (r - 100) / 10, r % 10);                                          \
            else if (r >= 0)                                                                       \
                printf("%ld", r);                                                                  \
        }                                                                                          \
        SHOW_END;                                                                                  \
        printf("\n");                                                                              \
        return 0;                                                                                  \
    }
#ifndef SHOW_END
#define SHOW_END (void)0
#endif

#define LOAD(v, order) atomic_load_explicit(&(v), memory_order_##order)
#define STORE(v, value, order) atomic_store_explicit(&(v), value, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)
