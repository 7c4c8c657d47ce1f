/*
 * causally_precedes.c - the causally-precedes relation (Smaragdakis and others, 2012), in windows.
 *
 * CP is the smallest relation with
 *   (a) rel(C1) CP acq(C2) for critical sections C1, C2 of one lock, C1 first, that contain
 *       conflicting accesses;
 *   (b) rel(C1) CP acq(C2) for critical sections C1, C2 of one lock, C1 first, with acq(C1) CP
 *       rel(C2);
 *   (c) HB ; CP and CP ; HB are contained in CP;
 * where fork/join, notify/wake, barriers, messages and atomics order as in HB. So CP = HB ; E ; HB
 * for a set E of edges, which is computed as a fixpoint over pairs of sections. A conflicting pair
 * that CP leaves unordered is a candidate. Only the first candidate of a trace is guaranteed to be
 * a race or a deadlock.
 *
 * The relation needs quadratic memory, so the trace is split into windows that overlap by half. The
 * order of two events of a window depends on edges within the window only; but whether rule (a) or
 * (b) applies to two sections may depend on events outside, if one of the two sections extends
 * beyond the window. Then the two are taken to be ordered. So a window may miss a candidate, but
 * reports none that the whole trace orders.
 */
#include "analysis.h"
#include "clocks.h"
#include "engine/trace_index.h"
#include <string.h>

struct cp_section {
    uint32_t acquire, release; /* relative to the window; release == n if the section ends later */
    uint32_t last; /* its release, or the thread's last event in the window */
    uint32_t lock;
    uint16_t thread;
    bool shared;
    bool open; /* at the start of the window (`acquire` is then 0), or at its end */
};
struct cp {
    const struct pf_trace *t;
    struct pf_trace_index x;
    struct pf_clocks o;
    uint32_t lo, n, words;
    /* bit matrices: row x has the events ordered after x (hb: including x itself) */
    uint64_t *hb, *cp;
    uint32_t *epoch, *clock; /* epoch and clock of each event */
    uint8_t *flags; /* of each event of the trace (pf_trace_fold_atomic_order) */
    PF_VEC(struct cp_section) sections;
    pf_vec_u32 todo; /* pairs of sections that have no edge yet */
};

static const struct pf_event *at(const struct cp *c, uint32_t i)
{
    return &c->t->events.at[c->lo + i];
}

static bool bit(const struct cp *c, const uint64_t *m, uint32_t x, uint32_t y)
{
    return m[(size_t)x * c->words + y / 64] >> y % 64 & 1;
}

/* Adds the edge from -> to to E. */
static void add_edge(struct cp *c, uint32_t from, uint32_t to)
{
    if (bit(c, c->cp, from, to))
        return;
    for (uint32_t x = 0; x < c->n; x++)
        if (bit(c, c->hb, x, from))
            for (uint32_t w = 0; w < c->words; w++)
                c->cp[(size_t)x * c->words + w] |= c->hb[(size_t)to * c->words + w];
}

static void fill_hb(struct cp *c)
{
    memset(c->hb, 0, (size_t)c->n * c->words * sizeof *c->hb);
    memset(c->cp, 0, (size_t)c->n * c->words * sizeof *c->cp);
    for (uint32_t y = 0; y < c->n; y++)
        for (uint32_t x = 0; x <= y; x++) {
            uint32_t t = at(c, x)->thread;
            if (t == at(c, y)->thread || c->epoch[x] <= c->clock[(size_t)y * c->o.nt + t])
                c->hb[(size_t)x * c->words + y / 64] |= 1ull << y % 64;
        }
}

static void fill_sections(struct cp *c)
{
    pf_vec_clear(&c->sections);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct pf_event *e = at(c, i);
        bool releases = pf_event_releases(e) && c->x.match[c->lo + i] != PF_NONE;
        if (releases && c->x.match[c->lo + i] < c->lo)
            pf_vec_push(&c->sections, (struct cp_section){0, i, i, pf_event_lock(e), e->thread,
                                                          pf_event_shared(e), true});
    }
    for (uint32_t i = 0; i < c->n; i++) {
        const struct pf_event *e = at(c, i);
        if (!pf_event_acquires(e))
            continue;
        uint32_t release = c->x.match[c->lo + i];
        release = release == PF_NONE || release >= c->lo + c->n ? c->n : release - c->lo;
        bool open = release == c->n && c->lo + c->n < c->t->events.len;
        pf_vec_push(&c->sections, (struct cp_section){i, release, release, pf_event_lock(e),
                                                      e->thread, pf_event_shared(e), open});
    }
    uint32_t *last = pf_mem_zero(c->t->threads.len, sizeof *last);
    for (uint32_t i = 0; i < c->n; i++)
        last[at(c, i)->thread] = i;
    for (size_t k = 0; k < c->sections.len; k++)
        if (c->sections.at[k].release >= c->n)
            c->sections.at[k].last = last[c->sections.at[k].thread];
    free(last);
}

static bool sections_conflict(const struct cp *c, const struct cp_section *p,
                              const struct cp_section *q)
{
    for (uint32_t i = p->acquire; i < p->release; i++)
        if (at(c, i)->thread == p->thread && pf_event_is_access(at(c, i)))
            for (uint32_t k = q->acquire; k < q->release && k < c->n; k++)
                if (at(c, k)->thread == q->thread && pf_trace_conflict(c->t, at(c, i), at(c, k)))
                    return true;
    return false;
}

/* What an atomic acquires from one cell: all releases back to and including the last store that is
 * not an rmw. */
static void atomic_edges(struct cp *c, uint32_t i, uint32_t cell)
{
    for (uint32_t k = i; k-- > 0;) {
        const struct pf_event *e = at(c, k);
        if (e->kind != PF_EV_AWRITE && e->kind != PF_EV_RMW)
            continue;
        const struct pf_range *p = &c->t->places.at[e->what];
        if (cell < p->cell0 || cell >= p->cell0 + p->ncells)
            continue;
        if (e->thread != at(c, i)->thread &&
            !(c->flags[c->lo + k] & (PF_EF_RELAXED | PF_EF_ACQUIRE)))
            add_edge(c, k, i);
        if (e->kind == PF_EV_AWRITE)
            return;
    }
}

/* Adds the edges that do not depend on locks. */
static void lock_independent_edges(struct cp *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        const struct pf_event *e = at(c, i);
        PF_EDGES_EACH(k, &c->x.pred, c->lo + i)
        if (c->x.pred.at.at[k + 1] >= c->lo)
            add_edge(c, c->x.pred.at.at[k + 1] - c->lo, i);
        if ((e->kind != PF_EV_AREAD && e->kind != PF_EV_RMW) ||
            (c->flags[c->lo + i] & (PF_EF_RELAXED | PF_EF_RELEASE)))
            continue;
        const struct pf_range *p = &c->t->places.at[e->what];
        for (uint32_t cell = p->cell0; cell < p->cell0 + p->ncells; cell++)
            atomic_edges(c, i, cell);
    }
}

static void close_sections(struct cp *c)
{
    pf_vec_clear(&c->todo);
    for (uint32_t i = 0; i < c->sections.len; i++)
        for (uint32_t k = i + 1; k < c->sections.len; k++) {
            const struct cp_section *p = &c->sections.at[i], *q = &c->sections.at[k];
            if (p->lock != q->lock || p->thread == q->thread || (p->shared && q->shared) ||
                p->release >= c->n || p->release > q->acquire)
                continue;
            if (p->open || q->open || sections_conflict(c, p, q))
                add_edge(c, p->release, q->acquire);
            else {
                pf_vec_push(&c->todo, i);
                pf_vec_push(&c->todo, k);
            }
        }
    for (bool more = true; more;) {
        more = false;
        size_t keep = 0;
        for (size_t j = 0; j < c->todo.len; j += 2) {
            const struct cp_section *p = &c->sections.at[c->todo.at[j]];
            const struct cp_section *q = &c->sections.at[c->todo.at[j + 1]];
            if (bit(c, c->cp, p->acquire, q->last)) {
                add_edge(c, p->release, q->acquire);
                more = true;
            } else {
                c->todo.at[keep++] = c->todo.at[j];
                c->todo.at[keep++] = c->todo.at[j + 1];
            }
        }
        c->todo.len = keep;
    }
}

void pf_analysis_cp(const struct pf_trace *t, const struct pf_limits *limits, struct pf_result *out)
{
    uint32_t window = limits->cp_window;
    struct cp c = {.t = t, .words = (window + 63) / 64, .flags = pf_trace_fold_atomic_order(t)};
    struct pf_pair_set seen = {0};
    uint32_t total = (uint32_t)t->events.len, nt = (uint32_t)t->threads.len;
    pf_trace_index_init(&c.x, t, PF_MISSING_IGNORE);
    pf_clocks_init(&c.o, t, PF_CLOCKS_LOCKS | PF_CLOCKS_ATOMICS);
    c.hb = pf_mem_resize(NULL, (size_t)window * c.words, sizeof *c.hb);
    c.cp = pf_mem_resize(NULL, (size_t)window * c.words, sizeof *c.cp);
    c.epoch = pf_mem_resize(NULL, window, sizeof *c.epoch);
    c.clock = pf_mem_resize(NULL, (size_t)window * nt, sizeof *c.clock);
    uint32_t done = 0; /* number of events whose clock is known */
    for (c.lo = 0; c.lo < total; c.lo += window / 2) {
        uint32_t kept = done > c.lo ? done - c.lo : 0;
        memmove(c.epoch, c.epoch + (c.n - kept), kept * sizeof *c.epoch);
        memmove(c.clock, c.clock + (size_t)(c.n - kept) * nt, (size_t)kept * nt * sizeof *c.clock);
        c.n = total - c.lo < window ? total - c.lo : window;
        for (; done < c.lo + c.n; done++) {
            pf_clocks_enter(&c.o, done);
            const struct pf_event *e = &t->events.at[done];
            c.epoch[done - c.lo] = pf_clocks_epoch(&c.o, e->thread);
            memcpy(c.clock + (size_t)(done - c.lo) * nt, c.o.clock + (size_t)e->thread * nt,
                   nt * sizeof *c.clock);
            pf_clocks_leave(&c.o, done);
        }
        fill_hb(&c);
        fill_sections(&c);
        lock_independent_edges(&c);
        close_sections(&c);
        for (uint32_t i = 0; i < c.n; i++)
            for (uint32_t k = i + 1; k < c.n && pf_event_is_access(at(&c, i)); k++)
                if (pf_trace_conflict(t, at(&c, i), at(&c, k)) && !bit(&c, c.cp, i, k)) {
                    out->pairs++;
                    if (limits->all_pairs ||
                        pf_pair_set_add(&seen, at(&c, i)->site, at(&c, k)->site))
                        pf_vec_push(&out->races, (struct pf_race){.a = c.lo + i, .b = c.lo + k});
                }
        if (c.lo + c.n == total)
            break;
        if (pf_stop_poll(limits->stop, "events", c.lo + c.n, total)) {
            out->stopped = true;
            break;
        }
        out->windows++;
    }
    free(c.hb);
    free(c.cp);
    free(c.epoch);
    free(c.clock);
    free(c.flags);
    pf_vec_release(&c.sections);
    pf_vec_release(&c.todo);
    pf_clocks_release(&c.o);
    pf_trace_index_release(&c.x);
    pf_pair_set_release(&seen);
    pf_result_sort(out);
}
