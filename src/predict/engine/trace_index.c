/*
 * trace_index.c - builds the index in one pass over the trace. Every edge is added at its later
 * event, so the edges come out sorted.
 */
#include "spin_lock.h"
#include <assert.h>
#include <string.h>

/* A small map from threads to their newest event of some sort. */
struct latest_events {
    struct latest_event {
        uint32_t thread, event;
    } *at; /* a vector */
    size_t len, cap;
};

/* State of an item for the RDIT rules. */
struct item_state {
    uint32_t chain;       /* newest event of a missing call that reaches it */
    uint32_t open;        /* active missing calls that reach it */
    struct latest_events since;  /* events on it since `chain` */
    struct latest_events writes; /* those of them that a missing call can notice */
};

struct pinned_cell {
    struct latest_events writes;
    pf_vec_u32 reads;   /* pinned reads */
    struct latest_events
        tied; /* per writing thread: how many of `reads` it already has an edge from */
};

/* The edges of the newest event, to avoid duplicates. Up to FEW_EDGES are searched linearly; if
 * there are more, each earlier event gets a stamp. */
struct newest_edges {
    struct pf_edges *edges;
    uint32_t event, n;
    uint32_t *stamps; /* per earlier event: 1 + the event with an edge to it; NULL until needed */
};
#define FEW_EDGES 32

struct index_builder {
    struct pf_trace_index *x;
    const struct pf_trace *t;
    uint32_t *first_pred, *last; /* per thread: its fork; its newest event */
    struct latest_events *arrive[2]; /* per barrier: arrivals of its two newest generations */
    uint32_t *arrive_gen[2];
    struct latest_events *posts;
    struct latest_events *blocks; /* per block: its uses */
    uint32_t *alloc; /* per block: its alloc event */
    struct item_state *items; /* NULL without missing calls */
    struct pinned_cell *cells;
    struct latest_events
        *open; /* per thread: active missing calls, as pairs (call event, reach set) */
    size_t nblocks, nitems;
    size_t reuse;
    struct newest_edges pred, soft;
};

static void latest_set(struct latest_events *l, uint32_t thread, uint32_t event)
{
    for (uint32_t k = 0; k < l->len; k++)
        if (l->at[k].thread == thread) {
            l->at[k].event = event;
            return;
        }
    pf_vec_push(l, (struct latest_event){thread, event});
}

static bool latest_has(const struct latest_events *l, uint32_t thread)
{
    for (uint32_t k = 0; k < l->len; k++)
        if (l->at[k].thread == thread)
            return true;
    return false;
}

static void add_unique(struct index_builder *b, struct newest_edges *g, uint32_t event,
                       uint32_t earlier)
{
    pf_vec_u32 *at = &g->edges->at;
    if (g->event != event)
        g->n = 0;
    g->event = event;
    if (g->n >= FEW_EDGES && !g->stamps)
        g->stamps = pf_mem_zero(b->x->n, sizeof *g->stamps);
    if (g->n >= FEW_EDGES && g->stamps[earlier] == event + 1)
        return;
    for (size_t k = at->len; g->n <= FEW_EDGES && k > at->len - 2 * g->n; k -= 2) {
        if (at->at[k - 1] == earlier)
            return;
        if (g->n == FEW_EDGES) /* use stamps from now on */
            g->stamps[at->at[k - 1]] = event + 1;
    }
    if (g->n >= FEW_EDGES)
        g->stamps[earlier] = event + 1;
    pf_vec_push(at, event);
    pf_vec_push(at, earlier);
    g->n++;
}

static void edge(struct index_builder *b, uint32_t from, uint32_t to)
{
    if (from == PF_NONE || b->t->events.at[from].thread == b->t->events.at[to].thread)
        return;
    assert(from < to);
    add_unique(b, &b->pred, to, from);
}

static void edges(struct index_builder *b, const struct latest_events *l, uint32_t to)
{
    for (uint32_t k = 0; k < l->len; k++)
        edge(b, l->at[k].event, to);
}

static void sync_edges(struct index_builder *b, uint32_t i, const struct pf_event *e)
{
    switch (e->kind) {
    case PF_EV_FORK:
        b->first_pred[e->what] = i;
        break;
    case PF_EV_JOIN:
        edge(b, b->last[e->what], i);
        break;
    case PF_EV_WAKE:
        edge(b, pf_trace_waker(b->t, i), i);
        break;
    case PF_EV_ARRIVE: {
        unsigned now = e->link & 1;
        if (b->arrive_gen[now][e->what] != e->link) {
            b->arrive_gen[now][e->what] = e->link;
            b->arrive[now][e->what].len = 0;
        }
        if (e->link)
            edges(b, &b->arrive[!now][e->what], i);
        latest_set(&b->arrive[now][e->what], e->thread, i);
        break;
    }
    case PF_EV_DEPART:
        edges(b, &b->arrive[e->link & 1][e->what], i);
        break;
    case PF_EV_POST:
        latest_set(&b->posts[e->what], e->thread, i);
        break;
    case PF_EV_TAKE:
        edges(b, &b->posts[e->what], i);
        break;
    default:
        break;
    }
}

static void block_edges(struct index_builder *b, uint32_t i, const struct pf_event *e)
{
    uint32_t block = b->t->places.at[e->what].block;
    if (!block)
        return;
    if (e->kind == PF_EV_ALLOC) {
        b->alloc[block] = i;
        while (b->reuse < b->t->reuses.len && b->t->reuses.at[b->reuse] < block)
            b->reuse += 2;
        for (size_t k = b->reuse; k < b->t->reuses.len && b->t->reuses.at[k] == block; k += 2) {
            uint32_t old = b->t->reuses.at[k + 1];
            edge(b, b->alloc[old], i);
            edges(b, &b->blocks[old], i);
        }
    } else {
        if (!latest_has(&b->blocks[block], e->thread))
            edge(b, b->alloc[block], i);
        latest_set(&b->blocks[block], e->thread, i);
    }
}

/* A pinned read stays after the writes that precede it and before the writes that follow it. */
static void pinned_edges(struct index_builder *b, uint32_t i, const struct pf_event *e)
{
    const struct pf_range *p = &b->t->places.at[e->what];
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
        struct pinned_cell *x = &b->cells[c];
        if (pf_event_reads(e) && pf_trace_index_pinned(b->x, e)) {
            edges(b, &x->writes, i);
            pf_vec_push(&x->reads, i);
        }
        if (pf_event_writes(e)) {
            uint32_t from = 0;
            for (uint32_t k = 0; k < x->tied.len; k++)
                from = x->tied.at[k].thread == e->thread ? x->tied.at[k].event : from;
            for (uint32_t k = from; k < x->reads.len; k++)
                if (b->t->events.at[x->reads.at[k]].thread != e->thread)
                    add_unique(b, &b->soft, i, x->reads.at[k]);
            if (x->reads.len)
                latest_set(&x->tied, e->thread, (uint32_t)x->reads.len);
            latest_set(&x->writes, e->thread, i);
        }
    }
}

/* Orders an event of a missing call that reaches the item after everything that happened to the
 * item. */
static void order_after_item(struct index_builder *b, struct item_state *x, uint32_t i)
{
    edge(b, x->chain, i);
    edges(b, &x->since, i);
    x->since.len = x->writes.len = 0;
    x->chain = i;
}

static void ordinary_event(struct index_builder *b, uint32_t item, uint32_t i,
                           const struct pf_event *e)
{
    struct item_state *x = &b->items[item];
    edge(b, x->chain, i);
    if (!pf_event_is_access(e) || pf_event_writes(e)) {
        if (x->open) {
            edges(b, &x->writes, i);
            b->x->exposed[i] |= pf_event_is_access(e);
        }
        latest_set(&x->writes, e->thread, i);
    }
    latest_set(&x->since, e->thread, i);
}

static void each_reached(struct index_builder *b, uint32_t reach, uint32_t i, int opened)
{
    const struct pf_reach *d = &b->t->reaches.at[reach];
    for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
        struct item_state *x = &b->items[b->t->reach_items.at[k]];
        x->open += (uint32_t)opened;
        order_after_item(b, x, i);
    }
    if (b->x->missing == PF_MISSING_SB) /* an artificial item that all calls reach */
        order_after_item(b, &b->items[pf_trace_nitems(b->t)], i);
}

static void missing_edges(struct index_builder *b, uint32_t i, const struct pf_event *e)
{
    struct latest_events *open = &b->open[e->thread];
    uint32_t first, other, n = pf_trace_items(b->t, i, &first, &other);
    for (uint32_t k = 0; k < n; k++)
        ordinary_event(b, first + k, i, e);
    if (other != PF_NONE)
        ordinary_event(b, other, i, e);
    uint32_t around = PF_NONE; /* the innermost call around the event */
    for (uint32_t k = 0; k < open->len; k++)
        if (e->kind == PF_EV_RET && open->at[k].thread == e->link)
            each_reached(b, open->at[k].event, i, -1);
        else
            around = open->at[k].event;
    if (around != PF_NONE && !pf_trace_is_inner(b->t, i)) {
        each_reached(b, around, i, 0);
        b->x->borders[i] = true;
    }
    if (e->kind == PF_EV_CALL) {
        each_reached(b, e->link, i, 1);
        latest_set(open, i, e->link); /* keyed by the call event instead of a thread */
    } else if (e->kind == PF_EV_RET)
        for (uint32_t k = 0; k < open->len; k++)
            if (open->at[k].thread == e->link) {
                memmove(open->at + k, open->at + k + 1, (open->len - k - 1) * sizeof *open->at);
                open->len--;
                break;
            }
}

static void find_matches(struct pf_trace_index *x)
{
    const struct pf_trace *t = x->t;
    struct latest_events *held = pf_mem_zero(t->threads.len, sizeof *held);
    memset(x->match, 0xff, x->n * sizeof *x->match);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_event_acquires(e))
            latest_set(&held[e->thread], pf_event_lock(e), i);
        else if (pf_event_releases(e)) {
            struct latest_events *h = &held[e->thread];
            for (uint32_t k = 0; k < h->len; k++)
                if (h->at[k].thread == pf_event_lock(e)) {
                    x->match[i] = h->at[k].event;
                    x->match[x->match[i]] = i;
                    h->at[k] = h->at[--h->len];
                    break;
                }
        }
    }
    for (size_t i = 0; i < t->threads.len; i++)
        free(held[i].at);
    free(held);
}

static void find_writes(struct pf_trace_index *x)
{
    const struct pf_trace *t = x->t;
    x->write_at = pf_mem_zero(t->cells.len + 2, sizeof *x->write_at);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < x->n; i++) {
            const struct pf_event *e = &t->events.at[i];
            if (!pf_event_writes(e))
                continue;
            const struct pf_range *p = &t->places.at[e->what];
            for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
                if (t->cells.at[c].shared) {
                    if (fill)
                        x->writes[x->write_at[c + 1]++] = i;
                    else
                        x->write_at[c + 2]++;
                }
        }
        if (!fill) { /* counts become range starts; filling then advances each by its count */
            for (size_t c = 0; c + 2 < t->cells.len + 2; c++)
                x->write_at[c + 2] += x->write_at[c + 1];
            x->writes = pf_mem_resize(NULL, x->write_at[t->cells.len + 1], sizeof *x->writes);
        }
    }
}

/* First pass: counts the call for the cells that it reaches. Second pass (`fill`): stores it. */
static void note_overwrites(struct pf_trace_index *x, uint32_t call, uint32_t end, bool fill)
{
    const struct pf_trace *t = x->t;
    const struct pf_reach *d = &t->reaches.at[t->events.at[call].link];
    for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
        uint32_t c = t->reach_items.at[k];
        if (c >= t->cells.len) /* items are sorted, cells first */
            break;
        if (!t->cells.at[c].shared)
            continue;
        if (fill)
            x->overwrites[x->overwrite_at[c + 1]++] = (struct pf_overwrite){end, call};
        else
            x->overwrite_at[c + 2]++;
    }
}

/* Like find_writes: one pass counts, the next one fills. */
static void find_overwrites(struct pf_trace_index *x)
{
    const struct pf_trace *t = x->t;
    bool *returns = pf_mem_zero(x->n, sizeof *returns);
    x->overwrite_at = pf_mem_zero(t->cells.len + 2, sizeof *x->overwrite_at);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < x->n; i++)
            if (t->events.at[i].kind == PF_EV_RET) {
                returns[t->events.at[i].link] = true;
                note_overwrites(x, t->events.at[i].link, i, fill);
            }
        for (uint32_t i = 0; i < x->n; i++)
            if (t->events.at[i].kind == PF_EV_CALL && !returns[i])
                note_overwrites(x, i, PF_NONE, fill);
        if (!fill) {
            for (size_t c = 0; c < t->cells.len; c++)
                x->overwrite_at[c + 2] += x->overwrite_at[c + 1];
            x->overwrites =
                pf_mem_resize(NULL, x->overwrite_at[t->cells.len + 1], sizeof *x->overwrites);
        }
    }
    free(returns);
    for (size_t c = 0; c < t->cells.len; c++)
        for (size_t k = x->overwrite_at[c + 1]; k-- > x->overwrite_at[c] + 1;)
            if (x->overwrites[k].call < x->overwrites[k - 1].call)
                x->overwrites[k - 1].call = x->overwrites[k].call;
}

bool pf_trace_index_overwritten(const struct pf_trace_index *x, uint32_t cell, uint32_t after,
                                uint32_t before)
{
    if (!x->overwrite_at)
        return false;
    size_t lo = x->overwrite_at[cell], hi = x->overwrite_at[cell + 1], end = hi;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (x->overwrites[mid].end < after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && x->overwrites[lo].call < before;
}

static void release_latest(struct latest_events *l, size_t n)
{
    for (size_t i = 0; l && i < n; i++)
        free(l[i].at);
    free(l);
}

static uint32_t *make_unset(size_t n)
{
    uint32_t *at = pf_mem_resize(NULL, n, sizeof *at);
    memset(at, 0xff, n * sizeof *at); /* PF_NONE */
    return at;
}

static void init_builder(struct index_builder *b, struct pf_trace_index *x)
{
    const struct pf_trace *t = x->t;
    size_t nt = t->threads.len, nb = t->barriers.len;
    *b = (struct index_builder){.x = x, .t = t, .pred.edges = &x->pred, .soft.edges = &x->soft};
    b->nblocks = 1;
    for (size_t i = 0; i < t->places.len; i++)
        if (t->places.at[i].block >= b->nblocks)
            b->nblocks = t->places.at[i].block + 1ull;
    b->first_pred = make_unset(nt);
    b->last = make_unset(nt);
    for (int k = 0; k < 2; k++) {
        b->arrive[k] = pf_mem_zero(nb, sizeof *b->arrive[k]);
        b->arrive_gen[k] = make_unset(nb);
    }
    b->posts = pf_mem_zero(t->syncs.len, sizeof *b->posts);
    b->blocks = pf_mem_zero(b->nblocks, sizeof *b->blocks);
    b->alloc = make_unset(b->nblocks);
    if (t->has_calls || t->has_orphans)
        b->cells = pf_mem_zero(t->cells.len, sizeof *b->cells);
    if (t->has_calls && x->missing != PF_MISSING_IGNORE) {
        b->nitems = pf_trace_nitems(t) + 1;
        x->exposed = pf_mem_zero(x->n, sizeof *x->exposed);
        x->borders = pf_mem_zero(x->n, sizeof *x->borders);
        b->items = pf_mem_zero(b->nitems, sizeof *b->items);
        b->open = pf_mem_zero(nt, sizeof *b->open);
        for (size_t k = 0; k < b->nitems; k++)
            b->items[k].chain = PF_NONE;
    }
}

static void release_builder(struct index_builder *b)
{
    const struct pf_trace *t = b->t;
    free(b->pred.stamps);
    free(b->soft.stamps);
    free(b->first_pred);
    free(b->last);
    for (int k = 0; k < 2; k++) {
        release_latest(b->arrive[k], t->barriers.len);
        free(b->arrive_gen[k]);
    }
    release_latest(b->posts, t->syncs.len);
    release_latest(b->blocks, b->nblocks);
    free(b->alloc);
    for (size_t c = 0; b->cells && c < t->cells.len; c++) {
        free(b->cells[c].writes.at);
        free(b->cells[c].tied.at);
        pf_vec_release(&b->cells[c].reads);
    }
    free(b->cells);
    for (size_t k = 0; k < b->nitems; k++) {
        free(b->items[k].since.at);
        free(b->items[k].writes.at);
    }
    free(b->items);
    release_latest(b->open, t->threads.len);
}

/* Numbers the events of each thread, and finds the event before each in its thread. */
static void number_events(struct pf_trace_index *x)
{
    uint32_t *count = pf_mem_zero(x->t->threads.len, sizeof *count);
    uint32_t *last = make_unset(x->t->threads.len);
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t thread = x->t->events.at[i].thread;
        x->pos[i] = count[thread]++;
        x->before[i] = last[thread];
        last[thread] = i;
    }
    free(count);
    free(last);
}

void pf_trace_index_init(struct pf_trace_index *x, const struct pf_trace *t,
                         enum pf_missing missing)
{
    memset(x, 0, sizeof *x);
    x->t = t;
    x->missing = missing;
    x->n = (uint32_t)t->events.len;
    x->pos = pf_mem_resize(NULL, x->n, sizeof *x->pos);
    x->before = pf_mem_resize(NULL, x->n, sizeof *x->before);
    x->match = pf_mem_resize(NULL, x->n, sizeof *x->match);
    find_matches(x);
    find_writes(x);
    if (t->has_calls && missing != PF_MISSING_IGNORE)
        find_overwrites(x);
    number_events(x);
    struct index_builder b;
    init_builder(&b, x);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (x->before[i] == PF_NONE)
            edge(&b, b.first_pred[e->thread], i);
        if (pf_event_operand[e->kind] == PF_OPERAND_PLACE) {
            block_edges(&b, i, e);
            if (b.cells && e->kind != PF_EV_ALLOC)
                pinned_edges(&b, i, e);
        } else
            sync_edges(&b, i, e);
        if (b.items)
            missing_edges(&b, i, e);
        b.last[e->thread] = i;
    }
    release_builder(&b);
    pf_spin_lock_find(x);
}

void pf_trace_index_release(struct pf_trace_index *x)
{
    free(x->pos);
    free(x->before);
    free(x->match);
    free(x->exposed);
    free(x->borders);
    free(x->spin);
    pf_vec_release(&x->pred.at);
    pf_vec_release(&x->soft.at);
    free(x->overwrite_at);
    free(x->overwrites);
    free(x->write_at);
    free(x->writes);
    memset(x, 0, sizeof *x);
}
