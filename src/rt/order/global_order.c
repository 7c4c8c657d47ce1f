/*
 * global_order.c - see global_order.h.
 */
#include "global_order.h"
#include "rt.h"
#include "thread_table.h"

/* A thread updates the global order after this number of calls of pf_cell_count_overflow: EVERY if
 * its last update raised the global order. Otherwise the number doubles, up to SELDOM. A number
 * that grows with the threads and slots is added, because an update reads all their clocks. */
#define GLOBAL_ORDER_EVERY 16
#define GLOBAL_ORDER_SELDOM 2048

bool pf_global_order_raise(const uint32_t *clock, uint32_t n)
{
    bool grew = false;
    for (uint32_t i = 0; i < n && !pf_rt.strict; i++)
        if (clock[i] > pf_rt.globally_ordered[i]) {
            __atomic_store_n(&pf_rt.globally_ordered[i], clock[i], __ATOMIC_RELAXED);
            grew = true;
        }
    return grew;
}

void pf_global_order_expect(struct pf_thread *self)
{
    self->order.global_order_every = GLOBAL_ORDER_EVERY;
    if (self->order.global_order_in > GLOBAL_ORDER_EVERY)
        self->order.global_order_in = GLOBAL_ORDER_EVERY;
}

/*
 * Lowers known_by_all[0..n) to what `t` has seen, or will have seen before its next access.
 *
 * Future threads descend from current ones, so they will have seen what all current ones have
 * seen. Clocks are read while their owners change them: entries only grow, so the values read are
 * lower bounds. The entry of t's own slot does not count: t has seen all of its own epochs, and may
 * resume epochs that no other thread has seen (slot.h). The global order cannot be computed while
 * some thread has not begun: it may have seen less than its parent has by now.
 *
 * A thread that waits in a join does nothing before it has acquired the clock of the thread that it
 * waits for (count_joining), so that clock counts instead. This does not hold if the target has
 * signal handlers: they run during the wait, without that clock.
 */
static void lower_to_known_by(uint32_t *known_by_all, uint32_t n, const struct pf_thread *t,
                              bool count_joining)
{
    const struct pf_thread *child = count_joining ? t->order.joining : NULL;
    const uint32_t *later = child && child->order.clock ? child->order.clock : t->order.clock;
    uint32_t own = __atomic_load_n(&t->order.sid, __ATOMIC_RELAXED), also_ignored = own;
    if (later != t->order.clock && child->state == PF_THREAD_RUNNING)
        also_ignored = __atomic_load_n(&child->order.sid, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = __atomic_load_n(&t->order.clock[i], __ATOMIC_RELAXED);
        uint32_t then = __atomic_load_n(&later[i], __ATOMIC_RELAXED);
        known = then > known ? then : known;
        if (i != own && i != also_ignored && known < known_by_all[i])
            known_by_all[i] = known;
    }
}

void pf_thread_update_global_order(struct pf_thread *self)
{
    /* protected by the lock; too large for a small stack */
    static uint32_t known_by_all[PF_SID_MAX + 1];
    uint32_t n = 0, threads = 0;
    if (pf_rt.strict || !pf_spin_try(&pf_threads.lock)) {
        self->order.global_order_in = self->order.global_order_every = GLOBAL_ORDER_SELDOM;
        return;
    }
    for (struct pf_thread *t = pf_threads.running; t; t = t->next, threads++)
        n = t->order.nclock > n ? t->order.nclock : n;
    for (uint32_t i = 0; i < n; i++)
        known_by_all[i] = UINT32_MAX;
    bool count_joining = !__atomic_load_n(&pf_rt.has_signal_handlers, __ATOMIC_ACQUIRE);
    for (struct pf_thread *t = pf_threads.running; t; t = t->next)
        lower_to_known_by(known_by_all, n, t, count_joining);
    for (uint32_t i = 0; i < n; i++)
        if (known_by_all[i] == UINT32_MAX)
            known_by_all[i] = 0;
    bool grew = !pf_threads.not_begun && count_joining == !pf_rt.has_signal_handlers &&
                pf_global_order_raise(known_by_all, n);
    pf_thread_unlock();
    uint32_t longer = self->order.global_order_every < GLOBAL_ORDER_SELDOM
                          ? 2 * self->order.global_order_every
                          : GLOBAL_ORDER_SELDOM;
    self->order.global_order_every = grew || !longer ? GLOBAL_ORDER_EVERY : longer;
    self->order.global_order_in = self->order.global_order_every + threads * n / 8;
}
