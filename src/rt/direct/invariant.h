/*
 * invariant.h - conditions that the program states with PF_INVARIANT (photofinish.h), tested in
 * directed mode.
 *
 * Model:   an invariant is a function of the program that returns 0 if the condition is violated.
 *          It is called at every synchronisation of any thread, before output, and at the end. A
 *          violation ends the program like a failed assertion, at the operation that was about to
 *          happen. The function runs without events and without the scheduler, so that a run with
 *          invariants has the same events as one without.
 * Memory:  a fixed table; further invariants are ignored, with a message.
 * Threads: one kernel thread. The function is called on the stack of the current thread.
 */
#ifndef PF_RT_INVARIANT_H
#define PF_RT_INVARIANT_H

#include <stdbool.h>

/* True if the program has stated any. */
bool pf_invariant_exists(void);
/* Tests all of them; does not return if one is violated. */
void pf_invariant_test(void);
/* The same before this system call, if it writes to a descriptor. */
void pf_invariant_before_call(long number);

#endif
