/*
 * deadlock.h - reports a deadlock or livelock: which thread waits for what, and for whom; and ends
 * the target.
 *
 * Model:   edges from a waiting thread to the thread that must act first: the holder of the lock,
 *          or the thread that is joined. A cycle of such edges is named. A thread may also wait
 *          for a lock that a thread held when it ended.
 * Errors:  the text has a limited length (channel.h); it says so if threads are left out.
 */
#ifndef PF_RT_DEADLOCK_H
#define PF_RT_DEADLOCK_H

#include "context.h"

/* The first lock in the chain of waits from `from` to `to`: `from` waits for it, and `to`, or a
 * thread that in turn waits for `to`, holds it. 0: `from` does not wait for `to`, or no lock is
 * involved. */
uint64_t pf_deadlock_lock_between(const struct pf_context *from, const struct pf_context *to);
/* The running thread ends, and the lock stays taken. */
void pf_deadlock_note_abandoned(uintptr_t lock);
/* The time limit of c's wait has passed; c has not continued yet. */
void pf_deadlock_note_timeout(const struct pf_context *c);
/* If the run is explored (resident.h): tells pf which threads have not ended, and what they wait
 * for. stuck: no thread can make progress. Further calls do nothing. */
void pf_deadlock_list_blocked(bool stuck);
/* Both close the recording and exit with status 66. deadlock: no thread can ever run again. */
_Noreturn void pf_deadlock(void);
/* livelock: all runnable threads have done nothing but yield, for a very long time. */
_Noreturn void pf_livelock(void);

#endif
