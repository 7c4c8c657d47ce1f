/*
 * hybrid.c - the hybrid analysis of O'Callahan and Choi: reports the candidate pairs, one per pair
 * of sites.
 */
#include "candidates.h"

struct hybrid_run {
    const struct pf_trace *t;
    struct pf_result *out;
    struct pf_pair_set seen;
    bool all_pairs;
};

/* One pair per pair of sites is reported, so the older accesses add nothing. */
static void pair(void *arg, uint32_t a, uint32_t b, uint32_t older)
{
    (void)older;
    struct hybrid_run *r = arg;
    r->out->pairs++;
    if (r->all_pairs || pf_pair_set_add(&r->seen, r->t->events.at[a].site, r->t->events.at[b].site))
        pf_vec_push(&r->out->races, (struct pf_race){.a = a, .b = b});
}

void pf_analysis_hybrid(const struct pf_trace *t, const struct pf_limits *limits,
                        struct pf_result *out)
{
    struct hybrid_run r = {.t = t, .out = out, .all_pairs = limits->all_pairs};
    pf_candidates_each(t, limits, out, pair, &r);
    pf_pair_set_release(&r.seen);
    pf_result_sort(out);
}
