/*
 * breakpoint.h - places in a run that were asked for: stop here, this event before that one, checkpoint.
 *
 * Model:   a point is (thread, number of its event, from 1); the thread by number, T2, or by its creation
 *          path, 0.1.3: main's second child's fourth. A thread that has done `stop` events and stands
 *          before the next comes here.
 *
 *              until P      the run ends where P is about to happen, or is handed to a debugger
 *              at P         checkpoint: continuations are run from P (checkpoint.h)
 *              flip A<B     B's thread is held before B until A is over
 *              flip A<B@N   the same before its event N, which comes before B
 *
 * Errors:  a text that is no point is refused at the start. A flip that cannot come about is told as
 *          such when nobody but held threads is left.
 */
#ifndef PF_RT_BREAKPOINT_H
#define PF_RT_BREAKPOINT_H

#include "context.h"

#define PF_BREAKPOINT_NONE UINT64_MAX

/* Reads the wishes of the channel. */
void pf_breakpoint_init(void);
/* A new thread: is there a point in it? */
void pf_breakpoint_add_thread(struct pf_context *c);
/* c has done c->stop events: is the run to end as soon as it has its turn? */
bool pf_breakpoint_is_until(const struct pf_context *c);
/* It has its turn: ends the run, or waits for the debugger and returns. */
void pf_breakpoint_stop_run(void);
/* The run is at its end: a debugger that has not come yet, comes here. */
void pf_breakpoint_run_ends(void);
/* c has done c->stop events. Sets the next stop. True: c is held, and another thread
 * must go on. Vector registers are saved. */
bool pf_breakpoint_reached(struct pf_context *c);
/* The segment of c is closed: is what others are held for over? Releases them. */
void pf_breakpoint_segment_closed(const struct pf_context *c);
/* Nobody else is left: the flip is not possible. Returns when nobody is held. */
void pf_breakpoint_flip_stuck(void);
/* Is one held by a flip? The same when the others have waited too long for what may come from outside. */
bool pf_breakpoint_flip_holds(void);
void pf_breakpoint_flip_timeout(void);
/* So many events of all threads, so many turns given away in a row: the same when the thread is held for too
 * long, the others spin. */
void pf_breakpoint_flip_limits(uint64_t events, uint64_t yields);

#endif
