/*
 * deadlock.h - reports a deadlock or livelock: which thread waits for what, and for whom; and ends
 * the target.
 *
 * Model:   edges from a waiting thread to the thread that must act first: the holder of the lock,
 *          or the thread that is joined. A cycle of such edges is named.
 * Errors:  the text has a limited length (channel.h); it says so if threads are left out.
 */
#ifndef PF_RT_DEADLOCK_H
#define PF_RT_DEADLOCK_H

/* Both close the recording and exit with status 66. deadlock: no thread can ever run again. */
_Noreturn void pf_deadlock(void);
/* livelock: all runnable threads have done nothing but yield, for a very long time. */
_Noreturn void pf_livelock(void);

#endif
