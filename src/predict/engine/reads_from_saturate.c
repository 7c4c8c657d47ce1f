/*
 * reads_from_saturate.c - see reads_from.h: the first tier. Two rules derive the order that every
 * answer must have. Read r sees write w, and x is another write to the cell:
 *      w before x  =>  r before x;        x before r  =>  x before w.
 * The writes of one thread are ordered, so for each thread only the first x after w and the last x
 * before r matter; a binary search finds them. When a write x is added, a binary search also finds
 * the reads that must come before x: among the reads of one thread, those whose source comes before
 * x are the first ones, because the rules order the sources like the reads. This holds only once
 * nothing is left to derive. But a node is saturated again whenever its clock grows, so the result
 * is the same as that of comparing all pairs.
 */
#include "reads_from_solve.h"
#include <string.h>

/* --- derived order --- */

static void raise_clock(struct pf_rf_query *q, uint32_t from, uint32_t to)
{
    uint32_t nt = q->g->nthreads, *c = q->clock + (size_t)to * nt;
    const uint32_t *f = q->clock + (size_t)from * nt;
    bool grows = false;
    if (!pf_rf_query_has(q, to))
        return;
    for (uint32_t u = 0; u < nt && !grows; u++)
        grows = f[u] > c[u];
    if (!grows)
        return;
    for (uint32_t u = 0; u < nt; u++)
        pf_vec_push(&q->undo, c[u]);
    pf_vec_push(&q->undo, to);
    pf_rf_clock_join(c, f, nt);
    pf_vec_push(&q->stack, to);
    if (!q->queued[to])
        pf_vec_push(&q->touched, to);
    q->queued[to] = true;
}

static void push_derived(struct pf_rf_query *q, uint32_t a, uint32_t b)
{
    uint32_t triple[] = {a, b, q->derived_at[a]};
    q->derived_at[a] = (uint32_t)q->derived.len;
    for (int i = 0; i < 3; i++)
        pf_vec_push(&q->derived, triple[i]);
}

/* Adds a -> b. Returns false if it closes a cycle. */
static bool put_before(struct pf_rf_query *q, uint32_t a, uint32_t b)
{
    const struct pf_rf_graph *g = q->g;
    if (pf_rf_query_before(q, b, a))
        return false;
    if (pf_rf_query_before(q, a, b))
        return true;
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

/* --- the rules --- */

/* The access of the changed node to the cell, if that node has been collected; else PF_NONE. The
 * lists of the graph say what it did before, so it is looked at separately. */
static uint32_t changed_access(const struct pf_rf_query *q, uint32_t cell)
{
    if (q->changed == PF_NONE || !pf_rf_query_has(q, q->changed))
        return PF_NONE;
    const struct pf_rf_node *x = &q->g->nodes.at[q->changed];
    for (uint32_t a = x->access0; a < x->access0 + x->naccesses; a++)
        if (q->g->accesses.at[a].cell == cell)
            return a;
    return PF_NONE;
}

static uint32_t pos_of(const struct pf_rf_query *q, uint32_t access)
{
    return q->g->nodes.at[q->g->owner[access]].pos;
}

/* The part of the list that belongs to collected nodes of thread u, without the changed one. */
static uint32_t collected(const struct pf_rf_query *q, const uint32_t *list, uint32_t n, uint32_t u)
{
    uint32_t most = q->keep[u], lo = 0;
    if (q->changed != PF_NONE && q->g->nodes.at[q->changed].thread == u &&
        q->g->nodes.at[q->changed].pos < most)
        most = q->g->nodes.at[q->changed].pos;
    while (lo < n) {
        uint32_t mid = (lo + n) / 2;
        if (pos_of(q, list[mid]) < most)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

/* Orders the first write of thread u after w behind r, and the last one before r before w. */
static bool separate_thread(struct pf_rf_query *q, uint32_t r, uint32_t w, uint32_t cell,
                            uint32_t u)
{
    const struct pf_rf_graph *g = q->g;
    size_t key = (size_t)cell * g->nthreads + u;
    const uint32_t *list = g->writers + g->writer_at[key];
    uint32_t n = collected(q, list, g->writer_at[key + 1] - g->writer_at[key], u);
    uint32_t lo = 0, hi = n;
    while (w != PF_SOURCE_INITIAL && lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (pf_rf_query_before(q, w, g->owner[list[mid]]))
            hi = mid;
        else
            lo = mid + 1;
    }
    while (lo < n && (g->owner[list[lo]] == w || g->owner[list[lo]] == r))
        lo++;
    if (lo < n && !put_before(q, r, g->owner[list[lo]]))
        return false;
    if (w == PF_SOURCE_INITIAL)
        return true;
    lo = 0, hi = n;
    while (lo < hi) { /* the first one that is not before r */
        uint32_t mid = (lo + hi) / 2;
        uint32_t x = g->owner[list[mid]];
        if (x != r && pf_rf_query_before(q, x, r))
            lo = mid + 1;
        else
            hi = mid;
    }
    return !lo || g->owner[list[lo - 1]] == w || put_before(q, g->owner[list[lo - 1]], w);
}

/* Read r sees write w, and x is another write to the cell: orders x so that it does not come
 * between the two. */
static bool separate(struct pf_rf_query *q, uint32_t r, uint32_t w, uint32_t x)
{
    if (w == PF_SOURCE_INITIAL || pf_rf_query_before(q, w, x))
        return put_before(q, r, x);
    return !pf_rf_query_before(q, x, r) || put_before(q, x, w);
}

static bool saturate_read(struct pf_rf_query *q, uint32_t access)
{
    const struct pf_rf_graph *g = q->g;
    uint32_t r = g->owner[access], w = pf_rf_query_source(q, access);
    uint32_t cell = g->accesses.at[access].cell, a = changed_access(q, cell);
    for (uint32_t u = 0; u < g->nthreads; u++) {
        size_t key = (size_t)cell * g->nthreads + u;
        if (g->writer_at[key] < g->writer_at[key + 1] && !separate_thread(q, r, w, cell, u))
            return false;
    }
    return a == PF_NONE || r == q->changed || w == q->changed || !pf_rf_query_writes(q, a) ||
           separate(q, r, w, q->changed);
}

/* True if the access reads a write that comes before x, or the initial value. */
static bool sees_earlier(const struct pf_rf_query *q, uint32_t access, uint32_t x)
{
    uint32_t w = pf_rf_query_source(q, access);
    return w == PF_SOURCE_INITIAL || (w != PF_SOURCE_NONE && w != x && pf_rf_query_before(q, w, x));
}

/* Orders the reads of earlier writes before the write x. */
static bool saturate_write(struct pf_rf_query *q, uint32_t x, uint32_t cell)
{
    const struct pf_rf_graph *g = q->g;
    for (uint32_t u = 0; u < g->nthreads; u++) {
        size_t key = (size_t)cell * g->nthreads + u;
        const uint32_t *list = g->readers + g->reader_at[key];
        if (u == g->nodes.at[x].thread || g->reader_at[key] == g->reader_at[key + 1])
            continue;
        uint32_t lo = 0;
        uint32_t hi = collected(q, list, g->reader_at[key + 1] - g->reader_at[key], u);
        while (lo < hi) {
            uint32_t mid = (lo + hi) / 2;
            if (sees_earlier(q, list[mid], x))
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo && !put_before(q, g->owner[list[lo - 1]], x))
            return false;
    }
    uint32_t a = changed_access(q, cell);
    return a == PF_NONE || x == q->changed || !sees_earlier(q, a, x) ||
           put_before(q, q->changed, x);
}

static bool saturate_node(struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_node *x = &q->g->nodes.at[e];
    for (uint32_t a = x->access0; a < x->access0 + x->naccesses; a++)
        if ((pf_rf_query_source(q, a) != PF_SOURCE_NONE && !saturate_read(q, a)) ||
            (pf_rf_query_writes(q, a) && !saturate_write(q, e, q->g->accesses.at[a].cell)))
            return false;
    return true;
}

/* The new node e writes the cell, whose last write must be w: orders the two. */
static bool put_before_last(struct pf_rf_query *q, uint32_t e, uint32_t cell, uint32_t w)
{
    const struct pf_rf_graph *g = q->g;
    if (w == PF_SOURCE_INITIAL)
        return false;
    if (e != w)
        return !pf_rf_query_has(q, w) || put_before(q, e, w);
    for (uint32_t u = 0; u < g->nthreads; u++) {
        size_t key = (size_t)cell * g->nthreads + u;
        const uint32_t *list = g->writers + g->writer_at[key];
        uint32_t n = collected(q, list, g->writer_at[key + 1] - g->writer_at[key], u);
        if (n && g->owner[list[n - 1]] != w && !put_before(q, g->owner[list[n - 1]], w))
            return false;
    }
    return true;
}

static bool respects_lasts(struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_node *x = &q->g->nodes.at[e];
    for (uint32_t i = 0; i < q->nlasts; i++)
        for (uint32_t a = x->access0; a < x->access0 + x->naccesses; a++)
            if (q->g->accesses.at[a].cell == q->lasts[i].cell && pf_rf_query_writes(q, a) &&
                !put_before_last(q, e, q->lasts[i].cell, q->lasts[i].source))
                return false;
    return true;
}

/* --- collecting nodes --- */

/* The clock of a new node. */
static void start_clock(struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_graph *g = q->g;
    const struct pf_rf_node *x = &g->nodes.at[e];
    uint32_t nt = g->nthreads, *c = q->clock + (size_t)e * nt;
    memset(c, 0, nt * sizeof *c);
    if (x->pos)
        pf_rf_clock_join(c, q->clock + (size_t)pf_rf_node_at(g, x->thread, x->pos - 1) * nt, nt);
    for (uint32_t k = g->pred_at[e]; k < g->pred_at[e + 1]; k++)
        pf_rf_clock_join(c, q->clock + (size_t)g->pred[k] * nt, nt);
    for (uint32_t k = 0; k < x->naccesses; k++) {
        uint32_t source = pf_rf_query_source(q, x->access0 + k);
        if (!pf_rf_is_node(source))
            continue;
        pf_rf_clock_join(c, q->clock + (size_t)source * nt, nt);
        if (e == q->changed) /* its new sources are not in g->succ */
            push_derived(q, source, e);
    }
    if (e == q->changed) /* g->succ is not used for it */
        for (uint32_t k = g->pred_at[e]; k < g->pred_at[e + 1]; k++)
            push_derived(q, g->pred[k], e);
    c[x->thread] = x->pos + 1;
}

/* Takes back everything since the undo log was empty. */
static void take_back(struct pf_rf_query *q, size_t derived)
{
    uint32_t nt = q->g->nthreads;
    while (q->derived.len > derived) {
        q->derived.len -= 3;
        q->derived_at[q->derived.at[q->derived.len]] = q->derived.at[q->derived.len + 2];
    }
    while (q->undo.len) {
        q->undo.len -= nt + 1;
        memcpy(q->clock + (size_t)q->undo.at[q->undo.len + nt] * nt, q->undo.at + q->undo.len,
               nt * sizeof *q->clock);
    }
    for (size_t i = 0; i < q->touched.len; i++)
        q->queued[q->touched.at[i]] = false;
    pf_vec_clear(&q->touched);
}

bool pf_rf_query_add(struct pf_rf_query *q, uint32_t e)
{
    uint32_t thread = q->g->nodes.at[e].thread;
    size_t derived = q->derived.len;
    pf_vec_clear(&q->undo);
    start_clock(q, e);
    q->keep[thread]++;
    bool ok = respects_lasts(q, e) && saturate_node(q, e);
    while (ok && q->touched.len) {
        uint32_t x = q->touched.at[--q->touched.len];
        q->queued[x] = false;
        ok = saturate_node(q, x);
    }
    if (!ok) {
        q->keep[thread]--;
        take_back(q, derived);
    }
    return ok;
}
