/*
 * reads_from_check.c - checks an answer to a question of reads_from.h by executing it: every node
 * happens once, after those that must come before it, and reads what the question says.
 */
#include "reads_from.h"
#include <string.h>

static bool runs(const struct pf_rf_query *q, uint32_t *last, uint32_t *done)
{
    const struct pf_rf_graph *g = q->g;
    const uint32_t *order = q->order.at;
    for (uint32_t c = 0; c < g->ncells; c++)
        last[c] = PF_SOURCE_INITIAL;
    for (size_t i = 0; i < q->order.len; i++) {
        bool changed = order[i] == q->changed;
        const struct pf_rf_node *e = &g->nodes.at[order[i]];
        if (e->pos != done[e->thread] || e->pos >= q->keep[e->thread])
            return false;
        done[e->thread]++;
        for (uint32_t k = 0; k < e->naccesses; k++) {
            const struct pf_rf_access *a = &g->accesses.at[e->access0 + k];
            uint32_t source = changed ? q->sources[k] : a->source;
            if (source != PF_SOURCE_NONE && last[a->cell] != source)
                return false;
        }
        for (uint32_t k = 0; k < e->naccesses; k++)
            if (changed ? q->writes[k] : g->accesses.at[e->access0 + k].writes)
                last[g->accesses.at[e->access0 + k].cell] = order[i];
    }
    for (uint32_t i = 0; i < q->nlasts; i++)
        if (last[q->lasts[i].cell] != q->lasts[i].source)
            return false;
    return true;
}

bool pf_rf_order_valid(const struct pf_rf_query *q)
{
    const struct pf_rf_graph *g = q->g;
    uint32_t *last = pf_mem_zero(g->ncells + 1u, sizeof *last);
    uint32_t *done = pf_mem_zero(g->nthreads + 1u, sizeof *done);
    uint32_t *at = pf_mem_resize(NULL, g->nodes.len + 1, sizeof *at);
    bool ok = runs(q, last, done);
    for (uint32_t t = 0; t < g->nthreads; t++)
        ok &= done[t] == q->keep[t];
    memset(at, 0xff, g->nodes.len * sizeof *at);
    for (size_t i = 0; i < q->order.len && ok; i++)
        at[q->order.at[i]] = (uint32_t)i;
    for (size_t k = 0; k < g->edges.len && ok; k++) {
        uint32_t from = at[g->edges.at[k].from], to = at[g->edges.at[k].to];
        ok = to == PF_NONE || from < to;
    }
    free(last);
    free(done);
    free(at);
    return ok;
}
