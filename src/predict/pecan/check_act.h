/*
 * check_act.h - check-then-act: a value read in one critical section decides whether the same variable is
 * written in a later section of the same lock, in the same activation of a function.
 *
 * Model:   the compiler marks loads that decide about a store of the same place, and those stores
 *          (plugin/plan/check_then_act.c). The newest marked read before a marked write of the cell is its check.
 *          They are a pair when a lock is held at both and all such locks were given back between. A check
 *          again inside the section of the write makes it right, and is the newest then.
 * Cost:    O(events), and the events between the two of each pair.
 */
#ifndef PF_PECAN_CHECK_ACT_H
#define PF_PECAN_CHECK_ACT_H

#include "partial_order.h"

/* Calls f with the read and the write of each pair, in the order of the trace of each thread. */
void pf_check_act_each(const struct pf_partial_order *g, void (*f)(void *arg, uint32_t read, uint32_t write),
                  void *arg);

#endif
