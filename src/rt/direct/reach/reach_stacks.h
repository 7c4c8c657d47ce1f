/*
 * reach_stacks.h - the stacks of all threads, as far as a walk (reach_walk.h) reaches them.
 *
 * Memory:  one static table, filled from the list of threads when it is first needed.
 * Threads: the runner.
 * Errors:  with more stacks than the table holds, a walk reaches everything.
 */
#ifndef PF_RT_REACH_STACKS_H
#define PF_RT_REACH_STACKS_H

#include "reach_walk.h"

/*
 * The stack of one thread. It is in use from `live` upwards. The program's frames end at `base` and
 * are reached from `low` on. Above `base` are the frames of the thread's start function and
 * thread-local variables, or arguments and environment; they are reached from `high` on.
 *
 *     lo       live       low       base      high       hi       top
 *     |  free  |   frames |  reached |   others | reached | libc's |
 *
 * The data that libc keeps for a thread, from `hi` on, is ignored: it leads to all other threads.
 */
struct pf_walk_stack {
    uint64_t lo, live, low, base, high, hi, top;
    const struct pf_context *of; /* its thread; NULL: unknown */
};

/* The stack that contains p; NULL: none. */
struct pf_walk_stack *pf_walk_stack_of(uint64_t p);
/* Lists the stacks anew at the next use. */
void pf_walk_forget_stacks(void);
/* True if some stack is in a heap block; find: lists the stacks first if necessary. */
extern bool pf_walk_heap_stacks;
bool pf_walk_find_heap_stacks(void);
/* Adds what p reaches on a stack; false: p is not on a stack. The size of what p points to is known
 * only if it was passed as an argument; otherwise everything above p is reached. Nothing below
 * `live` is reached. */
bool pf_walk_in_stack(struct pf_walk *w, uint64_t p, uint64_t size);
/* True if [lo, hi) is the stack of a thread that has not started, or that has ended and whose stack
 * libc keeps. The runtime does not list those. Such a stack contains the thread pointer, which
 * points to itself. */
bool pf_walk_in_unlisted_stack(struct pf_walk *w, uint64_t p, uint64_t lo, uint64_t hi);

#endif
