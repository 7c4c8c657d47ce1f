// sources: src/trace/*.c src/predict/*.c src/predict/*/*.c test/oracle/reorder/*.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
// flags: -D_GNU_SOURCE -O1
/*
 * predict_analyses.c - every analysis against a naive implementation of its definition, on random
 * traces. Definitions are matrices over all pairs of events, closed by brute force.
 */
#include "../oracle/reorder/random_trace.h"
#include "analysis.h"
#include "selfcheck.h"
#include "trace_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MAX 64

static uint64_t cp_windows_races;

struct relation {
    bool is[MAX][MAX];
};

static const struct pf_event *at(const struct pf_trace *t, uint32_t i) { return &t->events.at[i]; }

static void close_over(struct relation *r, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && r->is[i][k]; j++)
                r->is[i][j] |= r->is[k][j];
}

/* Fork and join, notify and wake, barriers, messages. */
static bool hard(const struct pf_trace *t, uint32_t f, uint32_t i)
{
    const struct pf_event *g = at(t, f), *e = at(t, i);
    return (g->kind == PF_EV_FORK && g->what == e->thread) ||
           (e->kind == PF_EV_JOIN && e->what == g->thread) ||
           (e->kind == PF_EV_WAKE && pf_trace_waker(t, i) == f) ||
           (g->kind == PF_EV_ARRIVE && e->kind == PF_EV_DEPART && g->what == e->what &&
            g->link == e->link) ||
           (g->kind == PF_EV_POST && e->kind == PF_EV_TAKE && g->what == e->what);
}

static bool ranges_overlap(const struct pf_trace *t, const struct pf_event *a,
                           const struct pf_event *b)
{
    const struct pf_range *p = &t->places.at[a->what], *q = &t->places.at[b->what];
    return p->block == q->block && p->addr < q->addr + q->size && q->addr < p->addr + p->size;
}

/* True if the atomic at i acquires what the atomic at f released. Release sequences: f's store,
 * then only read-modify-writes until i, byte by byte. */
static bool atomic_edge(const struct pf_trace *t, uint32_t f, uint32_t i)
{
    const struct pf_event *g = at(t, f), *e = at(t, i);
    if ((g->kind != PF_EV_AWRITE && g->kind != PF_EV_RMW) ||
        (e->kind != PF_EV_AREAD && e->kind != PF_EV_RMW) || !ranges_overlap(t, g, e) ||
        (g->flags & (PF_EF_RELAXED | PF_EF_ACQUIRE)) ||
        (e->flags & (PF_EF_RELAXED | PF_EF_RELEASE)))
        return false;
    const struct pf_range *p = &t->places.at[g->what], *q = &t->places.at[e->what];
    for (uint64_t byte = p->addr; byte < p->addr + p->size; byte++) {
        bool whole = byte >= q->addr && byte < q->addr + q->size;
        for (uint32_t k = f + 1; k < i && whole; k++) {
            const struct pf_event *m = at(t, k);
            if (m->kind == PF_EV_AWRITE) {
                const struct pf_range *s = &t->places.at[m->what];
                whole = byte < s->addr || byte >= s->addr + s->size;
            }
        }
        if (whole)
            return true;
    }
    return false;
}

static bool lock_edge(const struct pf_trace *t, uint32_t f, uint32_t i)
{
    const struct pf_event *g = at(t, f), *e = at(t, i);
    return pf_event_releases(g) && pf_event_acquires(e) && pf_event_lock(g) == pf_event_lock(e) &&
           !(pf_event_shared(g) && pf_event_shared(e));
}

static void relate(const struct pf_trace *t, struct relation *r, bool locks, bool atomics)
{
    uint32_t n = (uint32_t)t->events.len;
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t f = 0; f < i; f++)
            r->is[f][i] = at(t, f)->thread == at(t, i)->thread || hard(t, f, i) ||
                          (locks && lock_edge(t, f, i)) || (atomics && atomic_edge(t, f, i));
    close_over(r, n);
}

static uint32_t matching_release(const struct pf_trace *t, uint32_t i)
{
    for (uint32_t k = i + 1; k < t->events.len; k++)
        if (at(t, k)->thread == at(t, i)->thread && pf_event_releases(at(t, k)) &&
            pf_event_lock(at(t, k)) == pf_event_lock(at(t, i)))
            return k;
    return PF_NONE;
}

/* True if a and b are in critical sections of one lock, not both as readers. */
static bool excluded(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < a; i++)
        for (uint32_t k = 0; k < b; k++)
            if (pf_event_acquires(at(t, i)) && at(t, i)->thread == at(t, a)->thread &&
                pf_event_acquires(at(t, k)) && at(t, k)->thread == at(t, b)->thread &&
                pf_event_lock(at(t, i)) == pf_event_lock(at(t, k)) &&
                !(pf_event_shared(at(t, i)) && pf_event_shared(at(t, k))) &&
                matching_release(t, i) > a && matching_release(t, k) > b)
                return true;
    return false;
}

/* The rules of Smaragdakis et al., applied until nothing changes. */
static void relate_cp(const struct pf_trace *t, const struct relation *hb, struct relation *cp)
{
    uint32_t n = (uint32_t)t->events.len;
    memset(cp, 0, sizeof *cp);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t f = 0; f < i; f++)
            cp->is[f][i] =
                at(t, f)->thread != at(t, i)->thread && (hard(t, f, i) || atomic_edge(t, f, i));
    for (bool more = true; more;) {
        struct relation old = *cp;
        /* critical sections of one lock, of which the first has ended */
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = a + 1; b < n; b++) {
                uint32_t ra = pf_event_acquires(at(t, a)) ? matching_release(t, a) : PF_NONE;
                if (ra == PF_NONE || !pf_event_acquires(at(t, b)) ||
                    pf_event_lock(at(t, a)) != pf_event_lock(at(t, b)) ||
                    at(t, a)->thread == at(t, b)->thread ||
                    (pf_event_shared(at(t, a)) && pf_event_shared(at(t, b))))
                    continue;
                uint32_t rb = matching_release(t, b), end = rb == PF_NONE ? n : rb + 1;
                for (uint32_t x = a; x <= ra; x++)
                    for (uint32_t y = b; y < end; y++)
                        if (at(t, x)->thread == at(t, a)->thread &&
                            at(t, y)->thread == at(t, b)->thread &&
                            (pf_trace_conflict(t, at(t, x), at(t, y)) || cp->is[x][y]))
                            cp->is[ra][b] = true;
            }
        for (uint32_t x = 0; x < n; x++)
            for (uint32_t y = 0; y < n; y++)
                for (uint32_t z = 0; z < n; z++)
                    if ((cp->is[x][y] && hb->is[y][z]) || (hb->is[x][y] && cp->is[y][z]))
                        cp->is[x][z] = true;
        more = memcmp(&old, cp, sizeof old);
    }
}

/* --- comparing --- */

struct verdicts {
    bool is[MAX][MAX];
};

static void run(const struct pf_trace *t, const char *name, bool all_pairs, struct verdicts *out)
{
    struct pf_result r = {0};
    struct pf_limits limits = pf_limits_default;
    limits.all_pairs = all_pairs;
    limits.history = 1000;
    pf_analysis_find(name, strlen(name))->run(t, &limits, &r);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < r.races.len; i++)
        out->is[r.races.at[i].a][r.races.at[i].b] = true;
    if (r.invalid) {
        pf_trace_write_text(t, stderr);
        fail_msg("%s: the validator rejected a witness", name);
    }
    pf_result_release(&r);
}

static void same(const struct pf_trace *t, uint64_t seed, const char *name,
                 const struct verdicts *got, const struct verdicts *want)
{
    for (uint32_t i = 0; i < t->events.len; i++)
        for (uint32_t k = 0; k < t->events.len; k++)
            if (got->is[i][k] != want->is[i][k]) {
                pf_trace_write_text(t, stderr);
                fail_msg("%s, seed %lu: events %u and %u: got %d, expected %d", name, seed, i + 1,
                         k + 1, got->is[i][k], want->is[i][k]);
            }
}

/* --- stopped early --- */

struct stop_after {
    struct pf_stop stop;
    unsigned left;
};

static bool is_used_up(struct pf_stop *s) { return !((struct stop_after *)(void *)s)->left--; }

/* An analysis that is stopped at any time has a part of its result, and reports that it was
 * stopped. */
static void check_stop(const struct pf_trace *t, uint64_t seed)
{
    for (size_t k = 0; k < pf_nanalyses; k++)
        for (unsigned stop_after = 0, more = true; more && stop_after < 40; stop_after++) {
            struct pf_result whole = {0}, part = {0};
            struct stop_after p = {.stop = {.should_stop = is_used_up}, .left = stop_after};
            struct pf_limits limits = pf_limits_default;
            pf_analyses[k].run(t, &limits, &whole);
            assert_false(whole.stopped);
            limits.stop = &p.stop;
            pf_analyses[k].run(t, &limits, &part);
            more = p.stop.stopped;
            if (part.stopped != p.stop.stopped)
                fail_msg("%s, seed %lu: stopped, but not reported as stopped", pf_analyses[k].name,
                         seed);
            size_t found = 0;
            for (size_t i = 0; i < part.races.len; i++)
                for (size_t j = 0; j < whole.races.len; j++)
                    found += part.races.at[i].a == whole.races.at[j].a &&
                             part.races.at[i].b == whole.races.at[j].b;
            assert_int_equal(found, part.races.len);
            if (!more)
                assert_int_equal(part.races.len, whole.races.len);
            pf_result_release(&whole);
            pf_result_release(&part);
        }
}

/* Marks the cells that have a race. */
static void racy_cells(const struct pf_trace *t, const struct verdicts *v, bool *cells)
{
    memset(cells, 0, MAX);
    for (uint32_t i = 0; i < t->events.len; i++)
        for (uint32_t k = 0; k < t->events.len; k++)
            if (v->is[i][k]) {
                const struct pf_range *p = &t->places.at[at(t, i)->what];
                const struct pf_range *q = &t->places.at[at(t, k)->what];
                for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
                    cells[c] |= c >= q->cell0 && c < q->cell0 + q->ncells;
            }
}

static void check_hb(const struct pf_trace *t, uint64_t seed, const struct relation *hb)
{
    /* Expected: the newest conflicting access of each thread and kind, if it is not ordered. */
    struct verdicts want = {0}, got;
    uint32_t n = (uint32_t)t->events.len;
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t a = 0; a < b; a++) {
            if (!pf_trace_conflict(t, at(t, a), at(t, b)) || hb->is[a][b])
                continue;
            const struct pf_range *p = &t->places.at[at(t, a)->what],
                                  *q = &t->places.at[at(t, b)->what];
            for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
                if (c < q->cell0 || c >= q->cell0 + q->ncells)
                    continue;
                bool newest = true;
                for (uint32_t m = a + 1; m < b; m++) {
                    const struct pf_event *e = at(t, m);
                    if (e->thread != at(t, a)->thread || !pf_event_is_access(e) ||
                        pf_event_writes(e) != pf_event_writes(at(t, a)) ||
                        pf_event_atomic(e) != pf_event_atomic(at(t, a)))
                        continue;
                    const struct pf_range *s = &t->places.at[e->what];
                    newest &= c < s->cell0 || c >= s->cell0 + s->ncells;
                }
                want.is[a][b] |= newest;
            }
        }
    run(t, "hbvc", true, &got);
    same(t, seed, "hbvc", &got, &want);
    run(t, "goldilocks", true, &got);
    same(t, seed, "goldilocks", &got, &want);
    /* FastTrack keeps less, but it finds a race for every cell that has one, and never a false
     * one. */
    bool some[MAX], all[MAX];
    run(t, "hb", true, &got);
    racy_cells(t, &got, some);
    racy_cells(t, &want, all);
    assert_memory_equal(some, all, MAX);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (got.is[a][b])
                assert_true(pf_trace_conflict(t, at(t, a), at(t, b)) && !hb->is[a][b]);
}

static void check_pairs(const struct pf_trace *t, uint64_t seed, const struct relation *order,
                        const struct relation *cp)
{
    struct verdicts hybrid = {0}, causal = {0}, got;
    for (uint32_t b = 0; b < t->events.len; b++)
        for (uint32_t a = 0; a < b; a++)
            if (pf_trace_conflict(t, at(t, a), at(t, b))) {
                hybrid.is[a][b] = !order->is[a][b] && !excluded(t, a, b);
                causal.is[a][b] = !cp->is[a][b];
            }
    run(t, "hybrid", true, &got);
    same(t, seed, "hybrid", &got, &hybrid);
    run(t, "cp", true, &got);
    same(t, seed, "cp", &got, &causal);
}

/* In windows cp may miss races, but every pair that it reports is unordered in the whole trace. */
static void check_cp_windows(const struct pf_trace *t, uint64_t seed, const struct relation *cp)
{
    for (uint32_t window = 8; window <= 32; window *= 2) {
        struct pf_limits limits = pf_limits_default;
        struct pf_result r = {0};
        limits.cp_window = window;
        limits.all_pairs = true;
        pf_analysis_find("cp", 2)->run(t, &limits, &r);
        for (size_t i = 0; i < r.races.len; i++) {
            cp_windows_races++;
            if (!cp->is[r.races.at[i].a][r.races.at[i].b])
                continue;
            pf_trace_write_text(t, stderr);
            fail_msg("cp, window of %u, seed %lu: events %u and %u are ordered", window, seed,
                     r.races.at[i].a + 1, r.races.at[i].b + 1);
        }
        pf_result_release(&r);
    }
}

/* Sync-preserving: computes the closure as a set, one event at a time. */
static bool naive_syncp(const struct pf_trace *t, const struct relation *order, uint32_t a,
                        uint32_t b)
{
    uint32_t n = (uint32_t)t->events.len;
    bool in[MAX] = {0};
    for (uint32_t i = 0; i < n; i++)
        in[i] = order->is[i][a] || order->is[i][b];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < n; i++) {
            if (!in[i])
                continue;
            for (uint32_t f = 0; f < n; f++) {
                bool add = order->is[f][i];
                if (pf_event_reads(at(t, i)) && pf_event_writes(at(t, f)) && f < i &&
                    ranges_overlap(t, at(t, f), at(t, i))) {
                    /* the last write to some byte of it */
                    const struct pf_range *p = &t->places.at[at(t, i)->what];
                    const struct pf_range *q = &t->places.at[at(t, f)->what];
                    for (uint64_t x = p->addr; x < p->addr + p->size; x++) {
                        bool last = x >= q->addr && x < q->addr + q->size;
                        for (uint32_t m = f + 1; m < i && last; m++)
                            if (pf_event_writes(at(t, m))) {
                                const struct pf_range *s = &t->places.at[at(t, m)->what];
                                last =
                                    s->block != p->block || x < s->addr || x >= s->addr + s->size;
                            }
                        add |= last;
                    }
                }
                if (pf_event_acquires(at(t, i)) && pf_event_acquires(at(t, f)) && in[f] && f < i &&
                    at(t, f)->thread != at(t, i)->thread &&
                    pf_event_lock(at(t, i)) == pf_event_lock(at(t, f)) &&
                    !(pf_event_shared(at(t, i)) && pf_event_shared(at(t, f))))
                    if (!in[matching_release(t, f)])
                        more = in[matching_release(t, f)] = true;
                if (at(t, i)->kind == PF_EV_TRYFAIL && f < i && pf_event_acquires(at(t, f)) &&
                    pf_event_lock(at(t, f)) == at(t, i)->what && matching_release(t, f) > i)
                    add = true;
                if (add && !in[f])
                    more = in[f] = true;
            }
        }
    }
    return !in[a] && !in[b];
}

static void check_syncp(const struct pf_trace *t, uint64_t seed, const struct relation *order)
{
    struct verdicts want = {0}, got, mc;
    bool blocks = false;
    for (uint32_t i = 0; i < t->events.len; i++)
        blocks |= at(t, i)->kind == PF_EV_ALLOC || at(t, i)->kind == PF_EV_ARRIVE;
    for (uint32_t b = 0; b < t->events.len; b++)
        for (uint32_t a = 0; a < b; a++)
            want.is[a][b] = pf_trace_conflict(t, at(t, a), at(t, b)) && !excluded(t, a, b) &&
                            !order->is[a][b] && naive_syncp(t, order, a, b);
    run(t, "syncp", true, &got);
    run(t, "mc", true, &mc);
    for (uint32_t b = 0; b < t->events.len; b++)
        for (uint32_t a = 0; a < b; a++)
            if (got.is[a][b])
                assert_true(mc.is[a][b]);
    if (!blocks) /* those have further must-order, which the engine's own test covers */
        same(t, seed, "syncp", &got, &want);
}

/* One race per pair of sites, for every pair that has one. */
static void check_signatures(struct pf_trace *t, uint64_t seed)
{
    static const char *const names[] = {"hbvc", "goldilocks", "hybrid", "syncp", "mc"};
    for (uint32_t i = 0; i < t->events.len; i++)
        t->events.at[i].site = i % 5;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct verdicts all, few;
        bool x[5][5] = {0}, y[5][5] = {0};
        run(t, names[k], true, &all);
        run(t, names[k], false, &few);
        for (uint32_t i = 0; i < t->events.len; i++)
            for (uint32_t j = 0; j < t->events.len; j++) {
                uint32_t a = i % 5 < j % 5 ? i % 5 : j % 5, b = i % 5 < j % 5 ? j % 5 : i % 5;
                x[a][b] |= all.is[i][j];
                assert_false(few.is[i][j] && y[a][b]);
                y[a][b] |= few.is[i][j];
            }
        if (memcmp(x, y, sizeof x)) {
            pf_trace_write_text(t, stderr);
            fail_msg("%s, seed %lu: pairs of sites differ", names[k], seed);
        }
    }
}

/* Eraser's state machine, one cell at a time, with sets as bit masks: the accesses it reports. */
static void check_lockset(const struct pf_trace *t, uint64_t seed)
{
    struct verdicts got;
    bool want[MAX] = {0};
    run(t, "lockset", true, &got);
    for (uint32_t c = 0; c < t->cells.len; c++) {
        uint32_t common = 0, readers = 0, writers = 0; /* threads, as bits */
        int state = 0, owner = -1;
        for (uint32_t i = 0; i < t->events.len; i++) {
            const struct pf_event *e = at(t, i);
            if (!pf_event_is_access(e) || pf_event_atomic(e))
                continue;
            const struct pf_range *p = &t->places.at[e->what];
            if (c < p->cell0 || c >= p->cell0 + p->ncells)
                continue;
            uint32_t held = 0;
            bool writes = pf_event_writes(e);
            for (uint32_t k = 0; k < i; k++)
                if (pf_event_acquires(at(t, k)) && at(t, k)->thread == e->thread &&
                    matching_release(t, k) > i && !(pf_event_shared(at(t, k)) && writes))
                    held |= 1u << pf_event_lock(at(t, k));
            if (state == 0) {
                state = 1;
                owner = e->thread;
            } else if (state > 1 || owner != e->thread) {
                common = state == 1 ? held : common & held;
                state = writes || state == 3 ? 3 : 2;
                uint32_t others = (writes ? readers | writers : writers) & ~(1u << e->thread);
                want[i] |= state == 3 && !common && others; /* there is a pair to report */
            }
            *(writes ? &writers : &readers) |= 1u << e->thread;
        }
    }
    for (uint32_t b = 0; b < t->events.len; b++) {
        bool reported = false;
        for (uint32_t a = 0; a < b; a++) {
            reported |= got.is[a][b];
            assert_true(!got.is[a][b] || pf_trace_conflict(t, at(t, a), at(t, b)));
        }
        if (reported != want[b]) {
            pf_trace_write_text(t, stderr);
            fail_msg("lockset, seed %lu: event %u: got %d, expected %d", seed, b + 1, reported,
                     want[b]);
        }
    }
}

static void all_of(struct pf_random_shape shape, uint32_t count)
{
    struct relation *hb = pf_mem_zero(3, sizeof *hb), *order = hb + 1, *cp = hb + 2;
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct pf_trace t;
        struct pf_error err;
        pf_random_trace(&t, &shape, seed);
        assert_true(t.events.len <= MAX && t.cells.len <= MAX);
        if (pf_trace_check(&t, NULL, &err) != PF_OK)
            fail_msg("seed %lu: %s", seed, err.text);
        relate(&t, hb, true, true);
        relate(&t, order, false, false);
        relate_cp(&t, hb, cp);
        check_hb(&t, seed, hb);
        if (!(shape.features & PF_RANDOM_BLOCK))
            check_pairs(&t, seed, order, cp);
        if (!(shape.features & PF_RANDOM_BLOCK))
            check_cp_windows(&t, seed, cp);
        check_syncp(&t, seed, order);
        check_lockset(&t, seed);
        check_signatures(&t, seed);
        if (seed <= 3)
            check_stop(&t, seed);
        pf_trace_release(&t);
    }
    free(hb);
}

static void test_locks(void **state)
{
    all_of((struct pf_random_shape){3, 2, 2, 30, 2, 0}, 300);
    all_of((struct pf_random_shape){4, 3, 3, 40, 3, 0}, 100);
    assert_true(cp_windows_races > 100);
}

static void test_features(void **state)
{
    for (unsigned f = 1; f < PF_RANDOM_CALL; f <<= 1)
        all_of((struct pf_random_shape){3, 2, 2, 30, 2, f}, 60);
    all_of((struct pf_random_shape){3, 2, 2, 30, 2, PF_RANDOM_RECURSIVE}, 60);
    all_of((struct pf_random_shape){3, 2, 2, 30, 2, PF_RANDOM_FORK}, 60);
    all_of((struct pf_random_shape){3, 2, 2, 40, 2,
                                    PF_RANDOM_ALL &
                                        ~(PF_RANDOM_CALL | PF_RANDOM_BLOCK | PF_RANDOM_FORK)},
           150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
