/*
 * order_alone.h - decides whether two runs differ in nothing but the order of accesses to one piece
 * of memory.
 *
 * Model:   to reverse the order of two accesses, other events of their threads may have to move as
 *          well. That is irrelevant as long as every thread performs the same events, and the order
 *          of events on every other object (memory, lock, thread, the output) is the same. Then the
 *          runs differ only in values, and these differ only because of the order of the accesses
 *          to this memory. If their outputs differ, that order is the cause, even if the output
 *          varies from schedule to schedule.
 * Cost:    O(n log n) for n events.
 */
#ifndef PF_JUDGE_ORDER_ALONE_H
#define PF_JUDGE_ORDER_ALONE_H

#include "trace.h"

/* a, b: the accesses as events of `recorded`. */
bool pf_order_alone(const struct pf_trace *recorded, uint32_t a, uint32_t b,
                    const struct pf_trace *primary, const struct pf_trace *alternate);

#endif
