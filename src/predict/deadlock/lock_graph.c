/*
 * lock_graph.c - see lock_graph.h. Depth-first search for cycles, shortest first; a cycle starts at
 * its edge with the smallest number, so it is found once.
 */
#include "lock_graph.h"
#include "analysis.h"
#include "pecan/reschedule.h"
#include <string.h>

#define EDGES_MAX 20000
#define SAMPLES 6 /* events kept per edge: the oldest and the newest ones */
#define STEPS_MAX 5000000 /* extensions of paths, of all paths together */
#define TRIES_MAX 1296    /* schedules tried per cycle: all combinations for four edges */

struct edge {
    uint32_t thread, from, to; /* holds `from` and acquires `to` */
    bool from_shared, to_shared;
    uint32_t held;  /* lockset before the acquire */
    uint32_t site;  /* site of the acquire */
    uint32_t event[SAMPLES], n;
    bool more; /* further events were not kept */
    uint32_t next;  /* next edge with the same `from` */
};

struct graph {
    struct pf_partial_order g;
    PF_VEC(struct edge) edges;
    uint32_t *from;  /* per lock: its newest outgoing edge */
    struct pf_hash_map by_hash; /* indices into `edges` */
    struct pf_rescheduler s;
    struct pf_hash_map tried; /* keys of all cycles of sites */
    struct pf_hash_map found; /* of those that have a schedule */
    uint64_t steps;
    struct pf_stop *stop;
    struct pf_cycles *out;
};

static uint64_t edge_hash(const struct edge *e)
{
    uint64_t h = ((uint64_t)e->thread << 32 | e->from) * 0x9e3779b97f4a7c15ull;
    h = (h ^ ((uint64_t)e->to << 32 | e->held)) * 0xbf58476d1ce4e5b9ull;
    return (h ^ e->site ^ h >> 31) * 0x94d049bb133111ebull >> 20;
}

static bool same_edge(const struct edge *a, const struct edge *b)
{
    return a->thread == b->thread && a->from == b->from && a->to == b->to && a->held == b->held &&
           a->site == b->site && a->to_shared == b->to_shared;
}

static void add_edge(struct graph *g, struct edge e, uint32_t event)
{
    uint64_t hash = edge_hash(&e);
    struct pf_hash_walk w = pf_hash_map_walk(&g->by_hash, hash);
    bool found = false;
    while (!found && pf_hash_map_next(&g->by_hash, &w))
        found = same_edge(&g->edges.at[w.value], &e);
    if (!found) {
        if (g->edges.len == EDGES_MAX) {
            g->out->dropped++;
            return;
        }
        w.value = (uint32_t)g->edges.len;
        pf_hash_map_add(&g->by_hash, hash, w.value);
        e.next = g->from[e.from];
        g->from[e.from] = w.value;
        pf_vec_push(&g->edges, e);
    }
    struct edge *kept = &g->edges.at[w.value];
    kept->more |= kept->n == SAMPLES;
    if (kept->n == SAMPLES) /* keep the first half, replace the oldest of the second half */
        memmove(&kept->event[SAMPLES / 2], &kept->event[SAMPLES / 2 + 1],
                (SAMPLES - SAMPLES / 2 - 1) * sizeof *kept->event);
    else
        kept->n++;
    kept->event[kept->n - 1] = event;
}

static void collect(struct graph *g)
{
    const struct pf_trace *t = g->g.t;
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if ((e->kind != PF_EV_LOCK && e->kind != PF_EV_RDLOCK) || !pf_event_acquires(e))
            continue;
        struct pf_lockset_words r = g->g.locks.sets.at[g->g.held[i]];
        for (uint32_t k = 0; k < r.len; k++) {
            uint32_t word = g->g.locks.words.at[r.first + k];
            add_edge(g,
                     (struct edge){.thread = e->thread,
                                   .from = word / 2,
                                   .from_shared = word & 1,
                                   .to = e->what,
                                   .to_shared = pf_event_shared(e),
                                   .held = g->g.held[i],
                                   .site = e->site},
                     i);
        }
    }
}

/* True if both threads can be blocked at the same time, as far as locks are concerned. */
static bool can_block_together(struct graph *g, const struct edge *a, const struct edge *b)
{
    return a->thread != b->thread && !pf_locksets_exclude(&g->g.locks, a->held, b->held);
}

static bool unordered(const struct graph *g, const uint32_t *events, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (pf_partial_order_before(&g->g, events[i], events[k]) ||
                pf_partial_order_before(&g->g, events[k], events[i]))
                return false;
    return true;
}

/* True if all events of one of the edges come before all events of another one. */
static bool always_ordered(const struct graph *g, const uint32_t *edges, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            const struct edge *a = &g->edges.at[edges[i]], *b = &g->edges.at[edges[k]];
            if (i != k && pf_partial_order_before(&g->g, a->event[a->n - 1], b->event[0]))
                return true;
        }
    return false;
}

/* Independent of the edge at which the cycle begins. */
static uint64_t cycle_key(const struct graph *g, const uint32_t *edges, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t h = (uint64_t)g->edges.at[edges[i]].site + 1;
        sum += (h * 0x9e3779b97f4a7c15ull) ^ (h * 0x9e3779b97f4a7c15ull >> 31);
    }
    return sum * (n + 1);
}

static void try_cycle(struct graph *g, const uint32_t *edges, uint32_t n)
{
    uint64_t key = cycle_key(g, edges, n);
    if (pf_hash_map_find(&g->found, key) != PF_HASH_NONE)
        return;
    size_t before = g->tried.len; /* other edges with the same sites may have been tried */
    pf_hash_map_put(&g->tried, key, 0);
    g->out->cycles += g->tried.len - before;
    uint32_t at[PF_CYCLE_MAX] = {0}, events[PF_CYCLE_MAX];
    bool open = false; /* order allows the cycle, but no schedule was found */
    for (uint32_t tries = 0;; tries++) { /* all combinations of the events kept */
        if (tries == TRIES_MAX || pf_stop_poll(g->stop, "cycles of locks", g->out->cycles, 0)) {
            g->out->cut = true;
            return;
        }
        for (uint32_t i = 0; i < n; i++)
            events[i] = g->edges.at[edges[i]].event[at[i]];
        bool allowed = unordered(g, events, n);
        if (allowed && pf_rescheduler_run_deadlock(&g->s, events, n)) {
            struct pf_cycle c = {.n = n, .start = g->s.start, .norder = (uint32_t)g->s.order.len};
            c.order = pf_mem_resize(NULL, c.norder + 1, sizeof *c.order);
            memcpy(c.order, g->s.order.at, c.norder * sizeof *c.order);
            for (uint32_t i = 0; i < n; i++) {
                c.take[i] = events[i];
                c.held[i] = g->edges.at[edges[i]].from;
            }
            pf_vec_push(&g->out->at, c);
            pf_hash_map_add(&g->found, key, 0);
            return;
        }
        open |= allowed;
        uint32_t i = 0;
        while (i < n && ++at[i] == g->edges.at[edges[i]].n)
            at[i++] = 0;
        if (i == n)
            break;
    }
    bool more = false;
    for (uint32_t i = 0; i < n; i++)
        more |= g->edges.at[edges[i]].more;
    g->out->cut |= open || (more && !always_ordered(g, edges, n));
}

/* True if edge k can extend the path edges[0 .. n). */
static bool can_extend(struct graph *g, const uint32_t *edges, uint32_t n, uint32_t k)
{
    const struct edge *e = &g->edges.at[k];
    bool ok = k > edges[0] && !(g->edges.at[edges[n - 1]].to_shared && e->from_shared);
    for (uint32_t i = 0; i < n && ok; i++)
        ok = can_block_together(g, &g->edges.at[edges[i]], e) &&
             g->edges.at[edges[i]].from != e->from;
    return ok;
}

/* Extends the path edges[0 .. n), in which each edge wants the lock that the next one holds, to
 * cycles of `length` edges. */
static void extend_path(struct graph *g, uint32_t *edges, uint32_t n, uint32_t length)
{
    const struct edge first = g->edges.at[edges[0]], last = g->edges.at[edges[n - 1]];
    if (n == length && last.to == first.from && !(last.to_shared && first.from_shared))
        try_cycle(g, edges, n);
    if (n == length && length < PF_CYCLE_MAX)
        return;
    for (uint32_t k = g->from[last.to]; k != PF_NONE; k = g->edges.at[k].next) {
        if (!can_extend(g, edges, n, k))
            continue;
        if (n == length || g->steps++ >= STEPS_MAX || (g->stop && g->stop->stopped)) {
            g->out->cut = true; /* there may be a longer cycle, or another one */
            return;
        }
        edges[n] = k;
        extend_path(g, edges, n + 1, length);
    }
}

void pf_lock_graph_find(const struct pf_trace *t, struct pf_stop *stop, struct pf_cycles *out)
{
    struct graph g = {.out = out, .stop = stop};
    struct pf_trace_index x;
    memset(out, 0, sizeof *out);
    pf_partial_order_init(&g.g, t);
    pf_trace_index_init(&x, t, t->has_calls ? PF_MISSING_RDIT : PF_MISSING_IGNORE);
    pf_rescheduler_init(&g.s, &g.g, &x);
    g.s.stop = stop;
    g.from = pf_mem_resize(NULL, t->locks.len + 1, sizeof *g.from);
    memset(g.from, 0xff, t->locks.len * sizeof *g.from);
    collect(&g);
    for (uint32_t length = 2; length <= PF_CYCLE_MAX && length <= t->threads.len; length++)
        for (uint32_t i = 0; i < g.edges.len && g.steps < STEPS_MAX; i++) {
            if (pf_stop_poll(stop, "cycles of locks", i, g.edges.len)) {
                out->cut = true;
                break;
            }
            extend_path(&g, (uint32_t[PF_CYCLE_MAX]){i}, 1, length);
        }
    out->cut |= g.s.cut > 0;
    pf_rescheduler_release(&g.s);
    pf_trace_index_release(&x);
    pf_partial_order_release(&g.g);
    pf_vec_release(&g.edges);
    pf_hash_map_release(&g.tried);
    pf_hash_map_release(&g.found);
    free(g.from);
    pf_hash_map_release(&g.by_hash);
}

void pf_cycles_release(struct pf_cycles *c)
{
    for (size_t i = 0; i < c->at.len; i++)
        free(c->at.at[i].order);
    pf_vec_release(&c->at);
}

void pf_analysis_deadlock(const struct pf_trace *t, const struct pf_limits *limits,
                          struct pf_result *out)
{
    pf_lock_graph_find(t, limits->stop, &out->cycles);
    out->stopped = limits->stop && limits->stop->stopped;
}
