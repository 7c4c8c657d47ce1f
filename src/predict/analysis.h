/*
 * analysis.h - what every analysis looks like, and what it answers.
 *
 * Model:   an analysis is a function from a sealed, self-consistent trace to a result. It never
 *          parses, prints or keeps state between calls.
 * Memory:  the result owns its races and their witnesses.
 * Errors:  none; what could not be decided is counted in the result, never passed over.
 */
#ifndef PF_PREDICT_ANALYSIS_H
#define PF_PREDICT_ANALYSIS_H

#include "stop.h"
#include "trace.h"

enum pf_claim { PF_CLAIM_OBSERVED, PF_CLAIM_WITNESSED, PF_CLAIM_CANDIDATE };

/* Events a and b, a first in the trace. A witness runs the trace up to `start` as it stands, then
 * the events of `order`; after that a and b are both the next step of their threads. */
struct pf_race {
    uint32_t a, b;
    uint32_t start;
    uint32_t *order;
    uint32_t norder;
};

struct pf_result {
    PF_VEC(struct pf_race) races; /* one for a pair of sites */
    uint64_t pairs;               /* pairs looked at */
    uint64_t infeasible; /* pairs of sites: no reordering of the whole trace has any pair tried */
    uint64_t untried; /* pairs of accesses left out of rejected pairs of sites: too many */
    uint64_t window; /* rejected, but only within the largest window tried */
    uint64_t unknown; /* given up: budget used up */
    uint64_t dropped; /* never looked at: a bounded history was full */
    uint64_t invalid; /* witnesses that the validator refused: our own bug */
    bool stopped; /* there may be more: the search was ended before its time (stop.h) */
};

struct pf_limits {
    uint32_t window; /* largest number of events in a window */
    uint32_t conflicts; /* of the solver, for one pair in one window */
    uint32_t tries; /* pairs tried for one pair of sites */
    uint32_t history; /* accesses remembered for one cell */
    struct pf_stop *stop; /* NULL: nobody ends it */
    bool all_pairs; /* every pair of events, not one for a pair of sites (tests) */
};
extern const struct pf_limits pf_limits_default;

struct pf_analysis {
    const char *name, *summary;
    enum pf_claim claim;
    void (*run)(const struct pf_trace *t, const struct pf_limits *limits, struct pf_result *out);
};

extern const struct pf_analysis pf_analyses[];
extern const size_t pf_nanalyses;
const struct pf_analysis *pf_analysis_find(const char *name, size_t len); /* NULL if unknown */

void pf_result_release(struct pf_result *r);
/* Sorts races by (a, b); they are unique then. */
void pf_result_sort(struct pf_result *r);

/* A set of pairs of sites that have been reported: true when (a, b) is new, in any order. */
struct pf_seen {
    uint64_t *slots;
    size_t len, cap;
};
bool pf_seen_add(struct pf_seen *s, uint32_t a, uint32_t b);
bool pf_seen_has(const struct pf_seen *s, uint32_t a, uint32_t b);
void pf_seen_release(struct pf_seen *s);

#endif
