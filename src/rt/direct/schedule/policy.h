/*
 * policy.h - scheduling policies: which thread runs next, and for how many events.
 *
 * Model:   rr:SLICE          round robin, SLICE events each (default: rr:1000); every 61st turn is
 *                            shorter, because a loop that exactly fills a slice would otherwise
 *                            keep its lock for ever
 *          random:SEED       uniformly among runnable threads; lengths log-uniform from 1 to 1024,
 *                            so that both near and far interleavings occur
 *          pct:SEED,DEPTH[,LENGTH]  strict random priorities; at DEPTH-1 random points of the next
 *                            LENGTH events the running thread gets the lowest priority (Burckhardt
 *                            et al., probabilistic concurrency testing). LENGTH should be the
 *                            number of events of a run. Without it, it is drawn at random: a power
 *                            of two from 16 to 32768, so that short runs have change points, too
 *          pos:SEED          every event has a random priority, the highest runs first; events that
 *                            conflict with the one performed draw again (Yuan et al., partial order
 *                            sampling); every 1000 decisions all draw again, so that none starves
 *          few:SEED          like pos, but most threads wait until the chosen few cannot run. A new
 *                            thread is chosen with a probability of 1/2 to 1/64, which is drawn
 *                            once for the run. Most bugs need few threads, and pos seldom runs two
 *                            of a hundred threads before all others. Every 1000 decisions all
 *                            threads in the run queue become chosen
 *          racefuzzer:..., assetfuzzer:...  like random, but threads are held before certain
 *                            accesses (fuzz_policy.h)
 *          A thread that waits in a loop is not chosen (spinners.h). A thread that yielded is not
 *          chosen while another can run. A thread that is about to end the process yields first:
 *          always with rr, never with pct, otherwise by the toss of a coin. If it does not yield,
 *          it is one of the runnable threads, as before any other event.
 * Memory:  none.
 * Errors:  parse returns false for a text that is not a policy.
 */
#ifndef PF_RT_POLICY_H
#define PF_RT_POLICY_H

#include "context.h"

enum pf_policy_kind {
    PF_POLICY_RR,
    PF_POLICY_RANDOM,
    PF_POLICY_PCT,
    PF_POLICY_POS,
    PF_POLICY_FEW,
    PF_POLICY_FUZZ
};
#define PF_POLICY_CHANGES 64 /* most points of pct at which priorities change */

struct pf_policy {
    uint8_t kind; /* enum pf_policy_kind */
    uint64_t slice; /* rr: events of a turn; pct: 0 if the last grant ended only for fairness */
    uint64_t depth; /* pct */
    uint64_t random; /* state of the random numbers; at first the seed */
    uint64_t change[PF_POLICY_CHANGES]; /* pct: event counts, ascending */
    uint32_t nchange, next_change;
    uint64_t bottom; /* pct, pos, few: the lowest priority given so far */
    uint64_t decisions; /* rr, pos, few: number of decisions; rr without those after a yield */
    bool shorter; /* rr: the next turn is shorter */
    uint64_t one_in; /* few: one in this many new threads does not wait */
};

/* `events`: how many events all threads have performed before. */
bool pf_policy_parse(struct pf_policy *p, const char *text, uint64_t events);
/* A context becomes runnable: sets its priority. */
void pf_policy_add(struct pf_policy *p, struct pf_context *c);
/* Chooses the next thread among `ready` and `me` (NULL: it cannot continue), after `events` events
 * of all threads. `yielded`: `me` has yielded. `ready` and `me` must not both be empty. */
struct pf_context *pf_policy_pick(struct pf_policy *p, struct pf_queue *ready,
                                  struct pf_context *me, bool yielded, uint64_t events);
/* The number of events that the chosen thread may perform before the next decision; at least 1.
 * `events`: how many events all threads have performed before. */
uint64_t pf_policy_grant(struct pf_policy *p, uint64_t events);
/* A thread is about to end the process: true if the others run on first, until they end or wait. */
bool pf_policy_waits_at_exit(struct pf_policy *p);
/* A thread waits in a loop (wait_loop.h), or counts in one: the number of further iterations that
 * it may make before others run. Mostly 0; now and then many, so that a loop that gives up after
 * a number of tries gives up in some schedules. Always 0 for round robin. */
uint32_t pf_policy_spins(struct pf_policy *p);
/* c became ready while `me` runs: true if `me` should be preempted at its next event. */
bool pf_policy_preempts(const struct pf_policy *p, const struct pf_context *c,
                        const struct pf_context *me);

#endif
