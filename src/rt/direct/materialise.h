/*
 * materialise.h - the contexts of a run become kernel threads, for a debugger to look at.
 *
 * Model:   every context gets a kernel thread with its stack, thread pointer and name. Main gets the
 *          first thread of the process, the others theirs in the order of their creation. Still only one
 *          runs at a time: who has the turn holds the baton, a futex in the context, and the scheduler
 *          hands it on where it switched before. So the run goes on as it would have.
 * Memory:  stacks as they are; a page for the work itself.
 * Threads: the runner; afterwards whoever has the turn.
 * Errors:  where the kernel makes no more threads, the run is refused.
 */
#ifndef PF_RT_MATERIALISE_H
#define PF_RT_MATERIALISE_H

#include "context.h"

extern bool pf_materialised;

/* From here on each context is a kernel thread. Returns in the current context. */
void pf_materialise(void);
/* Then: a new context, which begins when it has its turn. */
void pf_materialise_add(struct pf_context *c);
/* Then, instead of pf_switch: `to` goes on; returns when `from` has its turn again, never if it ended. */
void pf_baton_pass(struct pf_context *from, struct pf_context *to);
/* Waits for the debugger that the channel announces, then lets it look. */
void pf_debugger_wait(void);

#endif
