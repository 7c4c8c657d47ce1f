/*
 * order.h - a fixed order between threads that no race detector can see.
 *
 * Model:   the program has one step counter, 0 at the start. order_point(n) waits until the counter
 *          is n, then makes it n + 1. So the points of a program are passed in the order of their
 *          numbers, whoever passes them, and what a thread did before point n is really over before
 *          anything after point n + 1 begins. Not instrumented: there is no happens-before in it.
 *
 *              T1: x = 1; order_point(0);        T2: order_point(1); x = 2;
 *
 * Threads: any. Waits by giving up the processor, never by sleeping.
 *
 * With ORDER_FREE nobody waits: for tests in which a scheduler orders the threads (test/run/program.py --predict).
 */
#ifndef ORDER_H
#define ORDER_H

#define ORDER_UNSEEN __attribute__((noinline, unused, disable_sanitizer_instrumentation))

#ifdef ORDER_FREE
#define ORDER_IS_FREE 1
#else
#define ORDER_IS_FREE 0
#endif

/* Weak: one counter, however many source files use it. */
__attribute__((weak)) int order_turn;

static ORDER_UNSEEN void order_yield(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(24L) : "rcx", "r11", "memory");
}

/* Waits until the counter is at least n; leaves it alone. */
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

/* One more step, by anyone: for many threads that are all to be somewhere (order_wait for it). */
static ORDER_UNSEEN void order_arrive(void)
{
    __atomic_fetch_add(&order_turn, 1, __ATOMIC_SEQ_CST);
    __asm__ volatile("" ::: "memory");
}

#endif
