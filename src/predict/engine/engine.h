/*
 * engine.h - races by maximal causality, for complete and incomplete traces.
 *
 * Model:   candidates in buckets of one pair of sites, nearest first, until one is confirmed; each
 *          in windows around the pair that grow. An accept holds for the whole trace; a reject
 *          holds for the window only, unless the window is the trace.
 * Errors:  a witness that the validator refuses is dropped and counted.
 */
#ifndef PF_ENGINE_H
#define PF_ENGINE_H

#include "analysis.h"
#include "pair.h"
#include "trace_index.h"

/* Which tier settled how many pairs. */
struct pf_engine_stats {
    uint64_t order, preserve, close, solved, windows, conflicts;
};

void pf_engine_run(const struct pf_trace *t, enum pf_missing missing,
                   const struct pf_limits *limits, struct pf_result *out,
                   struct pf_engine_stats *stats);

/* One pair in one window [lo, hi); w and p are scratch, w initialised for the index. On PF_YES the
 * order is in p->order, as events of the window. */
enum pf_answer pf_engine_ask(struct pf_window *w, struct pf_pair *p, uint32_t lo, uint32_t hi,
                             uint32_t a, uint32_t b, uint32_t conflicts,
                             struct pf_engine_stats *stats);

/* The same for a chain of events of the trace: all but the last `due` (1 or 2) happen in this order,
 * the last ones are then the next of their threads. */
enum pf_answer pf_engine_ask_chain(struct pf_window *w, struct pf_pair *p, uint32_t lo, uint32_t hi,
                                   const uint32_t *events, uint32_t n, uint32_t due,
                                   uint32_t conflicts);

#endif
