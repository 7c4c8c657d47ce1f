/*
 * brute.c - see brute.h. Breadth-first over all reachable states, with a hash table of visited
 * ones. Kept as naive as possible, because the engine and the validator are tested against it.
 */
#include "brute.h"
#include <string.h>

#define MAX_N 40
#define MAX_T 8
#define MAX_C 24
#define MAX_STATES 3000000

enum { WRONG = 1, LOST = 2 };

struct state {
    uint8_t done[MAX_T];   /* number of events executed */
    uint8_t writer[MAX_C]; /* 1 + event */
    /* WRONG: stored by a thread that saw a wrong value; LOST: a missing call may have stored */
    uint8_t spoilt[MAX_C];
    uint8_t misled[MAX_T]; /* has seen a wrong value */
    uint64_t heard; /* bit set of wakes whose notification came after their wait */
};

struct brute {
    const struct pf_trace *t;
    enum pf_brute_missing missing;
    uint32_t n, nt, nc;
    uint32_t list[MAX_T][MAX_N], len[MAX_T], pos[MAX_N], wait[MAX_N];
    uint8_t source[MAX_N][MAX_C];
    bool pinned[MAX_N];
    bool after[MAX_N][MAX_N]; /* after[i][f]: event i needs f to have run */
    struct state *seen;
    uint32_t *slots;
    uint32_t nseen, cap;
};

static const struct pf_event *at(const struct brute *b, uint32_t i) { return &b->t->events.at[i]; }

/* --- rules about pairs of events, directly from the model --- */

static bool item_of(const struct brute *b, uint32_t i, uint32_t item)
{
    uint32_t first, other, n = pf_trace_items(b->t, i, &first, &other);
    return (n && item >= first && item < first + n) || item == other;
}

static bool reach(const struct brute *b, uint32_t call, uint32_t item)
{
    const struct pf_reach *d = &b->t->reaches.at[at(b, call)->link];
    for (uint32_t k = 0; k < d->nitems; k++)
        if (b->t->reach_items.at[d->item0 + k] == item)
            return true;
    return false;
}

static uint32_t ret_of(const struct brute *b, uint32_t call)
{
    for (uint32_t i = call + 1; i < b->n; i++)
        if (at(b, i)->kind == PF_EV_RET && at(b, i)->link == call)
            return i;
    return b->n;
}

/* True if code of the call may run directly before or after event i, which is between its begin and
 * its end: i is not an inner event of a callback, and no other call of the thread is in between. */
static bool borders_on(const struct brute *b, uint32_t i, uint32_t call)
{
    if (at(b, call)->kind != PF_EV_CALL || at(b, i)->thread != at(b, call)->thread || i <= call ||
        i >= ret_of(b, call) || pf_trace_is_inner(b->t, i))
        return false;
    for (uint32_t q = call + 1; q < i; q++)
        if (at(b, q)->kind == PF_EV_CALL && at(b, q)->thread == at(b, i)->thread &&
            i < ret_of(b, q))
            return false;
    return true;
}

/* True if i is the begin or the end of the BarrierPair, or borders on it. */
static bool of_pair(const struct brute *b, uint32_t i, uint32_t call)
{
    return i == call || (i < b->n && i == ret_of(b, call)) || borders_on(b, i, call);
}

/* Algorithm 2 of the paper, lines 7 to 20, for one pair of events f < i, plus the rule for writes
 * during a missing call. */
static bool keeps_order(const struct brute *b, uint32_t f, uint32_t i,
                        enum pf_brute_missing missing)
{
    if (missing == PF_BRUTE_IGNORE)
        return false;
    uint32_t items = pf_trace_nitems(b->t);
    bool f_changes = !pf_event_is_access(at(b, f)) || pf_event_writes(at(b, f));
    bool i_changes = !pf_event_is_access(at(b, i)) || pf_event_writes(at(b, i));
    for (uint32_t p = 0; p < b->n; p++) {
        if (at(b, p)->kind != PF_EV_CALL)
            continue;
        for (uint32_t x = 0; x < items; x++) {
            if (!reach(b, p, x))
                continue;
            if ((of_pair(b, f, p) && item_of(b, i, x)) || (of_pair(b, i, p) && item_of(b, f, x)))
                return true;
            if (p < i && i < ret_of(b, p) && f_changes && i_changes && item_of(b, f, x) &&
                item_of(b, i, x))
                return true;
        }
        for (uint32_t q = 0; q < b->n; q++) {
            if (at(b, q)->kind != PF_EV_CALL || !of_pair(b, f, p) || !of_pair(b, i, q))
                continue;
            bool common = missing == PF_BRUTE_SB;
            for (uint32_t x = 0; x < items; x++)
                common |= reach(b, p, x) && reach(b, q, x);
            if (common)
                return true;
        }
    }
    return false;
}

static bool pinned(const struct pf_event *e, enum pf_brute_missing missing)
{
    return pf_event_reads(e) && ((e->flags & PF_EF_ORPHAN) ||
                                 (missing != PF_BRUTE_IGNORE && (e->flags & PF_EF_MISSING)));
}

static bool needs(const struct brute *b, uint32_t f, uint32_t i, enum pf_brute_missing missing)
{
    const struct pf_event *g = at(b, f), *e = at(b, i);
    const struct pf_range *p = NULL, *q = NULL;
    if (pf_event_operand[g->kind] == PF_OPERAND_PLACE)
        p = &b->t->places.at[g->what];
    if (pf_event_operand[e->kind] == PF_OPERAND_PLACE)
        q = &b->t->places.at[e->what];
    if (g->thread == e->thread)
        return f + 0 == i ? false : true;
    if (g->kind == PF_EV_FORK && g->what == e->thread)
        return true;
    if (e->kind == PF_EV_JOIN && e->what == g->thread)
        return true;
    if (e->kind == PF_EV_WAKE && pf_trace_waker(b->t, i) == f)
        return true;
    if (g->kind == PF_EV_ARRIVE && g->what == e->what &&
        ((e->kind == PF_EV_DEPART && g->link == e->link) ||
         (e->kind == PF_EV_ARRIVE && g->link < e->link)))
        return true;
    if (g->kind == PF_EV_POST && e->kind == PF_EV_TAKE && g->what == e->what)
        return true;
    if (p && q && e->kind == PF_EV_ALLOC && p->block && p->block != q->block &&
        p->addr < q->addr + q->size && q->addr < p->addr + p->size)
        return true;
    if (p && q && g->kind == PF_EV_ALLOC && pf_event_is_access(e) && p->block == q->block)
        return true;
    if (p && q && pf_event_is_access(g) && pf_event_is_access(e) && p->block == q->block &&
        p->cell0 < q->cell0 + q->ncells && q->cell0 < p->cell0 + p->ncells && pinned(e, missing) &&
        pf_event_writes(g))
        return true;
    return keeps_order(b, f, i, missing);
}

/* --- the search --- */

static bool has_run(const struct brute *b, const struct state *s, uint32_t i)
{
    return b->pos[i] < s->done[at(b, i)->thread];
}

static bool held(const struct brute *b, const struct state *s, uint32_t lock, bool shared_too)
{
    for (uint32_t u = 0; u < b->nt; u++) {
        int depth = 0, shared = 0;
        for (uint32_t k = 0; k < s->done[u]; k++) {
            const struct pf_event *e = at(b, b->list[u][k]);
            uint8_t class = pf_event_class[e->kind];
            if ((class != PF_CLASS_ACQUIRE && class != PF_CLASS_RELEASE) ||
                pf_event_lock(e) != lock)
                continue;
            int *count = pf_event_shared(e) ? &shared : &depth;
            *count += class == PF_CLASS_ACQUIRE ? 1 : -1;
        }
        if (depth || (shared && shared_too))
            return true;
    }
    return false;
}

static bool overlap(const struct brute *b, uint32_t f, uint32_t i)
{
    const struct pf_range *p = &b->t->places.at[at(b, f)->what];
    const struct pf_range *q = &b->t->places.at[at(b, i)->what];
    return p->cell0 < q->cell0 + q->ncells && q->cell0 < p->cell0 + p->ncells;
}

static bool value(const struct brute *b, uint32_t c, uint8_t writer, uint64_t *v)
{
    if (writer)
        return pf_trace_cell_value(b->t, at(b, writer - 1u), c, false, v);
    *v = b->t->cells.at[c].initial;
    return b->t->cells.at[c].initial_known;
}

/* Missing call i begins: true if everything that it can reach has its value of the trace. */
static bool call_sees(const struct brute *b, const struct state *s, uint32_t i)
{
    uint64_t have, want;
    for (uint32_t c = 0; c < b->nc; c++)
        if (reach(b, i, c) &&
            (s->spoilt[c] & WRONG || (s->writer[c] != b->source[i][c] &&
                                      (s->spoilt[c] & LOST || !value(b, c, s->writer[c], &have) ||
                                       !value(b, c, b->source[i][c], &want) || have != want))))
            return false;
    return true;
}

/* True if the event stores to a cell that an active missing call can reach. */
static bool is_noticed(const struct brute *b, uint32_t i)
{
    for (uint32_t p = 0; p < i && pf_event_writes(at(b, i)) && b->missing != PF_BRUTE_IGNORE; p++)
        for (uint32_t c = 0; c < b->nc; c++)
            if (at(b, p)->kind == PF_EV_CALL && ret_of(b, p) > i && reach(b, p, c) &&
                item_of(b, i, c))
                return true;
    return false;
}

static bool borders_on_any(const struct brute *b, uint32_t i)
{
    for (uint32_t p = 0; p < i && b->missing != PF_BRUTE_IGNORE; p++)
        if (borders_on(b, i, p))
            return true;
    return false;
}

static void run(const struct brute *b, struct state *s, uint32_t i, enum pf_brute_missing missing);

static bool enabled(const struct brute *b, const struct state *s, uint32_t i)
{
    const struct pf_event *e = at(b, i);
    for (uint32_t f = 0; f < i; f++)
        if (b->after[i][f] && !has_run(b, s, f))
            return false;
    if (s->misled[e->thread] &&
        (pf_event_decided(b->t, e) || is_noticed(b, i) || borders_on_any(b, i) ||
         (b->missing != PF_BRUTE_IGNORE && pf_event_class[e->kind] == PF_CLASS_CALL)))
        return false;
    if (e->kind == PF_EV_WAKE && pf_trace_waker(b->t, i) != PF_NONE && !(s->heard >> i & 1))
        return false;
    return !pf_event_acquires(e) || !held(b, s, pf_event_lock(e), !pf_event_shared(e));
}

/* True if event i may be next but cannot be executed: a pinned read after a later write, a missing
 * call that would see another value, or a step that would show a missing call a wrong value. */
static bool cannot_execute(const struct brute *b, const struct state *s, uint32_t i)
{
    if (b->missing != PF_BRUTE_IGNORE && at(b, i)->kind == PF_EV_CALL && !call_sees(b, s, i))
        return true;
    if (is_noticed(b, i) && pf_event_reads(at(b, i))) {
        struct state to = *s;
        run(b, &to, i, b->missing);
        if (to.misled[at(b, i)->thread])
            return true;
    }
    for (uint32_t f = i + 1; f < b->n && b->pinned[i]; f++)
        if (pf_event_writes(at(b, f)) && has_run(b, s, f) && at(b, f)->thread != at(b, i)->thread &&
            overlap(b, f, i))
            return true;
    return false;
}

static void run(const struct brute *b, struct state *s, uint32_t i, enum pf_brute_missing missing)
{
    const struct pf_event *e = at(b, i);
    if (e->kind == PF_EV_TRYFAIL && !held(b, s, e->what, true))
        s->misled[e->thread] = 1;
    if (pf_event_class[e->kind] == PF_CLASS_NOTIFY)
        for (uint32_t k = 0; k < b->n; k++)
            if (at(b, k)->kind == PF_EV_WAKE && pf_trace_waker(b->t, k) == i &&
                has_run(b, s, b->wait[k]))
                s->heard |= 1ull << k;
    if (pf_event_class[e->kind] == PF_CLASS_CALL && missing != PF_BRUTE_IGNORE)
        for (uint32_t c = 0; c < b->nc; c++) /* it may store any value there */
            if (reach(b, e->kind == PF_EV_CALL ? i : e->link, c))
                s->spoilt[c] |= LOST;
    if (pf_event_is_access(e)) {
        const struct pf_range *p = &b->t->places.at[e->what];
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
            if (!pf_event_reads(e) || pinned(e, missing))
                continue;
            uint64_t want = 0, have = 0;
            bool correct = !s->spoilt[c] && s->writer[c] == b->source[i][c];
            if (!correct && !s->spoilt[c] && pf_trace_cell_value(b->t, e, c, true, &want)) {
                bool known = b->t->cells.at[c].initial_known;
                have = b->t->cells.at[c].initial;
                if (s->writer[c])
                    known = pf_trace_cell_value(b->t, at(b, s->writer[c] - 1u), c, false, &have);
                correct = known && have == want;
            }
            if (!correct)
                s->misled[e->thread] = 1;
        }
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells && pf_event_writes(e); c++) {
            s->writer[c] = (uint8_t)(i + 1);
            s->spoilt[c] = s->misled[e->thread] ? WRONG : 0;
        }
    }
    s->done[e->thread]++;
}

static bool remember(struct brute *b, const struct state *s)
{
    if (2 * b->nseen >= b->cap) {
        b->cap = b->cap ? 2 * b->cap : 1024;
        b->slots = pf_mem_resize(b->slots, b->cap, sizeof *b->slots);
        memset(b->slots, 0xff, b->cap * sizeof *b->slots);
        b->seen = pf_mem_resize(b->seen, b->cap, sizeof *b->seen);
        for (uint32_t k = 0; k < b->nseen; k++) {
            uint64_t h = 0;
            for (size_t i = 0; i < sizeof *s; i++)
                h = (h ^ ((uint8_t *)&b->seen[k])[i]) * 0x100000001b3ull;
            uint32_t x = (uint32_t)(h ^ h >> 32) & (b->cap - 1);
            while (b->slots[x] != PF_NONE)
                x = (x + 1) & (b->cap - 1);
            b->slots[x] = k;
        }
    }
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ ((const uint8_t *)s)[i]) * 0x100000001b3ull;
    uint32_t x = (uint32_t)(h ^ h >> 32) & (b->cap - 1);
    for (; b->slots[x] != PF_NONE; x = (x + 1) & (b->cap - 1))
        if (!memcmp(&b->seen[b->slots[x]], s, sizeof *s))
            return false;
    b->slots[x] = b->nseen;
    b->seen[b->nseen++] = *s;
    return true;
}

/* Returns false if the trace is too large. */
static bool prepare(struct brute *b, const struct pf_trace *t, enum pf_brute_missing missing)
{
    memset(b, 0, sizeof *b);
    b->t = t;
    b->missing = missing;
    b->n = (uint32_t)t->events.len;
    b->nt = (uint32_t)t->threads.len;
    b->nc = (uint32_t)t->cells.len;
    if (b->n > MAX_N || b->nt > MAX_T || b->nc > MAX_C)
        return false;
    uint8_t writer[MAX_C] = {0};
    for (uint32_t i = 0; i < b->n; i++) {
        const struct pf_event *e = at(b, i);
        b->pos[i] = b->len[e->thread];
        b->wait[i] = e->kind == PF_EV_WAKE ? b->list[e->thread][b->pos[i] - 1] : 0;
        b->list[e->thread][b->len[e->thread]++] = i;
        memcpy(b->source[i], writer, sizeof writer);
        if (pf_event_writes(e))
            for (uint32_t k = 0; k < t->places.at[e->what].ncells; k++)
                writer[t->places.at[e->what].cell0 + k] = (uint8_t)(i + 1);
        b->pinned[i] = pinned(e, missing);
        for (uint32_t f = 0; f < i; f++)
            b->after[i][f] = needs(b, f, i, missing);
    }
    return true;
}

static bool is_next(const struct brute *b, const struct state *s, uint32_t i)
{
    return b->pos[i] == s->done[at(b, i)->thread] && enabled(b, s, i);
}

bool pf_brute_run(const struct pf_trace *t, enum pf_brute_missing missing, const uint32_t *order,
                  uint32_t n, uint32_t a, uint32_t b)
{
    struct brute *m = pf_mem_zero(1, sizeof *m);
    struct state s;
    memset(&s, 0, sizeof s);
    bool ok = prepare(m, t, missing);
    for (uint32_t k = 0; k < n && ok; k++) {
        ok = is_next(m, &s, order[k]) && !cannot_execute(m, &s, order[k]);
        if (ok)
            run(m, &s, order[k], missing);
    }
    ok = ok && is_next(m, &s, a) && is_next(m, &s, b);
    free(m);
    return ok;
}

bool pf_brute(const struct pf_trace *t, enum pf_brute_missing missing, bool *race)
{
    struct brute *b = pf_mem_zero(1, sizeof *b);
    bool fits = prepare(b, t, missing);
    memset(race, 0, (size_t)b->n * b->n);
    struct state first;
    memset(&first, 0, sizeof first);
    if (fits)
        remember(b, &first);
    for (uint32_t k = 0; fits && k < b->nseen; k++) {
        struct state s = b->seen[k];
        uint32_t next[MAX_T];
        bool can[MAX_T];
        for (uint32_t u = 0; u < b->nt; u++) {
            can[u] = false;
            if (s.done[u] == b->len[u])
                continue;
            next[u] = b->list[u][s.done[u]];
            can[u] = enabled(b, &s, next[u]);
        }
        for (uint32_t u = 0; u < b->nt; u++)
            for (uint32_t v = 0; v < b->nt; v++)
                if (u != v && can[u] && can[v] && next[u] < next[v] &&
                    pf_trace_conflict(t, at(b, next[u]), at(b, next[v])))
                    race[next[u] * b->n + next[v]] = true;
        for (uint32_t u = 0; u < b->nt; u++)
            if (can[u] && !cannot_execute(b, &s, next[u])) {
                struct state to = s;
                run(b, &to, next[u], missing);
                remember(b, &to);
            }
        fits = b->nseen < MAX_STATES;
    }
    free(b->seen);
    free(b->slots);
    free(b);
    return fits;
}
