/*
 * rdit.c - maximal causality for incomplete traces: events on data that a missing call reaches keep
 * their order.
 */
#include "engine/engine.h"

void pf_analysis_rdit(const struct pf_trace *t, const struct pf_limits *limits,
                      struct pf_result *out)
{
    struct pf_engine_stats stats = {0};
    pf_engine_run(t, PF_MISSING_RDIT, limits, out, &stats);
}
