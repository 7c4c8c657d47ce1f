/*
 * rdit.c - maximal causality from incomplete traces: what missing calls can reach keeps its order.
 */
#include "engine/engine.h"

void pf_analysis_rdit(const struct pf_trace *t, const struct pf_limits *limits,
                      struct pf_result *out)
{
    struct pf_engine_stats stats = {0};
    pf_engine_run(t, PF_MISSING_RDIT, limits, out, &stats);
}
