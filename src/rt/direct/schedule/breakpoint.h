/*
 * breakpoint.h - events at which a run stops, is checkpointed, or is reordered, as the user asked.
 *
 * Model:   a breakpoint is (thread, number of its event, from 1). The thread is given by its
 *          number, T2, or by its creation path: 0.1.3 is main's second child's fourth child. A
 *          thread that has performed `break_at` events and is about to perform the next one calls
 *          pf_breakpoint_reached.
 *
 *              until P      the run ends where P is about to happen, or stops for a debugger
 *              at P         checkpoint: continuations are run from P (checkpoint.h)
 *              flip A<B     B's thread is held before B until A has happened
 *              flip A<B@N   the same, but held before its event N, which precedes B
 *
 * Errors:  a text that is not a breakpoint is refused at the start. A flip is reported as
 *          infeasible when only held threads are left, or when the others wait or spin for too
 *          long.
 */
#ifndef PF_RT_BREAKPOINT_H
#define PF_RT_BREAKPOINT_H

#include "context.h"

#define PF_BREAKPOINT_NONE UINT64_MAX

/* Reads the breakpoints from the channel. */
void pf_breakpoint_init(void);
/* A new thread: sets its break_at. */
void pf_breakpoint_add_thread(struct pf_context *c);
/* forked: in a forked child, in which a held thread does not exist. forget: removes all
 * breakpoints. */
void pf_breakpoint_forked(void);
void pf_breakpoint_forget(void);
/* c is at c->break_at: true if the run must stop there, as soon as it is the thread's turn. */
bool pf_breakpoint_is_until(const struct pf_context *c);
/* It is the turn of that thread: ends the run, or waits for the debugger and returns. */
void pf_breakpoint_stop_run(void);
/* The run ends: a debugger that was announced and has not stopped the run yet stops it here.
 * Reports a flip that did not happen. */
void pf_breakpoint_run_ends(void);
/* c is at c->break_at: sets the next break_at. Returns true if c is held, so that another thread
 * must run. May use vector registers. */
bool pf_breakpoint_reached(struct pf_context *c);
/* A segment is closed, and the next thread is not chosen yet: with --at=switch, and if there is
 * more than one thread, the continuations start here. */
void pf_breakpoint_before_switch(void);
/* The segment of c is closed: releases the thread that a flip holds, if the first event has
 * happened. */
void pf_breakpoint_segment_closed(const struct pf_context *c);
/* No other thread can run: reports that the flip is infeasible. Returns if no thread is held. */
void pf_breakpoint_flip_stuck(void);
/* holds: true if a flip holds a thread. timeout: the other threads have waited too long for
 * something external: reports that the flip is infeasible. Returns if no thread is held. */
bool pf_breakpoint_flip_holds(void);
void pf_breakpoint_flip_timeout(void);
/* Reports that the flip is infeasible if its thread is held for too long: `events` is the number of
 * events of all threads, `yields` the number of consecutive yields. */
void pf_breakpoint_flip_limits(uint64_t events, uint64_t yields);

#endif
