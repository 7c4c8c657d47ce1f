/*
 * engine.h - races by maximal causality, for complete and incomplete traces.
 *
 * Model:   candidates are grouped by their pair of sites. A group is first searched for a
 *          sync-preserving race of the whole trace. Otherwise it is tried from the nearest pair of
 *          accesses on, until one is confirmed, in growing windows around the pair. An accepted
 *          pair is a race of the whole trace. A rejection holds only within the window, unless the
 *          window is the whole trace.
 * Memory:  the result owns the witnesses; everything else is freed.
 * Errors:  a witness that the validator rejects is dropped and counted.
 */
#ifndef PF_ENGINE_H
#define PF_ENGINE_H

#include "analysis.h"
#include "query.h"
#include "trace_index.h"

/* How many windows each tier decided, and all of them. A pair may need several windows. */
struct pf_engine_stats {
    uint64_t order, preserve, close, solved, windows;
};

/* Runs the whole analysis; adds races and counts to `out`. */
void pf_engine_run(const struct pf_trace *t, enum pf_missing missing,
                   const struct pf_limits *limits, struct pf_result *out,
                   struct pf_engine_stats *stats);

/* Decides one pair of events in the window [lo, hi). w and p are scratch memory; w must be
 * initialised for the index. After PF_YES, p->order holds the schedule as event numbers relative to
 * lo. */
enum pf_answer pf_engine_decide(struct pf_window *w, struct pf_query *p, uint32_t lo, uint32_t hi,
                                uint32_t a, uint32_t b, uint32_t conflicts,
                                struct pf_engine_stats *stats);

/* The same for a chain of n events of the trace. All but the last `due` events (1 or 2) happen in
 * this order; afterwards, the last `due` events are the next events of their threads. */
enum pf_answer pf_engine_decide_chain(struct pf_window *w, struct pf_query *p, uint32_t lo,
                                      uint32_t hi, const uint32_t *events, uint32_t n, uint32_t due,
                                      uint32_t conflicts);

#endif
