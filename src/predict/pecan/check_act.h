/*
 * check_act.h - check-then-act: a value read in one critical section decides whether the same
 * variable is written in a later critical section of the same lock, within one activation of a
 * function.
 *
 * Model:   the compiler marks loads that decide whether a store to the same place happens, and
 *          those stores (plugin/plan/check_then_act.c). The check of a marked write is the newest
 *          marked read of the cell before it. They form a pair if some lock is held at both, and
 *          all such locks were released in between. Code that checks again inside the section of
 *          the write is correct; that second check is then the newest one, and the pair is not
 *          reported.
 * Cost:    O(events), plus the events between check and act of each pair.
 */
#ifndef PF_PECAN_CHECK_ACT_H
#define PF_PECAN_CHECK_ACT_H

#include "partial_order.h"

/* Calls f with the read and the write of each pair, thread by thread, in trace order. */
void pf_check_act_each(const struct pf_partial_order *g,
                       void (*f)(void *arg, uint32_t read, uint32_t write), void *arg);

#endif
