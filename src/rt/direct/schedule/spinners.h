/*
 * spinners.h - the threads that wait in a loop (wait_loop.h). They are not in the run queue.
 *
 * Threads: the runner only.
 */
#ifndef PF_RT_SPINNERS_H
#define PF_RT_SPINNERS_H

#include "context.h"

bool pf_spinners_any(void);
/* True if one of them has repeated its loop only a few times: perhaps the loop counts, and ends. */
bool pf_spinners_may_count(void);
/* c, the current thread, is about to perform this event: true if it waits in a loop, so that other
 * threads should run. If the schedule plan wants it to run to its end, the plan has failed. */
bool pf_spinners_recognise(struct pf_context *c, const struct pf_pending_event *event);
/* c, the current thread, yields, and no other thread can run: true if it has yielded very often
 * with the same registers, the same stack and the same memory, without another system call. It will
 * never stop. */
bool pf_spinners_yield_for_ever(const struct pf_context *c);
/* Call it from time to time while all runnable threads only yield: true if neither their stacks nor
 * the memory have changed during the last calls. */
bool pf_spinners_only_yield(void);
/* c, the current thread, waits in a loop from now on. */
void pf_spinners_add(struct pf_context *c);
/* Puts c, or all threads whose wait is over, back into the run queue. */
void pf_spinners_release(struct pf_context *c);
void pf_spinners_wake(void);
/* Other threads can run: now and then, puts the thread that has waited longest back into the run
 * queue. */
void pf_spinners_take_chance(void);
/* No other thread can run: puts all of them back. Returns false, every few times, if time or an
 * external event should end the wait of another thread first. */
bool pf_spinners_run(void);

#endif
