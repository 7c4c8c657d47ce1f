/*
 * policy.h - which thread runs next, and for how many events.
 *
 * Model:   rr:SLICE          in turn, SLICE events each (standard: rr:1000), every 61st time
 *                            fewer, lest a loop that fills a slice keep its lock for ever
 *          random:SEED       uniformly among those that can run; lengths log-uniform from 1 to 1024,
 *                            so that both near and far interleavings are met
 *          pct:SEED,DEPTH[,LENGTH]  strict random priorities; at DEPTH-1 random points of the first
 *                            LENGTH events (standard: 20000) the running thread falls to the bottom
 *                            (Burckhardt et al., probabilistic concurrency testing)
 *          pos:SEED          every event has a random priority, the highest goes first; events that
 *                            conflict with the one done draw again (Yuan et al., partial order
 *                            sampling); every 1000 events all do, lest one starve
 *          racefuzzer:..., assetfuzzer:...  as random, but threads are held before certain accesses
 *                            (fuzz_policy.h)
 *          A thread that gave way is not chosen while another can run.
 * Memory:  none.
 * Errors:  a text that is no policy is refused by parse.
 */
#ifndef PF_RT_POLICY_H
#define PF_RT_POLICY_H

#include "context.h"

enum pf_policy_kind {
    PF_POLICY_RR,
    PF_POLICY_RANDOM,
    PF_POLICY_PCT,
    PF_POLICY_POS,
    PF_POLICY_FUZZ
};
#define PF_POLICY_CHANGES 64

struct pf_policy {
    uint8_t kind;
    uint64_t slice, depth, random;
    uint64_t change[PF_POLICY_CHANGES]; /* pct: in order; numbers of events */
    uint32_t nchange, next_change;
    uint64_t bottom; /* pct, pos: priorities below all given so far */
    uint64_t decisions; /* rr, pos: so far; of rr those where nobody gave way */
    bool shorter; /* rr: the next turn */
};

bool pf_policy_parse(struct pf_policy *p, const char *text);
/* A context that can run now: gives it its priority. */
void pf_policy_add(struct pf_policy *p, struct pf_context *c);
/* The next one, of those in `ready` and `me` (NULL: it cannot go on), after `events` of all threads.
 * `yielded`: me gave way. Not both may be empty. */
struct pf_context *pf_policy_pick(struct pf_policy *p, struct pf_queue *ready,
                                  struct pf_context *me, bool yielded, uint64_t events);
/* How many events c may do before the policy is asked again; at least 1. */
uint64_t pf_policy_grant(struct pf_policy *p, struct pf_context *c, uint64_t events);
/* c became ready while `me` runs: should me be stopped at its next event? */
bool pf_policy_cuts(const struct pf_policy *p, const struct pf_context *c,
                    const struct pf_context *me);

#endif
