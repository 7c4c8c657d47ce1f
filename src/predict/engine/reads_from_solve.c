/*
 * reads_from_solve.c - see reads_from_solve.h. The question as clauses: for every read r of write w
 * and every other write x to the same cell, x comes before w or after r. The solver's theory makes
 * each assignment an order. Pairs that saturation has decided need no variable.
 */
#include "reads_from_solve.h"
#include "hash_map.h"
#include "solver.h"
#include <string.h>

#define CLAUSES_MAX 200000 /* a larger question is not decided */

struct rf_encoder {
    struct pf_rf_query *q;
    struct pf_solver s;
    struct pf_hash_map vars; /* literal of "a before b", by (a, b) */
    bool contradiction;
};

static pf_lit before(struct rf_encoder *x, uint32_t a, uint32_t b)
{
    if (pf_rf_query_before(x->q, a, b))
        return PF_LIT_TRUE;
    if (pf_rf_query_before(x->q, b, a))
        return PF_LIT_FALSE;
    uint64_t key = (uint64_t)a << 32 | b;
    pf_lit lit = pf_hash_map_find(&x->vars, key);
    if (lit == PF_HASH_NONE) {
        lit = pf_solver_order(&x->s, a, b, a < b);
        pf_hash_map_add(&x->vars, key, lit);
    }
    return lit;
}

/* The edges that saturation started from and derived; the latter include those of the changed
 * node. */
static void fix_edges(struct rf_encoder *x)
{
    const struct pf_rf_query *q = x->q;
    const struct pf_rf_graph *g = q->g;
    for (uint32_t e = 0; e < g->nodes.len; e++) {
        const struct pf_rf_node *n = &g->nodes.at[e];
        if (!pf_rf_query_has(q, e))
            continue;
        if (n->pos && !pf_solver_fix(&x->s, pf_rf_node_at(g, n->thread, n->pos - 1), e))
            x->contradiction = true;
        for (uint32_t k = g->succ_at[e]; k < g->succ_at[e + 1]; k++)
            if (pf_rf_query_has(q, g->succ[k]) && g->succ[k] != q->changed &&
                !pf_solver_fix(&x->s, e, g->succ[k]))
                x->contradiction = true;
    }
    for (size_t k = 0; k < q->derived.len; k += 3)
        if (!pf_solver_fix(&x->s, q->derived.at[k], q->derived.at[k + 1]))
            x->contradiction = true;
}

static void add_read(struct rf_encoder *x, uint32_t access)
{
    const struct pf_rf_graph *g = x->q->g;
    uint32_t r = g->owner[access], w = pf_rf_query_source(x->q, access);
    uint32_t cell = g->accesses.at[access].cell;
    for (uint32_t k = g->user_at[cell]; k < g->user_at[cell + 1]; k++) {
        uint32_t e = g->owner[g->users[k]];
        if (!pf_rf_query_writes(x->q, g->users[k]) || e == r || e == w || !pf_rf_query_has(x->q, e))
            continue;
        pf_lit lits[2] = {before(x, r, e), w == PF_SOURCE_INITIAL ? PF_LIT_FALSE : before(x, e, w)};
        if (lits[0] != PF_LIT_TRUE && lits[1] != PF_LIT_TRUE)
            pf_solver_clause(&x->s, lits, 2);
    }
}

/* How many clauses the question has at most. */
static uint64_t count_clauses(const struct pf_rf_query *q)
{
    const struct pf_rf_graph *g = q->g;
    uint64_t n = 0;
    for (uint32_t c = 0; c < g->ncells; c++) {
        size_t first = (size_t)c * g->nthreads, end = first + g->nthreads;
        n += (uint64_t)(g->reader_at[end] - g->reader_at[first]) *
             (g->writer_at[end] - g->writer_at[first]);
    }
    return n;
}

enum pf_answer pf_rf_query_solve(struct pf_rf_query *q, uint32_t conflicts)
{
    const struct pf_rf_graph *g = q->g;
    struct rf_encoder x = {.q = q};
    if (count_clauses(q) > CLAUSES_MAX)
        return PF_UNKNOWN;
    uint32_t n = (uint32_t)g->nodes.len;
    pf_solver_start(&x.s, n);
    fix_edges(&x);
    for (uint32_t k = 0; k < g->accesses.len; k++)
        if (pf_rf_query_has(q, g->owner[k]) && pf_rf_query_source(q, k) != PF_SOURCE_NONE)
            add_read(&x, k);
    int r = x.contradiction ? -1 : pf_solver_run(&x.s, conflicts);
    if (r > 0) {
        uint32_t *at = pf_mem_resize(NULL, n + 1u, sizeof *at);
        memset(at, 0xff, n * sizeof *at);
        for (uint32_t e = 0; e < n; e++)
            if (pf_rf_query_has(q, e))
                at[x.s.rank[e]] = e;
        pf_vec_clear(&q->order);
        for (uint32_t i = 0; i < n; i++)
            if (at[i] != PF_NONE)
                pf_vec_push(&q->order, at[i]);
        free(at);
    }
    pf_hash_map_release(&x.vars);
    pf_solver_release(&x.s);
    return r > 0 ? PF_YES : r < 0 ? PF_NO : PF_UNKNOWN;
}
