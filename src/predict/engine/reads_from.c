/*
 * reads_from.c - see reads_from.h: the graph, and the first two tiers. Deciding whether an order
 * exists is NP-complete, but saturation leaves almost nothing open in practice: an order that is
 * constructed greedily after it nearly always succeeds. reads_from_solve.c has the rest.
 */
#include "reads_from_solve.h"
#include <string.h>

/* --- the graph --- */

void pf_rf_graph_clear(struct pf_rf_graph *g)
{
    void *all[] = {g->by_thread_at, g->by_thread, g->succ_at, g->succ,  g->pred_at,
                   g->pred,         g->user_at,   g->users,   g->owner, g->clock};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    g->by_thread_at = g->by_thread = g->succ_at = g->succ = g->pred_at = g->pred = NULL;
    g->user_at = g->users = g->owner = g->clock = NULL;
    pf_vec_clear(&g->nodes);
    pf_vec_clear(&g->accesses);
    pf_vec_clear(&g->edges);
    g->nthreads = g->ncells = 0;
}

void pf_rf_graph_release(struct pf_rf_graph *g)
{
    pf_rf_graph_clear(g);
    pf_vec_release(&g->nodes);
    pf_vec_release(&g->accesses);
    pf_vec_release(&g->edges);
}

/* Turns counts into ranges (a counting sort). Before: at[k + 2] is the number of entries of k.
 * After: at[k + 1] is the position of the first entry of k; the caller increments it with each
 * entry that it places. When all are placed, [at[k], at[k + 1]) is the range of k. */
static void make_ranges(uint32_t *at, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        at[k + 2] += at[k + 1];
}

static bool has_source(uint32_t source) { return source < PF_SOURCE_INITIAL; }

static void list_threads(struct pf_rf_graph *g)
{
    g->by_thread_at = pf_mem_zero(g->nthreads + 2ull, sizeof *g->by_thread_at);
    g->by_thread = pf_mem_resize(NULL, g->nodes.len + 1, sizeof *g->by_thread);
    for (size_t i = 0; i < g->nodes.len; i++)
        g->by_thread_at[g->nodes.at[i].thread + 2]++;
    make_ranges(g->by_thread_at, g->nthreads);
    for (uint32_t i = 0; i < g->nodes.len; i++)
        g->by_thread[g->by_thread_at[g->nodes.at[i].thread + 1]++] = i;
}

static void list_users(struct pf_rf_graph *g)
{
    g->owner = pf_mem_resize(NULL, g->accesses.len + 1, sizeof *g->owner);
    g->user_at = pf_mem_zero(g->ncells + 2ull, sizeof *g->user_at);
    g->users = pf_mem_resize(NULL, g->accesses.len + 1, sizeof *g->users);
    for (size_t k = 0; k < g->accesses.len; k++)
        g->user_at[g->accesses.at[k].cell + 2]++;
    make_ranges(g->user_at, g->ncells);
    for (uint32_t i = 0; i < g->nodes.len; i++)
        for (uint32_t k = 0; k < g->nodes.at[i].naccesses; k++) {
            uint32_t a = g->nodes.at[i].access0 + k;
            g->owner[a] = i;
            g->users[g->user_at[g->accesses.at[a].cell + 1]++] = a;
        }
}

static void list_predecessors(struct pf_rf_graph *g)
{
    g->pred_at = pf_mem_zero(g->nodes.len + 3, sizeof *g->pred_at);
    g->pred = pf_mem_resize(NULL, g->edges.len + 1, sizeof *g->pred);
    for (size_t k = 0; k < g->edges.len; k++)
        g->pred_at[g->edges.at[k].to + 2]++;
    make_ranges(g->pred_at, (uint32_t)g->nodes.len);
    for (size_t k = 0; k < g->edges.len; k++)
        g->pred[g->pred_at[g->edges.at[k].to + 1]++] = g->edges.at[k].from;
}

static void list_successors(struct pf_rf_graph *g)
{
    size_t n = g->edges.len;
    g->succ_at = pf_mem_zero(g->nodes.len + 3, sizeof *g->succ_at);
    for (size_t k = 0; k < g->edges.len; k++)
        g->succ_at[g->edges.at[k].from + 2]++;
    for (size_t k = 0; k < g->accesses.len; k++)
        if (has_source(g->accesses.at[k].source)) {
            g->succ_at[g->accesses.at[k].source + 2]++;
            n++;
        }
    make_ranges(g->succ_at, (uint32_t)g->nodes.len);
    g->succ = pf_mem_resize(NULL, n + 1, sizeof *g->succ);
    for (size_t k = 0; k < g->edges.len; k++)
        g->succ[g->succ_at[g->edges.at[k].from + 1]++] = g->edges.at[k].to;
    for (size_t k = 0; k < g->accesses.len; k++)
        if (has_source(g->accesses.at[k].source))
            g->succ[g->succ_at[g->accesses.at[k].source + 1]++] = g->owner[k];
}

static bool join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    bool grew = false;
    for (uint32_t u = 0; u < n; u++)
        if (from[u] > to[u]) {
            to[u] = from[u];
            grew = true;
        }
    return grew;
}

void pf_rf_graph_seal(struct pf_rf_graph *g)
{
    list_threads(g);
    list_users(g);
    list_successors(g);
    list_predecessors(g);
    uint32_t nt = g->nthreads;
    g->clock = pf_mem_zero(g->nodes.len * nt + 1, sizeof *g->clock);
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        uint32_t *c = g->clock + (size_t)i * nt;
        const struct pf_rf_node *e = &g->nodes.at[i];
        c[e->thread] = e->pos + 1;
        /* everything before i is final, so i passes its clock on */
        if (e->pos + 1 < pf_rf_length(g, e->thread))
            join(g->clock + (size_t)pf_rf_node_at(g, e->thread, e->pos + 1) * nt, c, nt);
        for (uint32_t k = g->succ_at[i]; k < g->succ_at[i + 1]; k++)
            join(g->clock + (size_t)g->succ[k] * nt, c, nt);
    }
}

/* --- the question --- */

void pf_rf_query_release(struct pf_rf_query *q)
{
    void *all[] = {q->clock, q->saved, q->derived_at, q->last, q->next, q->keep};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&q->order);
    pf_vec_release(&q->derived);
    pf_vec_release(&q->stack);
    *q = (struct pf_rf_query){0};
}

uint32_t pf_rf_query_source(const struct pf_rf_query *q, uint32_t access)
{
    uint32_t e = q->g->owner[access];
    return e == q->changed ? q->sources[access - q->g->nodes.at[e].access0]
                           : q->g->accesses.at[access].source;
}

bool pf_rf_query_writes(const struct pf_rf_query *q, uint32_t access)
{
    uint32_t e = q->g->owner[access];
    return e == q->changed ? q->writes[access - q->g->nodes.at[e].access0]
                           : q->g->accesses.at[access].writes;
}

bool pf_rf_query_before(const struct pf_rf_query *q, uint32_t a, uint32_t b)
{
    const struct pf_rf_node *x = &q->g->nodes.at[a];
    return q->clock[(size_t)b * q->g->nthreads + x->thread] > x->pos;
}

static void make_room(struct pf_rf_query *q)
{
    const struct pf_rf_graph *g = q->g;
    size_t clock = g->nodes.len * g->nthreads + 1;
    if (clock > q->cap_clock) {
        q->cap_clock = 2 * clock;
        q->clock = pf_mem_resize(q->clock, q->cap_clock, sizeof *q->clock);
        q->saved = pf_mem_resize(q->saved, q->cap_clock, sizeof *q->saved);
    }
    if (g->nodes.len >= q->cap_nodes)
        q->derived_at = pf_mem_resize(q->derived_at, q->cap_nodes = 2 * g->nodes.len + 1,
                                      sizeof *q->derived_at);
    if (g->ncells >= q->cap_cells)
        q->last = pf_mem_resize(q->last, q->cap_cells = 2 * g->ncells + 1, sizeof *q->last);
    if (g->nthreads >= q->cap_threads) {
        q->cap_threads = 2 * g->nthreads + 1;
        q->next = pf_mem_resize(q->next, q->cap_threads, sizeof *q->next);
        q->keep = pf_mem_resize(q->keep, q->cap_threads, sizeof *q->keep);
    }
}

void pf_rf_query_start(struct pf_rf_query *q, const struct pf_rf_graph *g, uint32_t changed,
                       const uint32_t *sources, const bool *writes)
{
    q->g = g;
    q->writes = writes;
    q->changed = changed;
    q->sources = sources;
    make_room(q);
    memset(q->keep, 0, g->nthreads * sizeof *q->keep);
    memset(q->derived_at, 0xff, g->nodes.len * sizeof *q->derived_at);
    pf_vec_clear(&q->derived);
}

/* --- first tier: saturation --- */

static void raise_clock(struct pf_rf_query *q, uint32_t from, uint32_t to)
{
    uint32_t nt = q->g->nthreads;
    if (pf_rf_query_has(q, to) &&
        join(q->clock + (size_t)to * nt, q->clock + (size_t)from * nt, nt))
        pf_vec_push(&q->stack, to);
}

static void push_derived(struct pf_rf_query *q, uint32_t a, uint32_t b)
{
    uint32_t triple[] = {a, b, q->derived_at[a]};
    q->derived_at[a] = (uint32_t)q->derived.len;
    for (int i = 0; i < 3; i++)
        pf_vec_push(&q->derived, triple[i]);
}

/* Adds a -> b. Returns false if it closes a cycle. */
static bool put_before(struct pf_rf_query *q, uint32_t a, uint32_t b, bool *changed)
{
    const struct pf_rf_graph *g = q->g;
    if (pf_rf_query_before(q, b, a))
        return false;
    if (pf_rf_query_before(q, a, b))
        return true;
    if (!q->is_saved)
        memcpy(q->saved, q->clock, g->nodes.len * g->nthreads * sizeof *q->saved);
    q->is_saved = *changed = true;
    push_derived(q, a, b);
    pf_vec_clear(&q->stack);
    raise_clock(q, a, b);
    while (q->stack.len) {
        uint32_t e = q->stack.at[--q->stack.len];
        const struct pf_rf_node *x = &g->nodes.at[e];
        if (x->pos + 1 < q->keep[x->thread])
            raise_clock(q, e, pf_rf_node_at(g, x->thread, x->pos + 1));
        for (uint32_t k = g->succ_at[e]; k < g->succ_at[e + 1]; k++)
            if (g->succ[k] != q->changed)
                raise_clock(q, e, g->succ[k]);
        for (uint32_t k = q->derived_at[e]; k != PF_NONE; k = q->derived.at[k + 2])
            raise_clock(q, e, q->derived.at[k + 1]);
    }
    return true;
}

/* Read r sees write w, and x is another write to the cell: orders x so that it does not come
 * between the two. */
static bool separate(struct pf_rf_query *q, uint32_t r, uint32_t w, uint32_t x, bool *changed)
{
    if (w == PF_SOURCE_INITIAL || pf_rf_query_before(q, w, x))
        return put_before(q, r, x, changed);
    return !pf_rf_query_before(q, x, r) || put_before(q, x, w, changed);
}

static bool saturate_read(struct pf_rf_query *q, uint32_t access, bool *changed)
{
    const struct pf_rf_graph *g = q->g;
    uint32_t r = g->owner[access], w = pf_rf_query_source(q, access);
    uint32_t cell = g->accesses.at[access].cell;
    for (uint32_t k = g->user_at[cell]; k < g->user_at[cell + 1]; k++) {
        uint32_t x = g->owner[g->users[k]];
        if (pf_rf_query_writes(q, g->users[k]) && x != r && x != w && pf_rf_query_has(q, x) &&
            !separate(q, r, w, x, changed))
            return false;
    }
    return true;
}

/* Applies `separate` to every read of the cell and the write x. */
static bool saturate_write(struct pf_rf_query *q, uint32_t x, uint32_t cell, bool *changed)
{
    const struct pf_rf_graph *g = q->g;
    for (uint32_t k = g->user_at[cell]; k < g->user_at[cell + 1]; k++) {
        uint32_t r = g->owner[g->users[k]], w = pf_rf_query_source(q, g->users[k]);
        if (w != PF_SOURCE_NONE && x != r && x != w && pf_rf_query_has(q, r) &&
            !separate(q, r, w, x, changed))
            return false;
    }
    return true;
}

static bool saturate(struct pf_rf_query *q)
{
    const struct pf_rf_graph *g = q->g;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < g->nthreads; t++)
            for (uint32_t pos = 0; pos < q->keep[t]; pos++) {
                const struct pf_rf_node *e = &g->nodes.at[pf_rf_node_at(g, t, pos)];
                for (uint32_t a = e->access0; a < e->access0 + e->naccesses; a++)
                    if (pf_rf_query_source(q, a) != PF_SOURCE_NONE &&
                        !saturate_read(q, a, &changed))
                        return false;
            }
    }
    return true;
}

bool pf_rf_query_can_add(const struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const struct pf_rf_node *x = &g->nodes.at[e];
    if (x->pos != q->keep[x->thread])
        return false;
    for (uint32_t k = 0; k < x->naccesses; k++) {
        uint32_t source = pf_rf_query_source(q, x->access0 + k);
        if (has_source(source) && !pf_rf_query_has(q, source))
            return false;
    }
    for (uint32_t k = g->pred_at[e]; k < g->pred_at[e + 1]; k++)
        if (!pf_rf_query_has(q, g->pred[k]))
            return false;
    return true;
}

/* The clock of a new node. */
static void start_clock(struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const struct pf_rf_node *x = &g->nodes.at[e];
    uint32_t nt = g->nthreads, *c = q->clock + (size_t)e * nt;
    memset(c, 0, nt * sizeof *c);
    if (x->pos)
        join(c, q->clock + (size_t)pf_rf_node_at(g, x->thread, x->pos - 1) * nt, nt);
    for (uint32_t k = g->pred_at[e]; k < g->pred_at[e + 1]; k++)
        join(c, q->clock + (size_t)g->pred[k] * nt, nt);
    for (uint32_t k = 0; k < x->naccesses; k++) {
        uint32_t source = pf_rf_query_source(q, x->access0 + k);
        if (!has_source(source))
            continue;
        join(c, q->clock + (size_t)source * nt, nt);
        if (e == q->changed) /* its new sources are not in g->succ */
            push_derived(q, source, e);
    }
    if (e == q->changed) /* g->succ is not used for it */
        for (uint32_t k = g->pred_at[e]; k < g->pred_at[e + 1]; k++)
            push_derived(q, g->pred[k], e);
    c[x->thread] = x->pos + 1;
}

bool pf_rf_query_add(struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const struct pf_rf_node *x = &g->nodes.at[e];
    size_t derived = q->derived.len;
    bool changed = false, ok = true;
    start_clock(q, e);
    q->is_saved = false;
    q->keep[x->thread]++;
    for (uint32_t a = x->access0; a < x->access0 + x->naccesses && ok; a++) {
        if (pf_rf_query_source(q, a) != PF_SOURCE_NONE)
            ok = saturate_read(q, a, &changed);
        if (ok && pf_rf_query_writes(q, a))
            ok = saturate_write(q, e, g->accesses.at[a].cell, &changed);
    }
    if (ok && changed)
        ok = saturate(q);
    if (ok)
        return true;
    q->keep[x->thread]--;
    while (q->derived.len > derived) {
        q->derived.len -= 3;
        q->derived_at[q->derived.at[q->derived.len]] = q->derived.at[q->derived.len + 2];
    }
    if (q->is_saved)
        memcpy(q->clock, q->saved, g->nodes.len * g->nthreads * sizeof *q->clock);
    return false;
}

/* --- second tier: construction --- */

/* True if everything that must come before e has been taken. */
static bool is_due(const struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const uint32_t *c = q->clock + (size_t)e * g->nthreads;
    for (uint32_t u = 0; u < g->nthreads; u++)
        if (c[u] - (u == g->nodes.at[e].thread) > q->next[u])
            return false;
    return true;
}

/* True if e can be taken now: its sources are the last writes, and no read that is still to come
 * needs a value that e overwrites. */
static bool fits(const struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const struct pf_rf_node *x = &g->nodes.at[e];
    for (uint32_t k = 0; k < x->naccesses; k++) {
        uint32_t a = x->access0 + k, source = pf_rf_query_source(q, a);
        uint32_t cell = g->accesses.at[a].cell;
        if (source != PF_SOURCE_NONE && q->last[cell] != source)
            return false;
        if (!pf_rf_query_writes(q, a))
            continue;
        for (uint32_t i = g->user_at[cell]; i < g->user_at[cell + 1]; i++) {
            uint32_t other = g->owner[g->users[i]];
            const struct pf_rf_node *y = &g->nodes.at[other];
            if (other != e && y->pos >= q->next[y->thread] && pf_rf_query_has(q, other) &&
                pf_rf_query_source(q, g->users[i]) == q->last[cell])
                return false;
        }
    }
    return true;
}

/* The next node of thread t if it can be taken now, else PF_NONE. */
static uint32_t next_of(const struct pf_rf_query *q, uint32_t t)
{
    if (q->next[t] >= q->keep[t])
        return PF_NONE;
    uint32_t e = pf_rf_node_at(q->g, t, q->next[t]);
    return is_due(q, e) && fits(q, e) ? e : PF_NONE;
}

/* Stays in one thread for as long as possible, so that the order has few preemptions. The changed
 * node comes as late as possible: it may end the process. */
static bool construct(struct pf_rf_query *q)
{
    const struct pf_rf_graph *g = q->g;
    uint32_t thread = 0;
    size_t all = 0;
    pf_vec_clear(&q->order);
    for (uint32_t t = 0; t < g->nthreads; t++) {
        q->next[t] = 0;
        all += q->keep[t];
    }
    for (uint32_t c = 0; c < g->ncells; c++)
        q->last[c] = PF_SOURCE_INITIAL;
    while (q->order.len < all) {
        uint32_t best = next_of(q, thread), late = PF_NONE;
        if (best == q->changed)
            best = PF_NONE;
        for (uint32_t t = 0; t < g->nthreads && best == PF_NONE; t++) {
            uint32_t e = next_of(q, t);
            if (e == q->changed)
                late = e;
            else if (e < best)
                best = e;
        }
        best = best == PF_NONE ? late : best;
        if (best == PF_NONE)
            return false;
        const struct pf_rf_node *x = &g->nodes.at[best];
        thread = x->thread;
        q->next[thread]++;
        for (uint32_t k = 0; k < x->naccesses; k++)
            if (pf_rf_query_writes(q, x->access0 + k))
                q->last[g->accesses.at[x->access0 + k].cell] = best;
        pf_vec_push(&q->order, best);
    }
    return true;
}

enum pf_answer pf_rf_query_decide(struct pf_rf_query *q, uint32_t conflicts)
{
    enum pf_answer answer = PF_YES;
    if (!construct(q)) {
        q->solved++;
        answer = pf_rf_query_solve(q, conflicts);
    }
    if (answer == PF_YES && !pf_rf_order_valid(q))
        return PF_UNKNOWN; /* a bug in pf: do not run it */
    return answer;
}
