/*
 * stuck_end.c - see stuck_end.h. A combination of stops has only one set of operations: a thread
 * without a stop runs on until its next operation depends on one that is not in the set. If it
 * waits there for a lock, a message or another thread, it may be blocked; otherwise it could run,
 * and the execution is not stuck. The set determines whether a lock is held, because this follows
 * from what the operations read.
 */
#include "stuck_end.h"
#include "beginning.h"
#include "exec_builder.h"
#include <string.h>

#define TRIED_MAX 1024 /* combinations of stops of one execution */

struct stops {
    struct pf_choice *c;
    uint32_t *most; /* per thread: the nodes before its stop; PF_NONE: it has none */
    PF_VEC(struct pf_rf_last) lasts;
    uint64_t hash; /* of the stops */
    uint32_t tried;
};

static bool is_collected(const struct pf_rf_query *q, const struct pf_rf_graph *g, uint32_t e)
{
    for (uint32_t k = g->pred_at[e]; k < g->pred_at[e + 1]; k++)
        if (!pf_rf_query_has(q, g->pred[k]))
            return false;
    return true;
}

/* True if thread t, of which `keep` nodes were collected, may be unable to run. */
static bool may_be_blocked(const struct pf_execution *x, const struct pf_rf_query *q, uint32_t t,
                           uint32_t keep)
{
    if (keep == x->threads.at[t].length)
        return true; /* it has ended, or was blocked at the end */
    uint32_t e = pf_rf_node_at(&x->g, t, keep), flags = x->nodes.at[e].flags;
    return !is_collected(q, &x->g, e) ||
           (flags & (PF_EXEC_ACQUIRES | PF_EXEC_TAKES) && !(flags & PF_EXEC_TRIES));
}

/* Collects the operations of the combination. False: they do not end stuck. */
static bool collect(struct stops *k)
{
    const struct pf_execution *x = k->c->x;
    const struct pf_rf_graph *g = &x->g;
    struct pf_rf_query *q = &k->c->s->query;
    uint32_t final = (uint32_t)x->threads.len - 1;
    pf_rf_query_start(q, g, PF_NONE, NULL, NULL);
    pf_rf_query_end_with(q, k->lasts.at, (uint32_t)k->lasts.len);
    for (uint32_t e = 0; e < g->nodes.len; e++) {
        uint32_t t = g->nodes.at[e].thread, pos = g->nodes.at[e].pos;
        if (t != final && pos < k->most[t] && pos < x->threads.at[t].length &&
            !(x->nodes.at[e].flags & PF_EXEC_STOPS) && pf_rf_query_can_add(q, e) &&
            !pf_rf_query_add(q, e))
            return false;
    }
    for (size_t i = 0; i < k->lasts.len; i++)
        if (k->lasts.at[i].source != PF_SOURCE_INITIAL &&
            !pf_rf_query_has(q, k->lasts.at[i].source))
            return false;
    for (uint32_t t = 0; t < final; t++)
        if (k->most[t] != PF_NONE ? q->keep[t] != k->most[t] : !may_be_blocked(x, q, t, q->keep[t]))
            return false;
    return true;
}

static void try_stops(struct stops *k)
{
    struct pf_search *s = k->c->s;
    const struct pf_execution *x = k->c->x;
    if (!k->lasts.len || !collect(k))
        return;
    /* a guess: it is not known that the thread waits after these reads in every iteration, so the
     * run may leave the loop */
    struct pf_beginning b = {.depth = k->c->depth + 1, .guess = true, .stuck = true};
    uint64_t hash = k->hash;
    for (uint32_t t = 0; t + 1 < x->threads.len; t++)
        if (s->query.keep[t]) {
            uint64_t h = x->nodes.at[pf_rf_node_at(&x->g, t, s->query.keep[t] - 1)].history;
            hash += pf_exec_mix(h, 19);
            pf_vec_push(&b.frontier, h);
        }
    enum pf_answer answer = PF_NO;
    if (pf_hash_map_find(&s->asked, hash) == PF_HASH_NONE && !pf_search_has(s, &b))
        answer = pf_rf_query_decide(&s->query, PF_BEGINNING_CONFLICTS);
    pf_hash_map_put(&s->asked, hash, 0);
    s->unknown += answer == PF_UNKNOWN;
    if (answer != PF_YES) {
        pf_beginning_release(&b);
        return;
    }
    const struct pf_target none = {.x = k->c->x, .node = PF_NONE};
    pf_beginning_add_order(s, &b, &none, s->query.order.at, s->query.order.len);
    pf_vec_push(&s->beginnings, b);
}

static void choose_stop(struct stops *k, uint32_t thread);

/* Chooses what the accesses of the stop c->node read, from the a-th on. */
static void choose_reads(struct stops *k, uint32_t a)
{
    struct pf_choice *c = k->c;
    const struct pf_rf_graph *g = &c->x->g;
    const struct pf_rf_node *n = &g->nodes.at[c->node];
    if (a == n->naccesses) {
        uint32_t node = c->node;
        if (!pf_choice_only_waits(c))
            return;
        uint64_t h = pf_exec_mix(pf_execution_history_with(c->x, node, c->sources, 0), 23);
        uint32_t *kept = pf_mem_resize(NULL, n->naccesses + 1u, sizeof *kept);
        memcpy(kept, c->sources, n->naccesses * sizeof *kept);
        k->hash += h;
        choose_stop(k, n->thread + 1);
        k->hash -= h;
        memcpy(c->sources, kept, n->naccesses * sizeof *kept);
        free(kept);
        c->node = node;
        return;
    }
    uint32_t cell = g->accesses.at[n->access0 + a].cell;
    c->sources[a] = PF_SOURCE_NONE;
    if (g->accesses.at[n->access0 + a].source == PF_SOURCE_NONE) {
        choose_reads(k, a + 1);
        return;
    }
    pf_vec_push(&k->lasts, (struct pf_rf_last){cell, PF_SOURCE_INITIAL});
    size_t at = k->lasts.len - 1;
    c->sources[a] = PF_SOURCE_INITIAL;
    choose_reads(k, a + 1);
    for (uint32_t i = g->user_at[cell]; i < g->user_at[cell + 1]; i++) {
        uint32_t e = g->owner[g->users[i]];
        if (!g->accesses.at[g->users[i]].writes || e == c->node ||
            c->x->nodes.at[e].flags & PF_EXEC_PENDING || pf_rf_before(g, c->node, e))
            continue;
        k->lasts.at[at].source = c->sources[a] = e;
        choose_reads(k, a + 1);
    }
    k->lasts.len = at;
}

/* Chooses the stops of the threads from this one on. */
static void choose_stop(struct stops *k, uint32_t thread)
{
    struct pf_choice *c = k->c;
    const struct pf_rf_graph *g = &c->x->g;
    if (k->tried >= TRIED_MAX || pf_search_stops(c->s))
        return;
    if (thread + 1 == c->x->threads.len) {
        c->s->capped += ++k->tried == TRIED_MAX;
        try_stops(k);
        return;
    }
    choose_stop(k, thread + 1);
    for (uint32_t pos = 0; pos < pf_rf_length(g, thread); pos++) {
        c->node = pf_rf_node_at(g, thread, pos);
        if (!c->x->nodes.at[c->node].state)
            continue;
        k->most[thread] = pos;
        c->choice = 0;
        choose_reads(k, 0);
    }
    k->most[thread] = PF_NONE;
}

void pf_stuck_find(struct pf_choice *c)
{
    struct stops k = {.c = c, .most = pf_mem_resize(NULL, c->x->g.nthreads + 1u, sizeof *k.most)};
    memset(k.most, 0xff, (c->x->g.nthreads + 1u) * sizeof *k.most);
    if (c->s->spins.len)
        choose_stop(&k, 0);
    free(k.most);
    pf_vec_release(&k.lasts);
}
