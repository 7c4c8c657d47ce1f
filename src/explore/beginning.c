/*
 * beginning.c - see beginning.h. A set of nodes that is closed under program order, sources and
 * edges is given by a number of nodes for each thread. The core of a target has the sources that
 * are chosen for its node, and all nodes that come before these or before the node. The maximal
 * consistent sets that contain the core are found by adding the other nodes in the order of the
 * execution and skipping those that contradict the set so far. Every other maximal set contains one
 * of the skipped nodes, so each of them is tried as a part of a larger core.
 */
#include "beginning.h"
#include "exec_builder.h"
#include <string.h>

#define CORES_MAX 64      /* cores tried for one target */
#define LARGE 1000 /* in an execution with more operations, only one core is tried at first */

void pf_beginning_past(const struct pf_execution *x, uint32_t node, uint32_t *past)
{
    const struct pf_rf_graph *g = &x->g;
    const struct pf_rf_node *n = &g->nodes.at[node];
    uint32_t nt = g->nthreads;
    memset(past, 0, nt * sizeof *past);
    if (n->pos)
        memcpy(past, g->clock + (size_t)pf_rf_node_at(g, n->thread, n->pos - 1) * nt,
               nt * sizeof *past);
    for (uint32_t k = g->pred_at[node]; k < g->pred_at[node + 1]; k++)
        for (uint32_t u = 0; u < nt; u++) {
            uint32_t v = g->clock[(size_t)g->pred[k] * nt + u];
            past[u] = v > past[u] ? v : past[u];
        }
}

/* Sets keep[t] to the number of nodes of thread t that do not depend on what `node` reads; in its
 * own thread, `node` itself is counted. */
static void largest(const struct pf_execution *x, uint32_t node, uint32_t *keep)
{
    const struct pf_rf_graph *g = &x->g;
    const struct pf_rf_node *n = &g->nodes.at[node];
    for (uint32_t t = 0; t < g->nthreads; t++) {
        uint32_t lo = 0, hi = x->threads.at[t].length;
        while (lo < hi) { /* the first node that comes after `node` */
            uint32_t mid = (lo + hi) / 2;
            if (g->clock[(size_t)pf_rf_node_at(g, t, mid) * g->nthreads + n->thread] > n->pos)
                hi = mid;
            else
                lo = mid + 1;
        }
        keep[t] = lo;
        /* the end of the process comes after everything, so it is a target of its own */
        if (lo && x->nodes.at[pf_rf_node_at(g, t, lo - 1)].flags & PF_EXEC_STOPS)
            keep[t]--;
    }
    keep[n->thread] = n->pos + 1;
}

uint64_t pf_beginning_hash(const struct pf_execution *x, uint32_t node, const uint32_t *sources,
                           uint32_t choice)
{
    const struct pf_rf_graph *g = &x->g;
    uint32_t *keep = pf_mem_resize(NULL, g->nthreads + 1u, sizeof *keep);
    largest(x, node, keep);
    uint64_t sum = 0;
    for (uint32_t t = 0; t < g->nthreads; t++)
        if (keep[t] && t != g->nodes.at[node].thread)
            sum += pf_exec_mix(x->nodes.at[pf_rf_node_at(g, t, keep[t] - 1)].history, 5);
    free(keep);
    return pf_exec_mix(sum, pf_execution_history_with(x, node, sources, choice));
}

/* --- plans --- */

static void add_step(struct pf_beginning *b, uint32_t thread, uint64_t until, uint32_t runs_on)
{
    struct pf_schedule_plan_step *last = b->plan.len ? &b->plan.at[b->plan.len - 1] : NULL;
    if (last && last->thread == thread) {
        last->until = until > last->until ? until : last->until;
        last->asked = runs_on;
    } else
        pf_vec_push(&b->plan, (struct pf_schedule_plan_step){
                                  .thread = thread, .asked = runs_on, .until = until});
}

/* Adds steps before a notification that make it wake the threads that it woke in the execution, or
 * that the target asks for. */
static void add_waits(struct pf_beginning *b, uint32_t node, const struct pf_target *t,
                      const uint32_t *number)
{
    const struct pf_execution *x = t->x;
    const struct pf_exec_queued *queue = NULL;
    bool changed = t->node == node, all = x->nodes.at[node].flags & PF_EXEC_BROADCASTS;
    uint32_t choice = changed ? t->choice : x->nodes.at[node].choice;
    uint32_t n = pf_execution_queue(x, node, changed ? t->sources : NULL, &queue);
    for (uint32_t i = 0; i < n; i++) {
        bool expires = all ? i < 32 && choice >> i & 1 : !choice;
        if (expires || (choice == 1 + i && n > 1 && !all))
            pf_vec_push(&b->plan, (struct pf_schedule_plan_step){.thread = expires ? PF_PLAN_EXPIRE
                                                                                   : PF_PLAN_FIRST,
                                                                 .asked = number[queue[i].thread]});
    }
}

void pf_beginning_add_order(const struct pf_search *s, struct pf_beginning *b,
                            const struct pf_target *t, const uint32_t *order, size_t n)
{
    const struct pf_execution *x = t->x;
    uint32_t *number = pf_mem_zero(x->threads.len + 1, sizeof *number), created = 0;
    for (uint32_t pos = 0; pos < x->threads.at[0].length; pos++) {
        const struct pf_exec_node *e = &x->nodes.at[pf_rf_node_at(&x->g, 0, pos)];
        if (e->index <= s->main_events && e->forks != PF_NONE) /* these come first in every order */
            number[e->forks] = ++created;
    }
    for (size_t i = 0; i < n; i++) {
        const struct pf_exec_node *e = &x->nodes.at[order[i]];
        uint32_t thread = x->g.nodes.at[order[i]].thread;
        if (thread + 1 == x->threads.len)
            continue; /* the final thread */
        if (e->forks != PF_NONE && !number[e->forks])
            number[e->forks] = ++created;
        if (e->flags & (PF_EXEC_SIGNALS | PF_EXEC_BROADCASTS)) {
            if (e->index)
                add_step(b, number[thread], e->index - 1, 0);
            add_waits(b, order[i], t, number);
        }
        add_step(b, number[thread], e->flags & PF_EXEC_ENDS ? PF_PLAN_END : e->index,
                 !e->index || e->flags & (PF_EXEC_SECOND | PF_EXEC_TIMED));
    }
    free(number);
}

/* --- consistent sets --- */

struct set_finder {
    struct pf_search *s;
    const struct pf_target *t;
    uint32_t *most; /* per thread: nodes of the largest set */
    uint32_t ncores;
    struct pf_hash_map cores; /* hashes of those tried */
};

static uint64_t hash_core(const uint32_t *core, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t t = 0; t < n; t++)
        h = pf_exec_mix(h, core[t]);
    return h;
}

/* Adds the nodes of the core and the changed one. False: they are inconsistent. */
static bool add_core(struct set_finder *f, const uint32_t *core)
{
    const struct pf_rf_graph *g = &f->t->x->g;
    struct pf_rf_query *q = &f->s->query;
    pf_rf_query_start(q, g, f->t->node, f->t->sources, f->t->writes);
    for (uint32_t e = 0; e < g->nodes.len; e++) {
        const struct pf_rf_node *n = &g->nodes.at[e];
        if (e != f->t->node && n->pos < core[n->thread] &&
            (!pf_rf_query_can_add(q, e) || !pf_rf_query_add(q, e)))
            return false;
    }
    return pf_rf_query_can_add(q, f->t->node) && pf_rf_query_add(q, f->t->node);
}

/* The history of the last node of thread t in the set. */
static uint64_t last_history(const struct set_finder *f, uint32_t t, uint32_t n)
{
    const struct pf_execution *x = f->t->x;
    uint32_t e = pf_rf_node_at(&x->g, t, n - 1);
    return e == f->t->node ? pf_execution_history_with(x, e, f->t->sources, f->t->choice)
                           : x->nodes.at[e].history;
}

/* If the target takes a message, notes the object and its level before: if no message is there at
 * that level, the run waits. */
static void note_message_object(const struct pf_target *t, struct pf_beginning *b)
{
    const struct pf_execution *x = t->x;
    const struct pf_rf_node *n = &x->g.nodes.at[t->node];
    bool waits = (x->nodes.at[t->node].flags & (PF_EXEC_TAKES | PF_EXEC_TRIES)) == PF_EXEC_TAKES;
    for (uint32_t k = 0; k < n->naccesses && waits; k++) {
        uint32_t source = t->sources[k], cell = x->g.accesses.at[n->access0 + k].cell;
        if (!x->accesses.at[n->access0 + k].object)
            continue;
        b->object = x->accesses.at[n->access0 + k].object;
        for (uint32_t a = 0; source < PF_SOURCE_INITIAL && a < x->g.nodes.at[source].naccesses; a++)
            if (x->g.accesses.at[x->g.nodes.at[source].access0 + a].cell == cell)
                b->level = x->accesses.at[x->g.nodes.at[source].access0 + a].level;
    }
}

static void add_beginning(struct set_finder *f)
{
    struct pf_search *s = f->s;
    const struct pf_execution *x = f->t->x;
    struct pf_beginning b = {.depth = f->t->depth + 1, .guess = f->t->guess};
    for (uint32_t t = 0; t < x->g.nthreads; t++)
        if (s->query.keep[t])
            pf_vec_push(&b.frontier, last_history(f, t, s->query.keep[t]));
    if (pf_search_has(s, &b)) {
        pf_vec_release(&b.frontier);
        return;
    }
    enum pf_answer answer = pf_rf_query_decide(&s->query, PF_BEGINNING_CONFLICTS);
    if (answer != PF_YES) { /* no order, although the query found no contradiction */
        s->unknown++;
        pf_vec_release(&b.frontier);
        return;
    }
    pf_beginning_add_order(s, &b, f->t, s->query.order.at, s->query.order.len);
    note_message_object(f->t, &b);
    pf_vec_push(&s->beginnings, b);
}

static void find_sets(struct set_finder *f, const uint32_t *core)
{
    const struct pf_rf_graph *g = &f->t->x->g;
    uint32_t nt = g->nthreads;
    pf_vec_u32 skipped = {0};
    if (pf_hash_map_put(&f->cores, hash_core(core, nt), f->ncores) != f->ncores)
        return;
    if (f->ncores++ == CORES_MAX) {
        f->s->capped++;
        return;
    }
    if (!add_core(f, core))
        return;
    struct pf_rf_query *q = &f->s->query;
    for (uint32_t e = 0; e < g->nodes.len; e++) {
        const struct pf_rf_node *n = &g->nodes.at[e];
        if (n->pos < f->most[n->thread] && pf_rf_query_can_add(q, e) && !pf_rf_query_add(q, e))
            pf_vec_push(&skipped, e);
    }
    add_beginning(f);
    if (skipped.len && g->nodes.len > LARGE && !f->t->rest) {
        pf_search_defer(f->s, f->t);
        pf_vec_clear(&skipped);
    }
    uint32_t *larger = pf_mem_resize(NULL, nt + 1u, sizeof *larger);
    for (size_t i = 0; i < skipped.len; i++) {
        const uint32_t *c = g->clock + (size_t)skipped.at[i] * nt;
        for (uint32_t t = 0; t < nt; t++)
            larger[t] = c[t] > core[t] ? c[t] : core[t];
        find_sets(f, larger);
    }
    free(larger);
    pf_vec_release(&skipped);
}

static void join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t u = 0; u < n; u++)
        to[u] = from[u] > to[u] ? from[u] : to[u];
}

/* The execution without the operation that ended the process, then one more event of the thread. */
static void continue_thread(struct pf_search *s, const struct pf_target *t)
{
    struct pf_execution *x = t->x;
    struct pf_beginning b = {.depth = t->depth + 1, .resumes = true};
    uint32_t last = PF_NONE, number = 0;
    pf_vec_u32 order = {0};
    for (uint32_t k = 0; k + 1 < x->threads.len; k++) { /* the operation that ended the process */
        uint32_t e = x->threads.at[k].ender && x->threads.at[k].length
                         ? pf_rf_node_at(&x->g, k, x->threads.at[k].length - 1)
                         : PF_NONE;
        if (e != PF_NONE && (x->nodes.at[e].flags & PF_EXEC_STOPS ||
                             x->nodes.at[e].index == x->threads.at[k].events))
            last = e;
    }
    for (uint32_t e = 0; e < x->g.nodes.len; e++)
        if (e != last && x->g.nodes.at[e].thread + 1 < x->threads.len &&
            x->g.nodes.at[e].pos < x->threads.at[x->g.nodes.at[e].thread].length)
            pf_vec_push(&order, e);
    for (uint32_t k = 0; k + 1 < x->threads.len; k++) {
        uint32_t n = x->threads.at[k].length - (last != PF_NONE && k == x->g.nodes.at[last].thread);
        if (n)
            pf_vec_push(&b.frontier, x->nodes.at[pf_rf_node_at(&x->g, k, n - 1)].history);
    }
    uint64_t now =
        x->threads.at[t->thread].length
            ? x->nodes.at[pf_rf_node_at(&x->g, t->thread, x->threads.at[t->thread].length - 1)]
                  .history
            : 0;
    b.continues = now;
    if (pf_search_has(s, &b)) {
        pf_vec_release(&b.frontier);
        pf_vec_release(&order);
        return;
    }
    pf_beginning_add_order(s, &b, t, order.at, order.len);
    number = x->threads.at[t->thread].number;
    add_step(&b, number, x->threads.at[t->thread].events + 1, x->threads.at[t->thread].within);
    pf_vec_push(&s->beginnings, b);
    pf_vec_release(&order);
}

/* True if a run has shown that the assumption of the target about its compare-and-swap is wrong. */
static bool is_refuted(const struct pf_search *s, const struct pf_target *t)
{
    const struct pf_rf_node *n = &t->x->g.nodes.at[t->node];
    uint32_t wrote = pf_hash_map_find(
        &s->compared, pf_execution_history_with(t->x, t->node, t->sources, t->choice));
    for (uint32_t k = 0; k < n->naccesses; k++)
        if (t->x->accesses.at[n->access0 + k].compares)
            return wrote != PF_HASH_NONE && wrote != t->writes[k];
    return false;
}

/* A read-modify-write operation with this history: sets whether it writes, if that is known.
 * Returns true if it is only assumed that it writes. */
static bool assumes_write(const struct pf_search *s, struct pf_target *t, uint64_t history)
{
    const struct pf_rf_node *n = &t->x->g.nodes.at[t->node];
    bool silent = pf_hash_map_find(&s->compared, history) != PF_HASH_NONE, assumes = false;
    for (uint32_t k = 0; k < n->naccesses; k++)
        if (t->x->accesses.at[n->access0 + k].updates) {
            t->writes[k] &= !silent;
            assumes |= t->writes[k];
        }
    return assumes;
}

/* The sets were found on the assumption that the operation writes. If a run shows that it does not,
 * other sets may be consistent, and the target is taken again (pf_search_end). The core can be run
 * in both cases: the operation comes last, so nothing in the core reads its write. */
static void take_again(struct pf_search *s, const struct pf_target *t, uint64_t history)
{
    struct pf_beginning *b = s->beginnings.at;
    b->again = pf_mem_zero(1, sizeof *b->again);
    *b->again = pf_target_copy(t);
    b->again->fresh = false;
    b->changed = history;
    t->x->references++;
}

void pf_beginning_find(struct pf_search *s, struct pf_target *t)
{
    if (t->node == PF_NONE) {
        continue_thread(s, t);
        return;
    }
    struct pf_beginning takes = {0};
    note_message_object(t, &takes);
    uint32_t empty = takes.object ? pf_hash_map_find(&s->empty, takes.object) : PF_HASH_NONE;
    uint64_t history = pf_execution_history_with(t->x, t->node, t->sources, t->choice);
    if (pf_hash_map_find(&s->spins, history) != PF_HASH_NONE)
        return;
    bool assumes = assumes_write(s, t, history);
    if ((t->guess && is_refuted(s, t)) ||
        (empty != PF_HASH_NONE && s->levels.at[empty] == takes.level))
        return;
    const struct pf_rf_graph *g = &t->x->g;
    uint32_t nt = g->nthreads;
    struct set_finder f = {.s = s, .t = t, .most = pf_mem_resize(NULL, nt + 1u, sizeof *f.most)};
    uint32_t *core = pf_mem_resize(NULL, nt + 1u, sizeof *core);
    largest(t->x, t->node, f.most);
    pf_beginning_past(t->x, t->node, core);
    const struct pf_rf_node *n = &g->nodes.at[t->node];
    for (uint32_t k = 0; k < n->naccesses; k++)
        if (t->sources[k] < PF_SOURCE_INITIAL)
            join(core, g->clock + (size_t)t->sources[k] * nt, nt);
    if (t->x->nodes.at[t->node].flags & PF_EXEC_STOPS) { /* nothing can happen after it */
        memcpy(f.most, core, nt * sizeof *core);
        f.most[n->thread] = n->pos + 1;
    }
    find_sets(&f, core);
    if (assumes && s->beginnings.len)
        take_again(s, t, history);
    pf_hash_map_release(&f.cores);
    free(f.most);
    free(core);
}
