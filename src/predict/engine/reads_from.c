/*
 * reads_from.c - see reads_from.h: the graph, and the second tier. Deciding whether an order exists
 * is NP-complete, but saturation (reads_from_saturate.c) leaves almost nothing open in practice: an
 * order that is constructed greedily after it nearly always succeeds. reads_from_solve.c has the
 * rest.
 */
#include "reads_from_solve.h"
#include <string.h>

/* --- the graph --- */

void pf_rf_graph_clear(struct pf_rf_graph *g)
{
    void *all[] = {g->by_thread_at, g->by_thread, g->succ_at,   g->succ,   g->pred_at,
                   g->pred,         g->user_at,   g->users,     g->owner,  g->clock,
                   g->writer_at,    g->writers,   g->reader_at, g->readers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    g->by_thread_at = g->by_thread = g->succ_at = g->succ = g->pred_at = g->pred = NULL;
    g->user_at = g->users = g->owner = g->clock = NULL;
    g->writer_at = g->writers = g->reader_at = g->readers = NULL;
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

/* Lists the accesses that write, or those that read, for each cell and thread. */
static void list_by_cell(const struct pf_rf_graph *g, bool writers, uint32_t **at, uint32_t **list)
{
    size_t nt = g->nthreads;
    *at = pf_mem_zero(g->ncells * nt + 2, sizeof **at);
    *list = pf_mem_resize(NULL, g->accesses.len + 1, sizeof **list);
    for (int round = 0; round < 2; round++) {
        for (uint32_t a = 0; a < g->accesses.len; a++) {
            const struct pf_rf_access *x = &g->accesses.at[a];
            size_t key = x->cell * nt + g->nodes.at[g->owner[a]].thread;
            if (writers ? !x->writes : x->source == PF_SOURCE_NONE)
                continue;
            if (round == 0)
                (*at)[key + 2]++;
            else
                (*list)[(*at)[key + 1]++] = a;
        }
        if (round == 0)
            make_ranges(*at, (uint32_t)(g->ncells * nt));
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
        if (pf_rf_is_node(g->accesses.at[k].source)) {
            g->succ_at[g->accesses.at[k].source + 2]++;
            n++;
        }
    make_ranges(g->succ_at, (uint32_t)g->nodes.len);
    g->succ = pf_mem_resize(NULL, n + 1, sizeof *g->succ);
    for (size_t k = 0; k < g->edges.len; k++)
        g->succ[g->succ_at[g->edges.at[k].from + 1]++] = g->edges.at[k].to;
    for (size_t k = 0; k < g->accesses.len; k++)
        if (pf_rf_is_node(g->accesses.at[k].source))
            g->succ[g->succ_at[g->accesses.at[k].source + 1]++] = g->owner[k];
}

void pf_rf_graph_seal(struct pf_rf_graph *g)
{
    list_threads(g);
    list_users(g);
    list_successors(g);
    list_predecessors(g);
    list_by_cell(g, true, &g->writer_at, &g->writers);
    list_by_cell(g, false, &g->reader_at, &g->readers);
    uint32_t nt = g->nthreads;
    g->clock = pf_mem_zero(g->nodes.len * nt + 1, sizeof *g->clock);
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        uint32_t *c = g->clock + (size_t)i * nt;
        const struct pf_rf_node *e = &g->nodes.at[i];
        c[e->thread] = e->pos + 1;
        /* everything before i is final, so i passes its clock on */
        if (e->pos + 1 < pf_rf_length(g, e->thread))
            pf_rf_clock_join(g->clock + (size_t)pf_rf_node_at(g, e->thread, e->pos + 1) * nt, c,
                             nt);
        for (uint32_t k = g->succ_at[i]; k < g->succ_at[i + 1]; k++)
            pf_rf_clock_join(g->clock + (size_t)g->succ[k] * nt, c, nt);
    }
}

/* --- the question --- */

void pf_rf_query_release(struct pf_rf_query *q)
{
    void *all[] = {q->clock, q->derived_at, q->last, q->next, q->keep, q->queued, q->pending};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&q->order);
    pf_vec_release(&q->derived);
    pf_vec_release(&q->stack);
    pf_vec_release(&q->touched);
    pf_vec_release(&q->undo);
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
    if (pf_vec_outgrown(&q->cap_clock, g->nodes.len * g->nthreads + 1))
        q->clock = pf_mem_resize(q->clock, q->cap_clock, sizeof *q->clock);
    if (pf_vec_outgrown(&q->cap_nodes, g->nodes.len + 1)) {
        q->derived_at = pf_mem_resize(q->derived_at, q->cap_nodes, sizeof *q->derived_at);
        q->queued = pf_mem_resize(q->queued, q->cap_nodes, sizeof *q->queued);
    }
    if (pf_vec_outgrown(&q->cap_accesses, g->accesses.len + g->ncells + 1))
        q->pending = pf_mem_resize(q->pending, q->cap_accesses, sizeof *q->pending);
    if (pf_vec_outgrown(&q->cap_cells, g->ncells + 1ull))
        q->last = pf_mem_resize(q->last, q->cap_cells, sizeof *q->last);
    if (pf_vec_outgrown(&q->cap_threads, g->nthreads + 1ull)) {
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
    q->nlasts = 0;
    make_room(q);
    memset(q->keep, 0, g->nthreads * sizeof *q->keep);
    memset(q->derived_at, 0xff, g->nodes.len * sizeof *q->derived_at);
    memset(q->queued, 0, g->nodes.len * sizeof *q->queued);
    pf_vec_clear(&q->derived);
}

bool pf_rf_query_can_add(const struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const struct pf_rf_node *x = &g->nodes.at[e];
    if (x->pos != q->keep[x->thread])
        return false;
    for (uint32_t k = 0; k < x->naccesses; k++) {
        uint32_t source = pf_rf_query_source(q, x->access0 + k);
        if (pf_rf_is_node(source) && !pf_rf_query_has(q, source))
            return false;
    }
    for (uint32_t k = g->pred_at[e]; k < g->pred_at[e + 1]; k++)
        if (!pf_rf_query_has(q, g->pred[k]))
            return false;
    return true;
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

/* Where q->pending counts the reads of the cell that are still to come and read from `source`. */
static uint32_t *pending_of(const struct pf_rf_query *q, uint32_t cell, uint32_t source)
{
    const struct pf_rf_graph *g = q->g;
    if (source == PF_SOURCE_INITIAL)
        return &q->pending[g->accesses.len + cell];
    uint32_t a = g->nodes.at[source].access0;
    while (g->accesses.at[a].cell != cell)
        a++;
    return &q->pending[a];
}

/* Adds `by` for every read of the node. */
static void count_pending(const struct pf_rf_query *q, uint32_t e, uint32_t by)
{
    const struct pf_rf_node *x = &q->g->nodes.at[e];
    for (uint32_t a = x->access0; a < x->access0 + x->naccesses; a++) {
        uint32_t source = pf_rf_query_source(q, a);
        if (source != PF_SOURCE_NONE)
            *pending_of(q, q->g->accesses.at[a].cell, source) += by;
    }
}

/* True if e can be taken now: its sources are the last writes, and no read that is still to come
 * needs a value that e overwrites. */
static bool fits(const struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const struct pf_rf_node *x = &g->nodes.at[e];
    for (uint32_t a = x->access0; a < x->access0 + x->naccesses; a++) {
        uint32_t source = pf_rf_query_source(q, a), cell = g->accesses.at[a].cell;
        bool reads = source != PF_SOURCE_NONE;
        if (reads && q->last[cell] != source)
            return false;
        if (pf_rf_query_writes(q, a) && *pending_of(q, cell, q->last[cell]) > reads)
            return false;
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
    memset(q->pending, 0, (g->accesses.len + g->ncells) * sizeof *q->pending);
    for (uint32_t t = 0; t < g->nthreads; t++)
        for (uint32_t pos = 0; pos < q->keep[t]; pos++)
            count_pending(q, pf_rf_node_at(g, t, pos), 1);
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
        count_pending(q, best, -1u);
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
