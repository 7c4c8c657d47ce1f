/*
 * materialise.h - turns the contexts of a run into kernel threads, so that a debugger can see them.
 *
 * Model:   every context gets a kernel thread with its stack, thread pointer and name. Main gets
 *          the first thread of the process, the others get new threads in order of their creation.
 *          Still only one of them runs at a time: the one that holds the baton, a futex in the
 *          context. Where the scheduler switched contexts before, it now passes the baton on, so
 *          the run continues as it would have.
 * Memory:  the contexts keep their stacks; the conversion itself uses one small mapping.
 * Threads: the runner; afterwards the thread that holds the baton.
 * Errors:  if the kernel cannot create a thread, the run is refused.
 */
#ifndef PF_RT_MATERIALISE_H
#define PF_RT_MATERIALISE_H

#include "context.h"

extern bool pf_materialised;

/* Turns every context into a kernel thread. Returns in the current context. */
void pf_materialise(void);
/* After pf_materialise: creates the kernel thread of a new context, which waits for the baton. */
void pf_materialise_add(struct pf_context *c);
/* After pf_materialise, instead of pf_switch: passes the baton to `to`. Returns when `from` gets it
 * back; never returns if `from` has ended. */
void pf_baton_pass(struct pf_context *from, struct pf_context *to);
/* Waits for the debugger that the channel announces. */
void pf_debugger_wait(void);

#endif
