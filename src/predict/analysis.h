/*
 * analysis.h - the interface of every analysis, and its result.
 *
 * Model:   an analysis is a function from a sealed, consistent trace to a result. It never parses,
 *          prints or keeps state between calls.
 * Memory:  the result owns its races, anomalies and cycles, and their schedules.
 * Threads: no global state; several analyses may run at once on one trace.
 * Errors:  none. The result counts everything that could not be decided; nothing is silently
 *          skipped.
 */
#ifndef PF_PREDICT_ANALYSIS_H
#define PF_PREDICT_ANALYSIS_H

#include "deadlock/lock_graph.h"
#include "hash_map.h"
#include "pecan/pecan.h"
#include "stop.h"
#include "trace.h"

enum pf_claim {
    PF_CLAIM_OBSERVED,
    PF_CLAIM_WITNESSED,
    PF_CLAIM_CANDIDATE,
    PF_CLAIM_PATTERN,
    PF_CLAIM_CYCLE
};

/* A race between events a and b; a is earlier in the trace. To follow the witness, run the trace
 * unchanged up to event `start`, then the events of `order`. After that, a and b are both the next
 * events of their threads. */
struct pf_race {
    uint32_t a, b;
    uint32_t start;
    uint32_t *order;
    uint32_t norder;
};

struct pf_result {
    PF_VEC(struct pf_race) races; /* one per pair of sites */
    struct pf_anomalies anomalies; /* matches of patterns (claim PATTERN) */
    struct pf_cycles cycles;       /* possible deadlocks (claim CYCLE) */
    uint64_t pairs;               /* pairs of accesses examined */
    /* pairs of sites for which no reordering of the whole trace makes any of the tried pairs of
     * accesses race */
    uint64_t infeasible;
    /* pairs of accesses that were not tried, at rejected pairs of sites: beyond limits.tries, or
     * with an access that a newer one represents (candidates.h) */
    uint64_t untried;
    /* pairs of sites without a race in any window up to limits.window; larger windows were not
     * tried */
    uint64_t window;
    /* of cp: how many windows there were after the first one; accesses that no window contains
     * together were not compared */
    uint64_t windows;
    uint64_t unknown; /* undecided: the budget ran out */
    uint64_t dropped; /* accesses that were never examined, because a bounded history was full */
    uint64_t invalid; /* witnesses that the validator rejected: a bug in pf */
    bool stopped; /* the search was stopped early (stop.h), so there may be more races */
};

struct pf_limits {
    uint32_t window; /* maximum number of events in a window */
    uint32_t cp_window; /* events in a window of cp, whose memory grows with the square */
    uint32_t conflicts; /* solver conflicts allowed per pair and window */
    uint32_t tries; /* pairs of accesses tried per pair of sites */
    uint32_t history; /* accesses remembered per cell */
    struct pf_stop *stop; /* NULL: the search cannot be stopped */
    const pf_patterns *patterns; /* for claim PATTERN; NULL: the built-in ones */
    bool all_pairs; /* report every pair of events, not one per pair of sites (for tests) */
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
/* Sorts the races by (a, b) and removes duplicates. */
void pf_result_sort(struct pf_result *r);

/* A set of unordered pairs of numbers, such as the pairs of sites already reported. pf_pair_set_add
 * returns true if the pair was not in the set. */
struct pf_pair_set {
    struct pf_hash_map pairs; /* all values are 0 */
};
bool pf_pair_set_add(struct pf_pair_set *s, uint32_t a, uint32_t b);
bool pf_pair_set_has(const struct pf_pair_set *s, uint32_t a, uint32_t b);
void pf_pair_set_release(struct pf_pair_set *s);

#endif
