/*
 * fuzz_policy.h - policies that drive a suspected anomaly out: threads are held before its accesses until the
 * others have come.
 *
 * Model:   racefuzzer (Sen, race directed random testing): a thread that stands before an access at one
 *          of two locations is held; when another stands before the other one, of the same memory, one of
 *          them writing, the race is there: both go, one directly after the other, in an order drawn
 *          at random.
 *          assetfuzzer (Lai, Cheung and Chan, active testing of atomic sets): the accesses of a pattern in its
 *          order. A thread that stands before a later one is held until those before are done. A unit
 *          that leaves its outermost critical section, or begins again, begins a new match.
 *          Nobody left to run, or nobody who comes in time: one of those held goes on.
 *          The text of both: fuzz_policy_text.h. What was reached: struct pf_reached of channel.h.
 * Memory:  two bytes for each calling context that comes to an access.
 * Threads: the runner alone.
 * Errors:  a text that is none of these is refused by set.
 *
 * Nothing here touches vector registers.
 */
#ifndef PF_RT_FUZZ_POLICY_H
#define PF_RT_FUZZ_POLICY_H

#include "context.h"

bool pf_fuzz_policy_set(const char *text, uint64_t *seed);
/* From now on, what locks and blocks do is heard too. */
void pf_fuzz_policy_listen(void);

/* The locations that a site of the function on top is at. */
uint16_t pf_fuzz_policy_marks(uint32_t site);

enum pf_fuzz_decision {
    PF_FUZZ_PASS, /* it is nothing to us */
    PF_FUZZ_HOLD,
    PF_FUZZ_TURN, /* pf_fuzz_policy_next_turn says who comes next, one event each */
};
/* c stands before c->pending, at c->fuzz.marks, after so many events of all threads. */
enum pf_fuzz_decision pf_fuzz_policy_decide(struct pf_context *c, uint64_t events);
struct pf_context *pf_fuzz_policy_next_turn(void); /* NULL: the policy decides */
bool pf_fuzz_policy_has_turns(void);

/* Nobody can run. One of those held goes on; not at once where time may help (`now` is false). */
void pf_fuzz_policy_release_one(bool now);
/* Is somebody to go on, after so many events? */
bool pf_fuzz_policy_is_due(uint64_t events);
/* Those that were held too long go on. */
void pf_fuzz_policy_release_overdue(uint64_t events);

/* The interposed function that runs touches this. */
void pf_fuzz_policy_access(uint64_t address, uint64_t size, bool write);

#endif
