/*
 * checkpoint.h - a run goes on several times from one point.
 *
 * Model:   the one kernel thread is copied by a raw clone: the child has every thread of the target
 *          and goes on with all of them. glibc's fork would not do, it frees the stacks of all threads
 *          but one. Each continuation records into a log of its own (prefix + what it adds is an
 *          ordinary clip) under a policy of its own.
 * Memory:  copied on write.
 * Errors:  a continuation that does not end within its limit is killed, its outcome is a hang.
 */
#ifndef PF_RT_CHECKPOINT_H
#define PF_RT_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* At a point of the run: makes the continuations that the channel asks for, one after the other, writes
 * how each ended, and ends the process. Returns in each continuation. */
void pf_checkpoint_serve(void);
/* A continuation of a plan: number i, with a plan of its own, beside others. Returns in it, and in the
 * process, which goes on. */
void pf_checkpoint_branch(uint32_t i);
/* All of those have ended. */
void pf_checkpoint_settle(void);
/* One copy. The child's pid; 0 in the child, in which system calls are trapped again. Negative errno. */
long pf_checkpoint(void);

#endif
