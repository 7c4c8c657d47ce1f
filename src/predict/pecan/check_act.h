/*
 * check_act.h - check-then-act: a value that is read in one critical section decides about a write
 * of the same variable in a later critical section of the same lock: whether it happens, or what it
 * writes. Both are in one activation of a function.
 *
 * Model:   the compiler marks loads that decide about a store to the same place, and those stores
 *          (plugin/plan/check_then_act.c). The check of a marked write is the newest marked read of
 *          the cell before it. They form a pair if some lock is held at both, and all such locks
 *          were released in between. The following are correct, and not pairs:
 *          - the code checks again: it makes a marked read inside the section of the write, and a
 *            lock that every other writer holds is held from that read to the write. That
 *            read is of the same variable, or of a version number: a variable that other threads
 *            write in every section in which they write the checked variable;
 *          - the thread has written the variable inside the section of the check: the check decided
 *            about that write.
 * Cost:    O(events), plus the events between check and act of each pair, plus the foreign writes
 *          of its variable.
 */
#ifndef PF_PECAN_CHECK_ACT_H
#define PF_PECAN_CHECK_ACT_H

#include "partial_order.h"

/* Calls f with the read and the write of each pair, thread by thread, in trace order. Returns the
 * number of decisions that a limit cut short. If check and act are too far apart, they are not a
 * pair. If not all later checks could be examined, they are a pair. */
uint64_t pf_check_act_each(const struct pf_partial_order *g,
                           void (*f)(void *arg, uint32_t read, uint32_t write), void *arg);

/* The depth of the activation to which events a and b of one thread belong: the number of frames
 * below it. PF_NONE: they do not belong to one activation. The trace must be a recording. */
uint32_t pf_activation_of(const struct pf_trace *t, uint32_t a, uint32_t b);
/* True if event i happened in the activation of event a at this depth, or in a function that it
 * called. */
bool pf_activation_has(const struct pf_trace *t, uint32_t a, uint32_t depth, uint32_t i);

#endif
