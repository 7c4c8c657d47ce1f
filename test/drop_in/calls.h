/* calls.h - explicit calls of functions that ThreadSanitizer's instrumentation calls. */
#include "order.h"
#include <pthread.h>

int __tsan_atomic32_load(const volatile int *p, int order);
void __tsan_atomic32_store(volatile int *p, int v, int order);
int __tsan_atomic32_fetch_add(volatile int *p, int v, int order);
int __tsan_atomic32_compare_exchange_strong(volatile int *p, int *expected, int v, int order,
                                            int failure);
void __tsan_atomic_thread_fence(int order);
void __tsan_read_range_pc(void *p, unsigned long size, void *pc);
void __tsan_write_range_pc(void *p, unsigned long size, void *pc);

enum { RELAXED = 0, ACQUIRE = 2, RELEASE = 3, SEQ_CST = 5 };

static char buffer[32]; /* its accesses are only announced */
static int flag, count;

static inline void *writer(void *arg)
{
    int none = 0;
    __tsan_write_range_pc(buffer, sizeof buffer, __builtin_return_address(0));
    __tsan_atomic32_fetch_add(&count, 1, RELAXED);
    __tsan_atomic32_compare_exchange_strong(&flag, &none, 1, ORDER, RELAXED);
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    order_point(1);
    if (__tsan_atomic32_load(&flag, ACQUIRE) != 1)
        return 3;
    __tsan_read_range_pc(buffer + 8, 8, __builtin_return_address(0));
    pthread_join(t, NULL);
    return __tsan_atomic32_load(&count, SEQ_CST) != 1;
}
