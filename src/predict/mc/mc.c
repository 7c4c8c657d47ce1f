/*
 * mc.c - maximal causality; missing calls are assumed to do nothing.
 */
#include "engine/engine.h"

void pf_analysis_mc(const struct pf_trace *t, const struct pf_limits *limits, struct pf_result *out)
{
    struct pf_engine_stats stats = {0};
    pf_engine_run(t, PF_MISSING_IGNORE, limits, out, &stats);
}
