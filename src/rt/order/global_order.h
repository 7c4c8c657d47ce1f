/*
 * global_order.h - which epochs are ordered before every current and every future thread.
 *
 * Model:   pf_rt.globally_ordered[slot] is a lower bound of what every current thread has seen of
 *          the slot. Future threads descend from current ones. Entries only grow.
 * Threads: any; uses the lock of the table of threads.
 */
#ifndef PF_RT_GLOBAL_ORDER_H
#define PF_RT_GLOBAL_ORDER_H

#include "thread.h"

/* Updates pf_rt.globally_ordered from the clocks of all threads. Preserves all registers, because
 * some callers need that. It reads every clock, so it sets self->order.global_order_in to say when
 * the next call is worthwhile. */
__attribute__((preserve_most)) void pf_thread_update_global_order(struct pf_thread *self);
/* A barrier has just ordered much: the next update is likely to raise the global order, so it comes
 * soon. */
void pf_global_order_expect(struct pf_thread *self);
/* Raises pf_rt.globally_ordered to clock[0..n), a lower bound of what every thread has seen. With
 * the table locked. Returns false if nothing changed. */
bool pf_global_order_raise(const uint32_t *clock, uint32_t n);

#endif
