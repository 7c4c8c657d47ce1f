/*
 * fuzz_policy.h - policies that provoke a suspected anomaly: threads are held before its accesses
 * until the other threads have arrived.
 *
 * Model:   racefuzzer (Sen, race directed random testing): a thread that is about to access memory
 *          at one of two locations is held. When another thread is about to access the same memory
 *          at the other location, and one of them writes, the race is real: both accesses happen,
 *          one directly after the other, in a random order.
 *          assetfuzzer (Lai, Cheung and Chan, active testing of atomic sets): the accesses of a
 *          pattern happen in its order. A thread that is about to perform a later one is held until
 *          the earlier ones are done. The match starts again when a unit (the steps of one thread)
 *          leaves its outermost critical section before its last step, or repeats its first step.
 *          If no other thread can run, or none arrives in time, a held thread is released.
 *          The text of both policies: fuzz_policy_text.h. The result: struct pf_reached
 *          (channel.h).
 * Memory:  two bytes for each calling context that reaches an access.
 * Threads: the runner only.
 * Errors:  set returns false for a text that is neither policy.
 *
 * Nothing here uses vector registers.
 */
#ifndef PF_RT_FUZZ_POLICY_H
#define PF_RT_FUZZ_POLICY_H

#include "context.h"

/* Parses the policy and stores its seed. */
bool pf_fuzz_policy_set(const char *text, uint64_t *seed);
/* From now on also observes locks, critical sections and freed blocks. */
void pf_fuzz_policy_listen(void);
/* In a forked child: forgets the threads that do not exist there. */
void pf_fuzz_policy_forked(void);

/* c is about to perform the event: a bit for each of the policy's locations that the event is at.
 * While a continuation enforces the order of two accesses (access_order.h), its locations are those
 * two accesses. */
uint16_t pf_fuzz_policy_marks(struct pf_context *c, const struct pf_pending_event *event);

enum pf_fuzz_decision {
    PF_FUZZ_PASS, /* the access does not concern the policy */
    PF_FUZZ_HOLD,
    PF_FUZZ_TURN, /* the threads that pf_fuzz_policy_next_turn returns run next, one event each */
};
/* c is about to perform c->pending, at c->fuzz.marks, after `events` events of all threads. */
enum pf_fuzz_decision pf_fuzz_policy_decide(struct pf_context *c, uint64_t events);
/* Sets *n to the number of events of the turn. NULL: the ordinary policy decides. */
struct pf_context *pf_fuzz_policy_next_turn(uint64_t *n);
bool pf_fuzz_policy_has_turns(void);

/* No thread can run: releases a held thread. If `now` is false, time may make a thread runnable:
 * then it releases none until called several times. */
void pf_fuzz_policy_release_one(bool now);
/* True if the policy needs a decision after `events` events: a turn is left, or a thread was held
 * too long. */
bool pf_fuzz_policy_is_due(uint64_t events);
/* Releases the threads that were held too long. */
void pf_fuzz_policy_release_overdue(uint64_t events);

/* The running interposed function accesses this memory. */
void pf_fuzz_policy_access(uint64_t address, uint64_t size, bool write);

#endif
