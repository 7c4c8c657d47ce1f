/*
 * deadlock.h - nobody can ever run again, or nobody gets anywhere: says who waits for what, and for
 * whom, and ends the target.
 *
 * Model:   edges from a waiting thread to the one that must act first: to the holder of the lock, to
 *          the thread that is joined. A cycle among them is named.
 * Errors:  the text has a limited length (channel.h); threads that do not fit are left out, and it
 *          says so.
 */
#ifndef PF_RT_DEADLOCK_H
#define PF_RT_DEADLOCK_H

/* Both close the recording and exit with status 66. */
_Noreturn void pf_deadlock(void);
/* Every thread that can run has done nothing but give way, a very long time. */
_Noreturn void pf_livelock(void);

#endif
