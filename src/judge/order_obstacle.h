/*
 * order_obstacle.h - finds in traces why two accesses cannot happen in the other order.
 */
#ifndef PF_JUDGE_ORDER_OBSTACLE_H
#define PF_JUDGE_ORDER_OBSTACLE_H

#include "held_locks.h"

/* The exclusive lock that both threads hold at their accesses; PF_NONE: there is none. */
uint32_t pf_obstacle_common_lock(const struct pf_trace *t, const struct pf_held_locks *held,
                                 uint32_t a, uint32_t b);
/* True if the thread has performed an event after it was released. *wait: its last event before the
 * release. */
bool pf_obstacle_went_on(const struct pf_trace *now, uint32_t thread, uint64_t released,
                         uint32_t *wait);
/* True if the thread of b was created by the thread of a after a. */
bool pf_obstacle_created_later(const struct pf_trace *t, uint32_t a, uint32_t b);

#endif
