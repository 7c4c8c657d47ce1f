/*
 * order_alone.h - decides whether two runs differ in nothing but the order of two accesses.
 *
 * Model:   two runs that perform the same events in the same order, apart from the two accesses,
 *          differ only in values. If their outputs differ, the order of the accesses is the cause,
 *          even if the output varies from schedule to schedule.
 */
#ifndef PF_JUDGE_ORDER_ALONE_H
#define PF_JUDGE_ORDER_ALONE_H

#include "trace.h"

/* a, b: the accesses as events of `recorded`. */
bool pf_order_alone(const struct pf_trace *recorded, uint32_t a, uint32_t b,
                    const struct pf_trace *primary, const struct pf_trace *alternate);

#endif
