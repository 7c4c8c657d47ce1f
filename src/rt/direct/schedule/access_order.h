/*
 * access_order.h - a continuation makes two accesses of two threads happen in a given order.
 *
 * Model:   the thread of the second access is held before it until the first access has happened.
 *          Meanwhile the thread of the first access and the other threads take turns. The second
 *          access then follows directly after the first one, if its thread has already arrived.
 *          If the accesses are to happen together, the thread of the first one is also held, until
 *          both have arrived: in both orders the run is the same up to there.
 *          From then on the continuation follows its schedule plan as long as it can, and then its
 *          policy. An access is recognised by its thread, its position in the source and its
 *          memory (struct pf_order_request).
 *          The held thread is released if the first access cannot happen before the second one: its
 *          thread waits for the held thread, or does not arrive in time (enum pf_order_obstacle).
 *          The run then continues with its policy, which shows whether the wait ends.
 * Memory:  static.
 * Threads: the runner only.
 * Errors:  none; an order that cannot be enforced is reported to pf (struct pf_order_outcome).
 *
 * Nothing here uses vector registers.
 */
#ifndef PF_RT_ACCESS_ORDER_H
#define PF_RT_ACCESS_ORDER_H

#include "fuzz_policy.h"

/* Begins to enforce the request. The file `plan` is loaded when the accesses have happened. Call
 * between two segments, after the policy was set. */
void pf_access_order_begin(const struct pf_order_request *request, const char *plan);
/* True while the first access has not happened, so that a thread may be held. */
bool pf_access_order_pending(void);
/* c is about to perform the event. While the order is pending, returns which of the two accesses it
 * is, as a bit; 0: neither. Afterwards returns 0, and notes when an access that is still missing
 * happens. */
uint16_t pf_access_order_marks(struct pf_context *c, const struct pf_pending_event *event);

/* As in fuzz_policy.h, while the order is pending. */
enum pf_fuzz_decision pf_access_order_decide(struct pf_context *c, uint64_t events);
struct pf_context *pf_access_order_next_turn(uint64_t *n);
bool pf_access_order_has_turns(void);
void pf_access_order_release_one(bool now);
bool pf_access_order_is_due(uint64_t events);
void pf_access_order_update(uint64_t events);

/* The threads only yield: releases the held thread. */
void pf_access_order_only_yields(void);
/* A segment was closed after `events` events of all threads. */
void pf_access_order_segment_closed(uint64_t events);
/* True if the continuation has used up its limit of events. */
bool pf_access_order_limit_reached(uint64_t events);

#endif
