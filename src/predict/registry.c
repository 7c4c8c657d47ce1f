/*
 * registry.c - the table of analyses, and helpers for their results.
 */
#include "analysis.h"
#include <string.h>

#define PF_ANALYSIS(name, claim, summary)                                                          \
    void pf_analysis_##name(const struct pf_trace *, const struct pf_limits *, struct pf_result *);
#include "analyses.def"
#undef PF_ANALYSIS

const struct pf_analysis pf_analyses[] = {
#define PF_ANALYSIS(name, claim, summary) {#name, summary, PF_CLAIM_##claim, pf_analysis_##name},
#include "analyses.def"
#undef PF_ANALYSIS
};
const size_t pf_nanalyses = sizeof pf_analyses / sizeof *pf_analyses;

const struct pf_analysis *pf_analysis_find(const char *name, size_t len)
{
    for (size_t i = 0; i < pf_nanalyses; i++)
        if (strlen(pf_analyses[i].name) == len && !memcmp(pf_analyses[i].name, name, len))
            return &pf_analyses[i];
    return NULL;
}

void pf_result_release(struct pf_result *r)
{
    for (size_t i = 0; i < r->races.len; i++)
        free(r->races.at[i].order);
    pf_vec_release(&r->races);
    pf_anomalies_release(&r->anomalies);
    pf_cycles_release(&r->cycles);
}

static int by_events(const void *x, const void *y)
{
    const struct pf_race *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

void pf_result_sort(struct pf_result *r)
{
    if (!r->races.len)
        return;
    qsort(r->races.at, r->races.len, sizeof *r->races.at, by_events);
    size_t w = 1;
    for (size_t i = 1; i < r->races.len; i++)
        if (by_events(&r->races.at[w - 1], &r->races.at[i]))
            r->races.at[w++] = r->races.at[i];
        else
            free(r->races.at[i].order);
    r->races.len = w;
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

bool pf_pair_set_has(const struct pf_pair_set *s, uint32_t a, uint32_t b)
{
    return pf_hash_map_find(&s->pairs, pair_key(a, b)) != PF_HASH_NONE;
}

bool pf_pair_set_add(struct pf_pair_set *s, uint32_t a, uint32_t b)
{
    if (pf_pair_set_has(s, a, b))
        return false;
    pf_hash_map_add(&s->pairs, pair_key(a, b), 0);
    return true;
}

void pf_pair_set_release(struct pf_pair_set *s) { pf_hash_map_release(&s->pairs); }
