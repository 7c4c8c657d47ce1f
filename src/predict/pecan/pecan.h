/*
 * pecan.h - access anomalies by pattern: search, and a schedule for each (PECAN).
 *
 * Model:   an anomaly is a pattern and the events that match it. To follow its schedule, run the
 *          trace up to `start`, then the events of `order`, which end with the last event of the
 *          pattern. `witnessed`: the validator executed it and every read that matters saw its
 *          value of the trace, so the schedule is feasible. Otherwise only re-execution can decide.
 * Memory:  the result owns the schedules.
 */
#ifndef PF_PECAN_H
#define PF_PECAN_H

#include "search.h"

struct pf_anomaly {
    uint32_t pattern;
    uint32_t event[PF_PATTERN_MAX];
    uint32_t start, norder;
    uint32_t *order;
    bool witnessed;
    enum pf_region_evidence evidence; /* that its regions are meant to be atomic */
    struct pf_match_region region[2];
};

struct pf_anomalies {
    PF_VEC(struct pf_anomaly) at;
    struct pf_pattern_search_result search;
};

struct pf_limits; /* analysis.h */

void pf_pecan(const struct pf_trace *t, const pf_patterns *patterns, const struct pf_limits *limits,
              struct pf_anomalies *out);
/* For anomalies that were tried and did not happen: searches the same tuples of sites again, for
 * other events. Finds at most one new anomaly for each tuple, and none for other tuples. stop: may
 * be NULL. */
void pf_pecan_others(const struct pf_trace *t, const pf_patterns *patterns,
                     const struct pf_anomaly *tried, size_t n, struct pf_stop *stop,
                     struct pf_anomalies *out);
void pf_anomalies_release(struct pf_anomalies *a);

#endif
