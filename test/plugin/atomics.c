// Atomic operations have begin and end calls, with operation and order; a cas tells if it stored.
// want: atomic 4 a atomics.c
// want: load order 2 failure 0
// want: store order 3 failure 0
// want: rmw order 4 failure 0
// want: cas order 5 failure 2
// want: cas order 0 failure 0
// want: end not stored
// want: fence 5 - atomics.c
// want: fence 3 - atomics.c
// want: atomic 8 p atomics.c
// want: atomic 1 f atomics.c
// want: load order 0 failure 0
// never: fence 4
// never: mine
// never: write 4 a
#include <stdatomic.h>
#include <stdio.h>

_Atomic int a;
_Atomic(int *) p;
atomic_flag f;
_Atomic float real;

int main(void)
{
    int expect = 9, local = 0, mine = 0;
    atomic_store_explicit(&a, 1, memory_order_release);
    int r = atomic_load_explicit(&a, memory_order_acquire);
    atomic_fetch_add_explicit(&a, 2, memory_order_acq_rel);
    int ok = atomic_compare_exchange_strong_explicit(&a, &expect, 5, memory_order_seq_cst,
                                                     memory_order_acquire);
    ok += atomic_compare_exchange_strong_explicit(&a, &expect, 5, memory_order_relaxed,
                                                  memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acq_rel);
    atomic_thread_fence(memory_order_release);
    atomic_store(&p, &local);
    atomic_flag_test_and_set(&f);
    real = 1.5f;
    real += 2;
    int relaxed = atomic_load_explicit(&a, memory_order_relaxed);
    __sync_fetch_and_add(&mine, 3);
    printf("%d %d %d %d %g %d\n", r, ok, expect, relaxed, (double)real, *p + mine);
    return 0;
}
