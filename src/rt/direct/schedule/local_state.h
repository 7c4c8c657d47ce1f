/*
 * local_state.h - the state of a thread outside of shared memory, for explored runs (resident.h),
 * and for threads that wait in a loop or yield again and again (spinners.h).
 *
 * Model:   a hash over the registers and the whole stack of the thread at an event, computed only
 *          if one of its last few events had the same code. If it is the same at two such events,
 *          and the thread has written nothing new in between, then the iteration has changed
 *          nothing: the thread waits, and the run would be the same without the iteration. A
 *          read-modify-write that stores the value that is already there is not a new write.
 * Memory:  a table in the channel, and one for the threads.
 * Threads: the runner only.
 * Errors:  events for which there is no room are left out. Thread-local variables that need no
 *          events, and the upper halves of vector registers, are not part of the state.
 */
#ifndef PF_RT_LOCAL_STATE_H
#define PF_RT_LOCAL_STATE_H

#include "context.h"

/* The current thread performs an event; `code` identifies its code. */
void pf_local_state_note(uint64_t code);
/* A hash of the registers and the stack of c, which is in a system call; 0: unknown. */
uint64_t pf_local_state_at_call(const struct pf_context *c);
/* True if the last note of the thread, and one of the few before it about the same code, had the
 * same state. */
bool pf_local_state_repeats(const struct pf_context *c);

#endif
