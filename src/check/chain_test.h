/*
 * chain_test.h - what the chain of steps (check_chain.h) keeps for each program.
 *
 * check_chain.c chooses steps by it; chain_results.c updates it when a step has ended.
 */
#ifndef PF_CHECK_CHAIN_TEST_H
#define PF_CHECK_CHAIN_TEST_H

#include "check_chain.h"
#include "explore_slices.h"
#include "policy_shares.h"

/* Of a kind of step, in the current round. */
enum pf_chain_state { PF_CHAIN_WAITING, PF_CHAIN_RUNNING, PF_CHAIN_OVER };

struct pf_chain_test {
    bool recordable; /* it can be recorded */
    bool batches; /* it can be run many times from a checkpoint */
    bool switches; /* batches can also start at its first switch */
    /* batches start only there: what main does before it cannot be private (file_overlay.h) */
    bool switches_only;
    unsigned failed; /* consecutive recordings that produced no clip */
    bool slow, hangs; /* its free runs under the policy full are slow; a free run did not end */
    bool complete;
    /* a forked child has many schedules or has failed; a batch would not record children */
    bool forks;
    /* The first recording created files (`first`: its step, 0 if none). If the free run after it
     * fails, all later recordings do not see these files (`hides`). */
    bool creates, hides;
    uint64_t first;
    bool hunts; /* pf hunt can run it, and has inputs left to try */
    enum pf_chain_state run, record, hatch, look, explore, hunt;
    struct pf_explore_slices slices;
    PF_VEC(uint64_t) to_search; /* steps whose recordings are to be searched for predictions */
    uint64_t searched; /* the last of those that was taken in this round; 0: none */
    uint64_t seeds; /* schedules of all batches so far */
    uint64_t length; /* events of a schedule, in the last step; 0: unknown */
    size_t aimed_batches; /* batches aimed at a race so far */
    struct pf_policy_shares shares;
};

/* True if the step belongs to the first part of its round: recordings, free runs, predictions,
 * systematic search. */
bool pf_chain_is_ordinary(const struct pf_check_line *l);
/* The recordings aimed at the finding so far; a new entry if there were none. */
struct pf_chain_tried *pf_chain_find_tried(struct pf_chain *c, uint64_t finding);
void pf_chain_next_round(struct pf_chain *c);
/* Removes entry i of t->to_search. */
void pf_chain_take_search(struct pf_chain_test *t, size_t i);

#endif
