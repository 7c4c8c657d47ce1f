/*
 * sb.c - the strawman of the RDIT paper: all missing calls keep their order, whatever they reach.
 */
#include "engine/engine.h"

void pf_analysis_sb(const struct pf_trace *t, const struct pf_limits *limits, struct pf_result *out)
{
    struct pf_engine_stats stats = {0};
    pf_engine_run(t, PF_MISSING_SB, limits, out, &stats);
}
