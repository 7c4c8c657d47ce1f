// sources: src/predict/engine/reads_from.c src/predict/engine/reads_from_solve.c
// sources: src/predict/engine/reads_from_check.c src/predict/engine/reads_from_saturate.c
// sources: src/predict/engine/solver.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c
// flags: -D_GNU_SOURCE -O1
/*
 * predict_reads_from.c - the question "can these operations be ordered" against a search through
 * all orders, on small random executions. Saturation may refuse a node only if no order
 * exists with it, and it derives everything that follows from its two rules for all pairs.
 */
#include "engine/reads_from.h"
#include "engine/reads_from_solve.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 3
#define NODES 12
#define CELLS 3
#define ROUNDS 30000
#define LEAST 3000 /* answers of each kind, for a meaningful comparison */

static uint64_t state;
static uint32_t draw(uint32_t n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % n;
}

/* A random execution: every read sees the last write. */
static void make_execution(struct pf_rf_graph *g)
{
    uint32_t last[CELLS], length[THREADS] = {0}, latest[THREADS];
    pf_rf_graph_clear(g);
    g->nthreads = THREADS;
    g->ncells = CELLS;
    for (int c = 0; c < CELLS; c++)
        last[c] = PF_SOURCE_INITIAL;
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t t = draw(THREADS), naccesses = 1 + (draw(4) == 0);
        pf_vec_push(&g->nodes,
                    (struct pf_rf_node){t, length[t]++, (uint32_t)g->accesses.len, naccesses});
        uint32_t first = draw(CELLS);
        for (uint32_t k = 0; k < naccesses; k++) {
            uint32_t c = (first + k) % CELLS, kind = draw(3);
            pf_vec_push(&g->accesses,
                        (struct pf_rf_access){c, kind == 0 ? PF_SOURCE_NONE : last[c], kind != 1});
        }
        for (uint32_t k = g->nodes.at[i].access0; k < g->accesses.len; k++)
            if (g->accesses.at[k].writes)
                last[g->accesses.at[k].cell] = i;
        latest[t] = i;
        uint32_t other = draw(THREADS);
        if (draw(8) == 0 && other != t && length[other])
            pf_vec_push(&g->edges, (struct pf_rf_edge){latest[other], i});
    }
    pf_rf_graph_seal(g);
}

/* Does any order of the nodes in `keep` exist? Tries every next node. */
static bool search(const struct pf_rf_query *q, const uint32_t *keep, uint32_t *done,
                   uint32_t *last)
{
    const struct pf_rf_graph *g = q->g;
    bool all = true;
    for (uint32_t t = 0; t < THREADS; t++) {
        if (done[t] == keep[t])
            continue;
        all = false;
        uint32_t e = pf_rf_node_at(g, t, done[t]);
        const struct pf_rf_node *n = &g->nodes.at[e];
        bool ok = true;
        for (size_t k = 0; k < g->edges.len && ok; k++)
            if (g->edges.at[k].to == e) {
                const struct pf_rf_node *from = &g->nodes.at[g->edges.at[k].from];
                ok = from->pos < done[from->thread];
            }
        for (uint32_t k = 0; k < n->naccesses && ok; k++) {
            const struct pf_rf_access *a = &g->accesses.at[n->access0 + k];
            uint32_t source = e == q->changed ? q->sources[k] : a->source;
            ok = source == PF_SOURCE_NONE || source == last[a->cell];
        }
        if (!ok)
            continue;
        uint32_t then[CELLS];
        memcpy(then, last, sizeof then);
        for (uint32_t k = 0; k < n->naccesses; k++)
            if (e == q->changed ? q->writes[k] : g->accesses.at[n->access0 + k].writes)
                then[g->accesses.at[n->access0 + k].cell] = e;
        done[t]++;
        bool found = search(q, keep, done, then);
        done[t]--;
        if (found)
            return true;
    }
    return all;
}

static bool has_order(const struct pf_rf_query *q, const uint32_t *keep)
{
    uint32_t done[THREADS] = {0}, last[CELLS];
    for (int c = 0; c < CELLS; c++)
        last[c] = PF_SOURCE_INITIAL;
    return search(q, keep, done, last);
}

/* Random new sources for a random node. */
static void change(const struct pf_rf_graph *g, uint32_t *changed, uint32_t sources[2],
                   bool writes[2])
{
    *changed = draw(NODES);
    const struct pf_rf_node *n = &g->nodes.at[*changed];
    for (uint32_t k = 0; k < n->naccesses; k++) {
        const struct pf_rf_access *a = &g->accesses.at[n->access0 + k];
        sources[k] = a->source;
        writes[k] = a->writes;
        uint32_t pick = draw(NODES + 1);
        if (a->source == PF_SOURCE_NONE)
            continue;
        writes[k] ^= draw(4) == 0;
        sources[k] = PF_SOURCE_INITIAL;
        for (uint32_t i = g->user_at[a->cell]; i < g->user_at[a->cell + 1]; i++) {
            uint32_t e = g->owner[g->users[i]];
            if (g->accesses.at[g->users[i]].writes && e <= pick && !pf_rf_before(g, *changed, e))
                sources[k] = e;
        }
    }
}

/* True if the rules of reads_from_saturate.c derive nothing more, for any read and any write. */
static bool is_saturated(const struct pf_rf_query *q)
{
    const struct pf_rf_graph *g = q->g;
    for (uint32_t a = 0; a < g->accesses.len; a++)
        for (uint32_t b = 0; b < g->accesses.len; b++) {
            uint32_t r = g->owner[a], w = pf_rf_query_source(q, a), x = g->owner[b];
            if (w == PF_SOURCE_NONE || !pf_rf_query_writes(q, b) || x == r || x == w ||
                g->accesses.at[a].cell != g->accesses.at[b].cell || !pf_rf_query_has(q, r) ||
                !pf_rf_query_has(q, x))
                continue;
            bool later = w == PF_SOURCE_INITIAL || pf_rf_query_before(q, w, x);
            if ((later && !pf_rf_query_before(q, r, x)) ||
                (!later && pf_rf_query_before(q, x, r) && !pf_rf_query_before(q, x, w)))
                return false;
        }
    return true;
}

static void compares_with_all_orders(void **unused)
{
    (void)unused;
    struct pf_rf_graph g = {0};
    struct pf_rf_query q = {0};
    uint64_t yes = 0, refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t changed, sources[2], keep[THREADS];
        bool writes[2];
        state = (uint64_t)round * 77 + 1;
        make_execution(&g);
        change(&g, &changed, sources, writes);
        pf_rf_query_start(&q, &g, changed, sources, writes);
        for (int pass = 0; pass < 2; pass++) /* the changed node may need later ones */
            for (uint32_t e = 0; e < g.nodes.len; e++) {
                bool after = pf_rf_before(&g, changed, e) && e != changed;
                if (after || !pf_rf_query_can_add(&q, e))
                    continue;
                memcpy(keep, q.keep, sizeof keep);
                keep[g.nodes.at[e].thread]++;
                bool added = pf_rf_query_add(&q, e);
                refused += !added;
                if (!added && has_order(&q, keep))
                    fail_msg("round %d: node %u was refused, but there is an order", round, e);
                if (!is_saturated(&q))
                    fail_msg("round %d: node %u: the order is not saturated", round, e);
            }
        enum pf_answer answer = pf_rf_query_decide(&q, 100000);
        yes += answer == PF_YES;
        if ((answer == PF_YES) != has_order(&q, q.keep))
            fail_msg("round %d: the answer is %d", round, answer);
    }
    printf("%llu answers with an order, %llu nodes refused, %llu by the solver\n",
           (unsigned long long)yes, (unsigned long long)refused, (unsigned long long)q.solved);
    assert_true(yes > LEAST && refused > LEAST);
    pf_rf_query_release(&q);
    pf_rf_graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compares_with_all_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
