/*
 * order.h - a fixed execution order of threads that no race detector can see.
 *
 * Model:   the program has one step counter, initially 0. order_point(n) waits until the counter
 *          is n, then sets it to n + 1. So the points are passed in the order of their numbers, by
 *          whichever thread, and everything a thread did before point n has happened before
 *          anything after point n + 1 starts. Not instrumented: detectors see no order in it.
 *
 *              T1: x = 1; order_point(0);        T2: order_point(1); x = 2;
 *
 * Threads: any. Waits with sched_yield, never by sleeping.
 *
 * With ORDER_FREE no thread waits: for tests in which a scheduler orders the threads
 * (test/run/program.py --predict, --flip).
 */
#ifndef ORDER_H
#define ORDER_H

#ifdef __clang__
#define ORDER_UNSEEN __attribute__((noinline, unused, disable_sanitizer_instrumentation))
#else
#define ORDER_UNSEEN __attribute__((noinline, unused, no_sanitize("thread")))
#endif

#ifdef ORDER_FREE
#define ORDER_IS_FREE 1
#else
#define ORDER_IS_FREE 0
#endif

/* Weak: one counter for all source files that include this header. */
__attribute__((weak)) int order_turn;

static ORDER_UNSEEN void order_yield(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(24L) : "rcx", "r11", "memory");
}

/* Waits until the counter is at least n; does not change it. */
static ORDER_UNSEEN void order_wait(int n)
{
    while (!ORDER_IS_FREE && __atomic_load_n(&order_turn, __ATOMIC_SEQ_CST) < n)
        order_yield();
}

static ORDER_UNSEEN void order_point(int n)
{
    while (!ORDER_IS_FREE && __atomic_load_n(&order_turn, __ATOMIC_SEQ_CST) != n)
        order_yield();
    __atomic_store_n(&order_turn, n + 1, __ATOMIC_SEQ_CST);
}

/* Increments the counter without waiting, so that order_wait can wait for many threads. */
static ORDER_UNSEEN void order_arrive(void)
{
    __atomic_fetch_add(&order_turn, 1, __ATOMIC_SEQ_CST);
    __asm__ volatile("" ::: "memory");
}

#endif
