/*
 * blind_races.h - a race detector that knows only thread creation and joins, for tests: it reports
 * accesses that a lock protects, too. Such false reports must be judged single-ordering.
 *
 * Model:   happens-before by vector clocks over fork and join. For each place, the last read and
 *          the last write of every thread are kept. One pair of accesses is reported for each pair
 *          of sites.
 * Memory:  the caller releases the pairs.
 * Cost:    O(events * threads).
 */
#ifndef PF_JUDGE_BLIND_RACES_H
#define PF_JUDGE_BLIND_RACES_H

#include "trace.h"

struct pf_blind_race {
    uint32_t a, b; /* a comes first in the trace */
};
typedef PF_VEC(struct pf_blind_race) pf_blind_races;

void pf_blind_races_find(const struct pf_trace *t, pf_blind_races *out);

#endif
