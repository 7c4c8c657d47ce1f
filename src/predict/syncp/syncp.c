/*
 * syncp.c - sync-preserving races over the whole trace; missing calls are ignored. Only lists of
 * accesses that contain a candidate pair are searched.
 */
#include "candidates.h"
#include "engine/sync_preserving.h"
#include "engine/validate.h"

struct syncp_run {
    const struct pf_trace *t;
    const struct pf_limits *limits;
    struct pf_sync_preserving *s;
    struct pf_pair_set found; /* pairs of sites */
    struct pf_result *out;
};

/* The older accesses are in the lists that are searched. */
static void candidate(void *arg, uint32_t a, uint32_t b, uint32_t older)
{
    struct syncp_run *r = arg;
    uint32_t x = r->t->events.at[a].site, y = r->t->events.at[b].site;
    struct pf_race race;
    (void)older;
    if (!r->limits->all_pairs && pf_pair_set_has(&r->found, x, y))
        return;
    if (pf_stop_poll(r->limits->stop, "events", b, r->t->events.len)) {
        r->out->stopped = true;
        return;
    }
    r->out->pairs++;
    if (r->limits->all_pairs ? !pf_sync_preserving_pair(r->s, a, b, &race)
                             : !pf_sync_preserving_search(r->s, a, b, &race))
        return;
    pf_vec_push(&r->out->races, race);
    pf_pair_set_add(&r->found, x, y);
}

void pf_analysis_syncp(const struct pf_trace *t, const struct pf_limits *limits,
                       struct pf_result *out)
{
    struct syncp_run r = {.t = t, .limits = limits, .out = out};
    struct pf_trace_index x;
    pf_trace_index_init(&x, t, PF_MISSING_IGNORE);
    r.s = pf_sync_preserving_new(&x);
    pf_candidates_each(t, limits, out, candidate, &r);
    pf_validate_result(t, PF_RULE_NONE, limits->stop, out);
    pf_result_sort(out);
    pf_sync_preserving_free(r.s);
    pf_pair_set_release(&r.found);
    pf_trace_index_release(&x);
}
