/*
 * sync_preserving.c - see sync_preserving.h.
 *
 * A closure is a prefix of the events of each thread, so a vector represents it. The stamp of an
 * event is the closure that the event alone requires, without the lock rule; stamps are computed
 * once. To close a join of stamps, only the lock rule remains; it is applied to the locks with an
 * acquire that has entered the closure. Closures only grow along the accesses of two threads. So
 * searching two lists of accesses (each of one thread, one site and one cell) takes linear time: an
 * access that is in the closure need never be examined again.
 */
#include "sync_preserving.h"
#include <assert.h>
#include <string.h>

struct syncp_section {
    uint32_t pos, acquire, release; /* pos: position of the acquire in its thread */
    uint32_t exclusive; /* 1 + the thread's newest exclusive acquire up to this one; 0: none */
    bool shared;
};
struct lock_sections { /* the sections of one lock in one thread */
    PF_VEC(struct syncp_section) all;
    uint32_t in; /* number of sections in the closure */
};
struct syncp_access {
    uint32_t cell, site, event;
    uint16_t thread;
    bool writes, atomic;
};
struct pf_sync_preserving {
    const struct pf_trace *t;
    const struct pf_trace_index *x;
    uint32_t nt, nlocks;
    uint32_t *ev, *ev_at; /* events of each thread */
    /* per event: how many events of each thread it requires, itself included */
    uint32_t *stamps;
    uint32_t *set;        /* the closure: number of events of each thread */
    struct lock_sections *holders; /* index: lock * nt + thread */
    uint32_t *acquire_pos, *acquire_lock; /* the acquires of each thread, in its order */
    uint32_t *acquire_at; /* per thread: where its acquires begin */
    uint32_t *acquired; /* per thread: its first acquire outside the closure */
    bool *due, *touched; /* per lock: it is in `todo`; in `changed` */
    pf_vec_u32 todo; /* locks to which the lock rule must be applied */
    pf_vec_u32 changed; /* locks with sections in the closure */
    PF_VEC(struct syncp_access) accesses; /* list by list */
    uint32_t *list_end; /* per access: the end of its list */
    struct pf_pair_set searched; /* pairs of lists, by their first accesses */
    uint64_t work; /* see pf_sync_preserving_work */
};

static uint32_t event_at(const struct pf_sync_preserving *r, uint32_t t, uint32_t pos)
{
    return r->ev[r->ev_at[t] + pos];
}

static bool join(uint32_t *dst, const uint32_t *src, uint32_t n)
{
    bool grew = false;
    for (uint32_t u = 0; u < n; u++)
        if (src[u] > dst[u]) {
            dst[u] = src[u];
            grew = true;
        }
    return grew;
}

static const uint32_t *stamp(const struct pf_sync_preserving *r, uint32_t e)
{
    return r->stamps + (size_t)e * r->nt;
}

/* Adds the threads that held the lock when a trylock failed. */
static void add_holders(struct pf_sync_preserving *r, uint32_t *c, uint32_t lock, uint32_t e)
{
    for (uint32_t u = 0; u < r->nt; u++) {
        struct lock_sections *h = &r->holders[(size_t)lock * r->nt + u];
        for (uint32_t k = 0; k < h->all.len && h->all.at[k].acquire < e; k++)
            if (h->all.at[k].release > e)
                join(c, stamp(r, h->all.at[k].acquire), r->nt);
    }
}

static void make_stamps(struct pf_sync_preserving *r)
{
    uint32_t *writer = pf_mem_resize(NULL, r->t->cells.len, sizeof *writer);
    memset(writer, 0xff, r->t->cells.len * sizeof *writer);
    r->stamps = pf_mem_zero((size_t)r->x->n * r->nt, sizeof *r->stamps);
    for (uint32_t i = 0; i < r->x->n; i++) {
        const struct pf_event *e = &r->t->events.at[i];
        uint32_t *c = r->stamps + (size_t)i * r->nt;
        if (r->x->before[i] != PF_NONE)
            memcpy(c, stamp(r, r->x->before[i]), r->nt * sizeof *c);
        c[e->thread] = r->x->pos[i] + 1;
        PF_EDGES_EACH(k, &r->x->pred, i)
        join(c, stamp(r, r->x->pred.at.at[k + 1]), r->nt);
        if (e->kind == PF_EV_TRYFAIL)
            add_holders(r, c, e->what, i);
        if (!pf_event_is_access(e))
            continue;
        const struct pf_range *p = &r->t->places.at[e->what];
        for (uint32_t k = p->cell0; k < p->cell0 + p->ncells; k++) {
            if (!r->t->cells.at[k].shared)
                continue;
            if (pf_event_reads(e) && writer[k] != PF_NONE)
                join(c, stamp(r, writer[k]), r->nt);
            if (pf_event_writes(e))
                writer[k] = i;
        }
    }
    free(writer);
}

static void find_sections(struct pf_sync_preserving *r)
{
    r->holders = pf_mem_zero((size_t)r->nlocks * r->nt, sizeof *r->holders);
    r->acquire_at = pf_mem_zero(r->nt + 1ull, sizeof *r->acquire_at);
    r->acquired = pf_mem_zero(r->nt, sizeof *r->acquired);
    r->due = pf_mem_zero(r->nlocks, sizeof *r->due);
    r->touched = pf_mem_zero(r->nlocks, sizeof *r->touched);
    for (uint32_t i = 0; i < r->x->n; i++)
        r->acquire_at[r->t->events.at[i].thread + 1] += pf_event_acquires(&r->t->events.at[i]);
    for (uint32_t u = 0; u < r->nt; u++) {
        r->acquire_at[u + 1] += r->acquire_at[u];
        r->acquired[u] = r->acquire_at[u];
    }
    r->acquire_pos = pf_mem_resize(NULL, r->acquire_at[r->nt], sizeof *r->acquire_pos);
    r->acquire_lock = pf_mem_resize(NULL, r->acquire_at[r->nt], sizeof *r->acquire_lock);
    for (uint32_t i = 0; i < r->x->n; i++) {
        const struct pf_event *e = &r->t->events.at[i];
        if (!pf_event_acquires(e))
            continue;
        struct lock_sections *h = &r->holders[(size_t)pf_event_lock(e) * r->nt + e->thread];
        bool shared = pf_event_shared(e);
        uint32_t before = h->all.len ? h->all.at[h->all.len - 1].exclusive : 0;
        pf_vec_push(&h->all, (struct syncp_section){r->x->pos[i], i, r->x->match[i],
                                                    shared ? before : i + 1, shared});
        r->acquire_pos[r->acquired[e->thread]] = r->x->pos[i];
        r->acquire_lock[r->acquired[e->thread]++] = pf_event_lock(e);
    }
}

/* Adds everything that must come before e to the closure. Explicit edges are needed in addition to
 * the previous event's stamp, because e may be the first event of its thread. */
static void add_predecessors(struct pf_sync_preserving *r, uint32_t e)
{
    if (r->x->before[e] != PF_NONE)
        join(r->set, stamp(r, r->x->before[e]), r->nt);
    PF_EDGES_EACH(k, &r->x->pred, e)
    join(r->set, stamp(r, r->x->pred.at.at[k + 1]), r->nt);
}

static bool in_closure(const struct pf_sync_preserving *r, uint32_t e)
{
    return r->x->pos[e] < r->set[r->t->events.at[e].thread];
}

/* Advances h->in over the sections that begin before position `pos`, by galloping search. */
static void advance(struct lock_sections *h, uint32_t pos)
{
    uint32_t lo = h->in, step = 1;
    while (lo < h->all.len && h->all.at[lo].pos < pos) {
        h->in = lo + 1;
        lo += step;
        step *= 2;
    }
    lo = lo < h->all.len ? lo : (uint32_t)h->all.len;
    while (h->in < lo) {
        uint32_t mid = (h->in + lo) / 2;
        if (h->all.at[mid].pos < pos)
            h->in = mid + 1;
        else
            lo = mid;
    }
}

/* If two acquires of the lock are in the closure, not both shared, adds the release of the earlier
 * one. */
static void close_lock(struct pf_sync_preserving *r, struct lock_sections *h)
{
    /* 1 + event: the newest acquire; the newest exclusive acquire */
    uint32_t newest[2] = {0, 0}, in = 0;
    for (uint32_t u = 0; u < r->nt; u++) {
        advance(&h[u], r->set[u]);
        if (!h[u].in)
            continue;
        in++;
        const struct syncp_section *s = &h[u].all.at[h[u].in - 1];
        if (s->acquire >= newest[0])
            newest[0] = s->acquire + 1;
        if (s->exclusive > newest[1])
            newest[1] = s->exclusive;
    }
    for (uint32_t u = 0; u < r->nt && in > 1; u++) {
        if (!h[u].in)
            continue;
        const struct syncp_section *s = &h[u].all.at[h[u].in - 1];
        if (s->acquire + 1 < newest[s->shared]) {
            assert(s->release != PF_NONE); /* guaranteed by the consistency of the trace */
            join(r->set, stamp(r, s->release), r->nt);
        }
    }
}

static void add_todo(struct pf_sync_preserving *r, uint32_t lock)
{
    if (!r->due[lock])
        pf_vec_push(&r->todo, lock);
    if (!r->touched[lock])
        pf_vec_push(&r->changed, lock);
    r->due[lock] = r->touched[lock] = true;
}

/* Adds the locks with an acquire that has entered the closure to `todo`: all of them, if there are
 * more new acquires than locks. */
static void find_todo(struct pf_sync_preserving *r)
{
    for (uint32_t u = 0; u < r->nt; u++) {
        uint32_t k = r->acquired[u], end = r->acquire_at[u + 1], most = k + r->nlocks;
        for (; k < end && k < most && r->acquire_pos[k] < r->set[u]; k++)
            add_todo(r, r->acquire_lock[k]);
        r->work += k - r->acquired[u] + 1;
        if (k == most && k < end && r->acquire_pos[k] < r->set[u]) {
            for (uint32_t l = 0; l < r->nlocks; l++)
                add_todo(r, l);
            while (k < end) { /* finds the first one that is not in the closure */
                uint32_t mid = (k + end) / 2;
                if (r->acquire_pos[mid] < r->set[u])
                    k = mid + 1;
                else
                    end = mid;
            }
        }
        r->acquired[u] = k;
    }
}

static void close_set(struct pf_sync_preserving *r)
{
    for (find_todo(r); r->todo.len; find_todo(r)) {
        r->work += r->todo.len * r->nt;
        while (r->todo.len) {
            uint32_t lock = r->todo.at[--r->todo.len];
            r->due[lock] = false;
            close_lock(r, r->holders + (size_t)lock * r->nt);
        }
    }
}

static void reset(struct pf_sync_preserving *r)
{
    memset(r->set, 0, r->nt * sizeof *r->set);
    memcpy(r->acquired, r->acquire_at, r->nt * sizeof *r->acquired);
    for (size_t k = 0; k < r->changed.len; k++) {
        uint32_t lock = r->changed.at[k];
        r->touched[lock] = false;
        for (uint32_t u = 0; u < r->nt; u++)
            r->holders[(size_t)lock * r->nt + u].in = 0;
    }
    pf_vec_clear(&r->changed);
}

static struct pf_race race_of(const struct pf_sync_preserving *r, uint32_t a, uint32_t b)
{
    /* The witness begins at the first event outside the closure; everything before it is
     * unchanged. */
    uint32_t start = a < b ? a : b, last = 0, n = 0;
    for (uint32_t u = 0; u < r->nt; u++) {
        if (r->set[u] < r->ev_at[u + 1] - r->ev_at[u] && event_at(r, u, r->set[u]) < start)
            start = event_at(r, u, r->set[u]);
        if (r->set[u] && event_at(r, u, r->set[u] - 1) > last)
            last = event_at(r, u, r->set[u] - 1);
    }
    struct pf_race race = {.a = a < b ? a : b, .b = a < b ? b : a, .start = start};
    for (uint32_t e = start; e <= last && e < r->x->n; e++)
        n += in_closure(r, e);
    race.order = pf_mem_resize(NULL, n, sizeof *race.order);
    for (uint32_t e = start; e <= last && e < r->x->n; e++)
        if (in_closure(r, e))
            race.order[race.norder++] = e;
    return race;
}

/* Searches two lists of accesses to one cell, each of one thread and one site, for one race. */
static bool search(struct pf_sync_preserving *r, const struct syncp_access *as, size_t na,
                   const struct syncp_access *bs, size_t nb, struct pf_race *out)
{
    reset(r);
    size_t i = 0;
    for (size_t k = 0; k < nb && i < na; k++) {
        add_predecessors(r, bs[k].event);
        while (i < na && !in_closure(r, bs[k].event)) {
            if (!in_closure(r, as[i].event))
                add_predecessors(r, as[i].event);
            if (!in_closure(r, as[i].event) && !in_closure(r, bs[k].event)) {
                close_set(r); /* only now: most pairs are ordered without the lock rule */
                if (!in_closure(r, as[i].event) && !in_closure(r, bs[k].event)) {
                    *out = race_of(r, as[i].event, bs[k].event);
                    return true;
                }
            }
            if (in_closure(r, as[i].event))
                i++; /* in the closure, and so in all later ones */
            else
                break; /* it requires bs[k], so only a later access of bs can race with it */
        }
    }
    return false;
}

static int by_list(const void *x, const void *y)
{
    const struct syncp_access *a = x, *b = y;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (a->writes != b->writes || a->atomic != b->atomic)
        return a->writes * 2 + a->atomic < b->writes * 2 + b->atomic ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

/* The first access of the list that contains the access of event e to the cell. */
static uint32_t list_of(const struct pf_sync_preserving *r, uint32_t cell, uint32_t e)
{
    const struct pf_event *v = &r->t->events.at[e];
    struct syncp_access key = {cell, v->site, 0, v->thread, pf_event_writes(v), pf_event_atomic(v)};
    size_t lo = 0, hi = r->accesses.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (by_list(&r->accesses.at[mid], &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

bool pf_sync_preserving_pair(struct pf_sync_preserving *r, uint32_t a, uint32_t b,
                             struct pf_race *out)
{
    reset(r);
    add_predecessors(r, a);
    add_predecessors(r, b);
    if (in_closure(r, a) || in_closure(r, b))
        return false;
    close_set(r);
    if (in_closure(r, a) || in_closure(r, b))
        return false;
    *out = race_of(r, a, b);
    return true;
}

bool pf_sync_preserving_search(struct pf_sync_preserving *r, uint32_t a, uint32_t b,
                               struct pf_race *out)
{
    const struct pf_event *v = &r->t->events.at[a], *w = &r->t->events.at[b];
    const struct pf_range *p = &r->t->places.at[v->what], *q = &r->t->places.at[w->what];
    uint32_t cell = p->cell0 > q->cell0 ? p->cell0 : q->cell0; /* the first cell that they share */
    uint32_t i = list_of(r, cell, a), k = list_of(r, cell, b);
    return pf_pair_set_add(&r->searched, i, k) &&
           search(r, &r->accesses.at[i], r->list_end[i] - i, &r->accesses.at[k], r->list_end[k] - k,
                  out);
}

uint64_t pf_sync_preserving_work(const struct pf_sync_preserving *r) { return r->work; }

static void prepare(struct pf_sync_preserving *r)
{
    r->ev = pf_mem_resize(NULL, r->x->n, sizeof *r->ev);
    r->ev_at = pf_mem_zero(r->nt + 1ull, sizeof *r->ev_at);
    for (uint32_t i = 0; i < r->x->n; i++)
        r->ev_at[r->t->events.at[i].thread + 1]++;
    for (uint32_t u = 0; u < r->nt; u++)
        r->ev_at[u + 1] += r->ev_at[u];
    for (uint32_t i = 0; i < r->x->n; i++) {
        const struct pf_event *e = &r->t->events.at[i];
        r->ev[r->ev_at[e->thread] + r->x->pos[i]] = i;
        const struct pf_range *p = pf_event_is_access(e) ? &r->t->places.at[e->what] : NULL;
        for (uint32_t c = p ? p->cell0 : 0; p && c < p->cell0 + p->ncells; c++)
            if (r->t->cells.at[c].shared && r->t->cells.at[c].written)
                pf_vec_push(&r->accesses,
                            (struct syncp_access){c, e->site, i, e->thread, pf_event_writes(e),
                                                  pf_event_atomic(e)});
    }
    if (r->accesses.len)
        qsort(r->accesses.at, r->accesses.len, sizeof *r->accesses.at, by_list);
    r->list_end = pf_mem_resize(NULL, r->accesses.len + 1, sizeof *r->list_end);
    for (size_t i = r->accesses.len; i-- > 0;) {
        struct syncp_access next =
            i + 1 < r->accesses.len ? r->accesses.at[i + 1] : r->accesses.at[i];
        next.event = r->accesses.at[i].event;
        bool last = i + 1 == r->accesses.len || by_list(&r->accesses.at[i], &next);
        r->list_end[i] = last ? (uint32_t)i + 1 : r->list_end[i + 1];
    }
}

struct pf_sync_preserving *pf_sync_preserving_new(const struct pf_trace_index *x)
{
    struct pf_sync_preserving *r = pf_mem_zero(1, sizeof *r);
    r->t = x->t;
    r->x = x;
    r->nt = (uint32_t)x->t->threads.len;
    r->nlocks = (uint32_t)x->t->locks.len;
    prepare(r);
    find_sections(r);
    make_stamps(r);
    r->set = pf_mem_zero(r->nt, sizeof *r->set);
    return r;
}

void pf_sync_preserving_free(struct pf_sync_preserving *r)
{
    for (size_t k = 0; r && k < (size_t)r->nlocks * r->nt; k++)
        pf_vec_release(&r->holders[k].all);
    if (!r)
        return;
    void *all[] = {r->ev,         r->ev_at,    r->stamps,      r->set,
                   r->holders,    r->list_end, r->acquire_pos, r->acquire_lock,
                   r->acquire_at, r->acquired, r->due,         r->touched};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&r->accesses);
    pf_vec_release(&r->todo);
    pf_vec_release(&r->changed);
    pf_pair_set_release(&r->searched);
    free(r);
}
