/*
 * impossible_order.h - decides what it means that two accesses could not be made to happen in the
 * other order.
 *
 * Model:   the thread of the first access was held, and the other thread did not reach its access.
 *          A lock, ad hoc synchronisation or the creation of the thread orders the accesses
 *          (single-ordering), nothing can go on (spec-violated), or it is not known (undecided).
 *          If a lock is in the way, the thread is held before it takes the lock instead. A lock can
 *          also be made by hand: a variable that threads poll.
 */
#ifndef PF_JUDGE_IMPOSSIBLE_ORDER_H
#define PF_JUDGE_IMPOSSIBLE_ORDER_H

#include "judging.h"

/* Decides; alt: the run in which the order was not reversed. */
void pf_impossible_order_decide(struct pf_judging *j, const struct pf_judge_run *alt);
/* The other thread waits for a lock that the thread of a holds at a, so it is not enough to hold
 * the latter before a. Sets hold_from to an earlier event before which it is held instead: its
 * acquire of the n-th innermost lock. Returns false if there is none; the class is then decided. */
bool pf_impossible_order_hold_before_lock(struct pf_judging *j, unsigned n);
/* The other thread polls a variable that the held thread has written before its access: perhaps a
 * lock made by hand. Runs both orders with the thread held before that write. True: both threads
 * then reach their accesses without waiting for each other, so the lock is broken, and j has these
 * runs. */
bool pf_impossible_order_is_broken_lock(struct pf_judging *j);

#endif
