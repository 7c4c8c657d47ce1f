/*
 * checkpoint.h - continues a run several times from one of its events.
 *
 * Model:   the one kernel thread is copied by a raw clone: the child has every thread of the target
 *          and continues with all of them. glibc's fork would not do: it frees the stacks of all
 *          threads but one. Each continuation records into a log of its own (the common prefix plus
 *          this log is an ordinary clip) under a policy of its own.
 * Memory:  a continuation shares its pages with the process until one of them writes them.
 * Errors:  a continuation that does not end within its limit is killed; its outcome is a hang.
 */
#ifndef PF_RT_CHECKPOINT_H
#define PF_RT_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* Runs the continuations that the channel asks for, one after the other, stores how each ended, and
 * ends the process. Returns in each continuation. */
void pf_checkpoint_run_all(void);
/* Starts continuation i of a schedule plan. It follows a plan of its own, in parallel with others.
 * Returns in the continuation, and in the process, which continues. */
void pf_checkpoint_branch(uint32_t i);
/* Waits until all of those have ended. */
void pf_checkpoint_wait_all(void);
/* Copies the process. Returns the child's pid; 0 in the child, in which system calls are trapped
 * again, and which dies with this process; or a negative errno. */
long pf_checkpoint(void);
struct pf_channel;
/* Gives a copy that runs in parallel with others its own core; copy number 0 keeps the core of this
 * process. */
void pf_checkpoint_choose_core(const struct pf_channel *c, uint32_t number);

#endif
