/*
 * deadlock.h - nobody can ever run again: says who waits for what, and for whom, and ends the target.
 */
#ifndef PF_RT_DEADLOCK_H
#define PF_RT_DEADLOCK_H

/* Prints every thread with its wait, the cycle of locks if there is one; closes the recording; exits
 * with status 66. */
_Noreturn void pf_deadlock(void);

#endif
