/*
 * spin.h - the runtime's only lock: for short critical sections, usable at any time in the life of
 * the process.
 *
 * Model:   0 free, 1 taken. Waiters spin for a while, then yield, because the holder may be
 *          preempted.
 * Threads: any; not recursive.
 */
#ifndef PF_RT_SPIN_H
#define PF_RT_SPIN_H

#include <stdint.h>

struct pf_spin {
    uint32_t taken;
};

void pf_spin_wait(struct pf_spin *s); /* the contended path of pf_spin_lock */

static inline void pf_spin_lock(struct pf_spin *s)
{
    if (__builtin_expect(__atomic_exchange_n(&s->taken, 1, __ATOMIC_ACQUIRE), 0))
        pf_spin_wait(s);
}

static inline int pf_spin_try(struct pf_spin *s)
{
    return !__atomic_exchange_n(&s->taken, 1, __ATOMIC_ACQUIRE);
}

static inline void pf_spin_unlock(struct pf_spin *s)
{
    __atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
}

#endif
