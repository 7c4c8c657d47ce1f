/*
 * spin.c - the contended path of the lock in spin.h.
 */
#include "spin.h"
#include "sys.h"

void pf_spin_wait(struct pf_spin *s)
{
    for (unsigned spins = 0;; spins++) {
        if (!__atomic_load_n(&s->taken, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&s->taken, 1, __ATOMIC_ACQUIRE))
            return;
        if (spins < 64)
            __builtin_ia32_pause();
        else
            pf_sys(SYS_sched_yield);
    }
}
