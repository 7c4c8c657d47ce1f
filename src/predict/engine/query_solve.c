/*
 * query_solve.c - the last tier: the question as clauses, which are added only when a model
 * violates them.
 *
 * Variables: inc(e), event e is included (only events that may also be left out have this
 *            variable); see(r, w), read r sees write w; before(x, y).
 * Each model is linearised and executed. Every rule that it violates is added as
 * clauses, and the search continues. The first model that violates no rule is the answer, so the
 * set of clauses need never be complete.
 */
#include "hash_map.h"
#include "query.h"
#include "solver.h"
#include <string.h>

struct seen_write { /* one possible writer of a read */
    uint32_t write; /* an access, or PF_FROM_START */
    pf_lit lit;
};
struct encoder {
    struct pf_query *p;
    const struct pf_window *w;
    struct pf_solver *s;
    pf_lit *inc;        /* per event; PF_LIT_FALSE while it has no variable */
    pf_vec_u32 *with_var;   /* per thread: events with a variable, sorted by position */
    uint32_t *see_at;   /* per access: start of its range in `sees`, PF_NONE while it has none */
    PF_VEC(struct seen_write) sees;
    struct pf_hash_map order_vars; /* the literal of "from before to" by (from, to) */
    pf_vec_u32 triggered;   /* pairs (read or failed trylock, trigger) that have their clause */
    pf_vec_u32 pending; /* clauses to add: length, literals, ... */
    /* state while a model is executed */
    uint32_t *included, *last; /* per thread: events included; per cell: last write */
    bool *tainted;             /* per access: stored by a thread that had seen a wrong value */
    /* per event: a failed trylock of a free lock, in a thread that is allowed to see wrong
     * values */
    bool *wrong_tryfail;
    bool *misled;                 /* per thread: has seen a wrong value */
};

/* --- literals --- */

static void clause(struct encoder *x, const pf_lit *lits, uint32_t n)
{
    pf_vec_push(&x->pending, n);
    for (uint32_t i = 0; i < n; i++)
        pf_vec_push(&x->pending, lits[i]);
}

#define CLAUSE(x, ...)                                                                             \
    clause(x, (pf_lit[]){__VA_ARGS__}, (uint32_t)(sizeof((pf_lit[]){__VA_ARGS__}) / sizeof(pf_lit)))

static pf_lit inc(struct encoder *x, uint32_t e)
{
    if (pf_query_needed(x->p, e))
        return PF_LIT_TRUE;
    if (!pf_query_possible(x->p, e) || x->inc[e] != PF_LIT_FALSE)
        return x->inc[e];
    const struct pf_window *w = x->w;
    uint32_t t = w->thread[e];
    pf_lit me = x->inc[e] = pf_solver_var(x->s, false);
    pf_vec_u32 *m = &x->with_var[t];
    pf_vec_push(m, e);
    size_t k = m->len - 1;
    for (; k && m->at[k - 1] > e; k--) {
        m->at[k] = m->at[k - 1];
        m->at[k - 1] = e;
    }
    if (k)
        CLAUSE(x, me ^ 1, x->inc[m->at[k - 1]]);
    if (k + 1 < m->len)
        CLAUSE(x, x->inc[m->at[k + 1]] ^ 1, me);
    for (uint32_t u = 0; u < w->nt; u++) {
        uint32_t c = x->p->clock[(size_t)e * w->nt + u];
        if (u != t && c > x->p->need[u])
            CLAUSE(x, me ^ 1, inc(x, pf_window_at(w, u, c - 1)));
    }
    return me;
}

static pf_lit before(struct encoder *x, uint32_t from, uint32_t to)
{
    if (pf_query_before(x->p, from, to))
        return PF_LIT_TRUE;
    if (pf_query_before(x->p, to, from))
        return PF_LIT_FALSE;
    uint64_t key = (uint64_t)from << 32 | to;
    pf_lit lit = pf_hash_map_find(&x->order_vars, key);
    if (lit == PF_HASH_NONE) {
        lit = pf_solver_order(x->s, from, to, from < to);
        pf_hash_map_add(&x->order_vars, key, lit);
    }
    return lit;
}

/* "Section a ends before section b begins"; implies that the release of a is included. */
static pf_lit section_before(struct encoder *x, const struct pf_window_section *a,
                             const struct pf_window_section *b)
{
    if (a->release == PF_NONE || !pf_query_possible(x->p, a->release) || b->acquire == PF_NONE)
        return PF_LIT_FALSE;
    pf_lit done = inc(x, a->release), l = before(x, a->release, b->acquire);
    if (l == PF_LIT_TRUE) /* then b's acquire implies the release of a */
        return done;
    if (l != PF_LIT_FALSE)
        CLAUSE(x, pf_lit_not(l), done);
    return l;
}

static void make_sees(struct encoder *x, uint32_t access)
{
    const struct pf_window *w = x->w;
    const struct pf_window_access *r = &w->accesses.at[access];
    const struct pf_window_cell *c = &w->cells.at[r->cell];
    x->see_at[access] = (uint32_t)x->sees.len;
    if (pf_window_matches(w, access, PF_FROM_START))
        pf_vec_push(&x->sees, (struct seen_write){PF_FROM_START,
                                                  pf_solver_var(x->s, r->source == PF_FROM_START)});
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        uint32_t m = w->write_access.at[k], e = w->accesses.at[m].event;
        if (e == r->event || !pf_query_possible(x->p, e) || !pf_window_matches(w, access, m))
            continue;
        pf_lit order = before(x, e, r->event);
        if (order == PF_LIT_FALSE)
            continue;
        pf_lit l = pf_solver_var(x->s, r->source == m);
        CLAUSE(x, l ^ 1, inc(x, e));
        CLAUSE(x, l ^ 1, order);
        pf_vec_push(&x->sees, (struct seen_write){m, l});
    }
    pf_vec_push(&x->sees, (struct seen_write){PF_WRITER_OPEN, 0}); /* end of the list */
}

/* --- executing a model --- */

static bool add_trigger(struct encoder *x, uint32_t what, pf_lit trigger)
{
    for (size_t i = 0; i < x->triggered.len; i += 2)
        if (x->triggered.at[i] == what && x->triggered.at[i + 1] == trigger)
            return false;
    pf_vec_push(&x->triggered, what);
    pf_vec_push(&x->triggered, trigger);
    return true;
}

/* A true literal that requires the reads of event e to be correct; PF_LIT_FALSE if there is none.
 * `skip`: the number of such literals to pass over. */
static pf_lit reason(struct encoder *x, uint32_t e, uint32_t skip)
{
    const struct pf_window *w = x->w;
    uint32_t t = w->thread[e], pos = w->pos[e];
    if (pos < x->p->correct[t] && !skip--)
        return PF_LIT_TRUE;
    for (size_t k = 0; k < x->with_var[t].len; k++) {
        uint32_t f = x->with_var[t].at[k];
        if (w->branch[f] > pos) { /* the first such event suffices: later ones imply it */
            if (pf_solver_true(x->s, x->inc[f]) && !skip--)
                return x->inc[f];
            break;
        }
    }
    /* A write that a read sees must itself be correct. */
    for (size_t k = 0; k < x->sees.len; k++) {
        const struct seen_write *v = &x->sees.at[k];
        if (v->write >= PF_WRITER_OPEN || !pf_solver_true(x->s, v->lit))
            continue;
        const struct pf_window_access *m = &w->accesses.at[v->write];
        if (w->thread[m->event] == t && w->pos[m->event] + m->reads > pos && !skip--)
            return v->lit;
    }
    return PF_LIT_FALSE;
}

/* The read sees a wrong value although it must be correct: adds the clauses that forbid this. */
static void require_correct_read(struct encoder *x, uint32_t access, uint32_t actual,
                                 const uint32_t *order, uint32_t at)
{
    const struct pf_window *w = x->w;
    const struct pf_window_access *r = &w->accesses.at[access];
    if (x->see_at[access] == PF_NONE)
        make_sees(x, access);
    pf_lit why;
    for (uint32_t skip = 0; (why = reason(x, r->event, skip)) != PF_LIT_FALSE; skip++)
        if (add_trigger(x, access, why)) {
            pf_vec_push(&x->pending, 0);
            size_t len = x->pending.len - 1;
            pf_vec_push(&x->pending, pf_lit_not(why));
            for (uint32_t k = x->see_at[access]; x->sees.at[k].write != PF_WRITER_OPEN; k++)
                pf_vec_push(&x->pending, x->sees.at[k].lit);
            x->pending.at[len] = (uint32_t)(x->pending.len - len - 1);
            return;
        }
    for (uint32_t k = x->see_at[access]; x->sees.at[k].write != PF_WRITER_OPEN; k++) {
        struct seen_write v = x->sees.at[k];
        if (!pf_solver_true(x->s, v.lit) || v.write == actual)
            continue;
        uint32_t we = v.write == PF_FROM_START ? PF_NONE : w->accesses.at[v.write].event;
        for (uint32_t i = at; i-- > 0 && order[i] != we;) { /* writes between the two */
            uint32_t e = order[i];
            for (uint32_t m = w->access_at[e]; m < w->access_at[e + 1]; m++)
                if (w->accesses.at[m].writes && w->accesses.at[m].cell == r->cell)
                    CLAUSE(x, v.lit ^ 1, pf_lit_not(inc(x, e)), before(x, r->event, e),
                           we == PF_NONE ? PF_LIT_FALSE : before(x, e, we));
        }
        return;
    }
}

static void forbid_overlap(struct encoder *x, const struct pf_window_section *a,
                           const struct pf_window_section *b)
{
    pf_lit begun_a = a->acquire == PF_NONE ? PF_LIT_TRUE : inc(x, a->acquire);
    pf_lit begun_b = b->acquire == PF_NONE ? PF_LIT_TRUE : inc(x, b->acquire);
    pf_lit ab = section_before(x, a, b), ba = section_before(x, b, a);
    CLAUSE(x, pf_lit_not(begun_a), pf_lit_not(begun_b), ab, ba);
}

/* A failed trylock needs a critical section of another thread around it: adds the clauses that
 * require one. */
static void require_holder(struct encoder *x, uint32_t e)
{
    const struct pf_window *w = x->w;
    uint32_t lock = w->section[e];
    pf_lit why;
    for (uint32_t skip = 0; (why = reason(x, e, skip)) != PF_LIT_FALSE; skip++) {
        if (!add_trigger(x, (uint32_t)w->accesses.len + e, why))
            continue;
        uint32_t max = w->lock_at.at[lock + 1] - w->lock_at.at[lock] + 1, n = 0;
        pf_lit lits[max];
        lits[n++] = pf_lit_not(why);
        for (uint32_t k = w->lock_at.at[lock]; k < w->lock_at.at[lock + 1]; k++) {
            const struct pf_window_section *h = &w->sections.at[w->lock_section.at[k]];
            if (h->acquire != PF_NONE && !pf_query_possible(x->p, h->acquire))
                continue;
            pf_lit in = pf_solver_var(x->s, h->acquire == PF_NONE || h->acquire < e);
            if (h->acquire != PF_NONE) {
                CLAUSE(x, in ^ 1, inc(x, h->acquire));
                CLAUSE(x, in ^ 1, before(x, h->acquire, e));
            }
            if (h->release != PF_NONE && pf_query_possible(x->p, h->release))
                CLAUSE(x, in ^ 1, pf_lit_not(inc(x, h->release)), before(x, e, h->release));
            lits[n++] = in;
        }
        clause(x, lits, n);
        return;
    }
}

/* True if no section of the window contains the failed trylock e. Then, in the trace, a section
 * that began before the window and ends after it held the lock. */
static bool held_throughout(const struct pf_window *w, uint32_t e)
{
    uint32_t lock = w->section[e];
    for (uint32_t k = w->lock_at.at[lock]; k < w->lock_at.at[lock + 1]; k++) {
        const struct pf_window_section *h = &w->sections.at[w->lock_section.at[k]];
        if ((h->acquire == PF_NONE || h->acquire < e) && (h->release == PF_NONE || h->release > e))
            return false;
    }
    return true;
}

static void run_locks(struct encoder *x, const uint32_t *order, uint32_t n)
{
    const struct pf_window *w = x->w;
    pf_vec_u32 open = {0};
    for (uint32_t k = 0; k < w->sections.len; k++)
        if (w->sections.at[k].acquire == PF_NONE)
            pf_vec_push(&open, k);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = order[i];
        if (w->section[e] == PF_NONE)
            continue;
        const struct pf_event *g = pf_window_event(w, e);
        if (g->kind == PF_EV_TRYFAIL) {
            bool held = held_throughout(w, e);
            for (size_t k = 0; k < open.len && !held; k++)
                held = w->sections.at[open.at[k]].lock == w->section[e];
            x->wrong_tryfail[e] = !held && reason(x, e, 0) == PF_LIT_FALSE;
            if (!held && !x->wrong_tryfail[e])
                require_holder(x, e);
        } else if (w->sections.at[w->section[e]].acquire == e) {
            const struct pf_window_section *s = &w->sections.at[w->section[e]];
            for (size_t k = 0; k < open.len; k++) {
                const struct pf_window_section *o = &w->sections.at[open.at[k]];
                if (o->lock == s->lock && o->thread != s->thread && !(o->shared && s->shared))
                    forbid_overlap(x, o, s);
            }
            pf_vec_push(&open, w->section[e]);
        } else
            for (size_t k = 0; k < open.len; k++)
                if (open.at[k] == w->section[e])
                    open.at[k] = open.at[--open.len];
    }
    pf_vec_release(&open);
}

static bool is_included(const struct encoder *x, uint32_t e)
{
    return x->w->pos[e] < x->included[x->w->thread[e]];
}

/* Checks that no notification comes before the wait that it ends, and that soft edges are
 * respected. */
static void run_orders(struct encoder *x)
{
    const struct pf_window *w = x->w;
    for (size_t k = 0; k < w->soft.len; k += 2) {
        uint32_t a = w->soft.at[k], b = w->soft.at[k + 1];
        if (is_included(x, a) && is_included(x, b) && x->s->rank[b] < x->s->rank[a])
            CLAUSE(x, pf_lit_not(inc(x, a)), pf_lit_not(inc(x, b)), before(x, a, b));
    }
    for (size_t k = 0; k < w->wakes.len; k += 3) {
        uint32_t wake = w->wakes.at[k], wait = w->wakes.at[k + 1], by = w->wakes.at[k + 2];
        if (is_included(x, wake) && x->s->rank[by] < x->s->rank[wait])
            CLAUSE(x, pf_lit_not(inc(x, wake)), before(x, wait, by));
    }
}

static void run_memory(struct encoder *x, const uint32_t *order, uint32_t n)
{
    const struct pf_window *w = x->w;
    memset(x->last, 0xff, w->cells.len * sizeof *x->last);
    memset(x->misled, 0, w->nt * sizeof *x->misled);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = order[i], t = w->thread[e];
        x->misled[t] |= x->wrong_tryfail[e];
        for (uint32_t k = w->access_at[e]; k < w->access_at[e + 1]; k++) {
            const struct pf_window_access *c = &w->accesses.at[k];
            uint32_t actual = x->last[c->cell];
            if (!c->reads || c->pinned ||
                (pf_window_matches(w, k, actual) &&
                 (actual == PF_FROM_START || !x->tainted[actual])))
                continue;
            if (reason(x, e, 0) == PF_LIT_FALSE)
                x->misled[t] = true;
            else
                require_correct_read(x, k, actual, order, i);
        }
        for (uint32_t k = w->access_at[e]; k < w->access_at[e + 1]; k++)
            if (w->accesses.at[k].writes) {
                x->last[w->accesses.at[k].cell] = k;
                x->tainted[k] = x->misled[t];
            }
    }
}

/* Writes the included events of the model, in their order, to p->order. */
static void linearise(struct encoder *x)
{
    const struct pf_window *w = x->w;
    struct pf_query *p = x->p;
    for (uint32_t t = 0; t < w->nt; t++) {
        x->included[t] = p->need[t];
        for (size_t k = 0; k < x->with_var[t].len; k++)
            if (pf_solver_true(x->s, x->inc[x->with_var[t].at[k]]))
                x->included[t] = w->pos[x->with_var[t].at[k]] + 1;
    }
    pf_vec_clear(&p->order);
    pf_vec_reserve(&p->order, w->n + 1);
    memset(p->order.at, 0xff, w->n * sizeof *p->order.at);
    for (uint32_t e = 0; e < w->n; e++)
        if (w->pos[e] < x->included[w->thread[e]])
            p->order.at[x->s->rank[e]] = e;
    for (uint32_t r = 0; r < w->n; r++)
        if (p->order.at[r] != PF_NONE)
            p->order.at[p->order.len++] = p->order.at[r];
}

static bool fix_edges(struct encoder *x)
{
    const struct pf_window *w = x->w;
    bool ok = true;
    for (uint32_t e = 0; e < w->n; e++) {
        if (w->pos[e])
            ok &= pf_solver_fix(x->s, pf_window_at(w, w->thread[e], w->pos[e] - 1), e);
        for (uint32_t k = w->pred_at[e]; k < w->pred_at[e + 1]; k++)
            ok &= pf_solver_fix(x->s, w->pred.at[k], e);
    }
    for (size_t k = 0; k < x->p->derived.len; k += 3)
        ok &= pf_solver_fix(x->s, x->p->derived.at[k], x->p->derived.at[k + 1]);
    return ok;
}

static enum pf_answer search(struct encoder *x, uint32_t conflicts)
{
    if (!fix_edges(x))
        return PF_NO;
    for (uint32_t round = 0; round <= conflicts; round++) {
        int r = pf_solver_run(x->s, conflicts);
        if (r <= 0)
            return r ? PF_NO : PF_UNKNOWN;
        linearise(x);
        x->s->work += x->p->order.len + x->triggered.len;
        run_locks(x, x->p->order.at, (uint32_t)x->p->order.len);
        run_memory(x, x->p->order.at, (uint32_t)x->p->order.len);
        run_orders(x);
        if (!x->pending.len)
            return PF_YES;
        for (size_t k = 0; k < x->pending.len; k += x->pending.at[k] + 1)
            pf_solver_clause(x->s, &x->pending.at[k + 1], x->pending.at[k]);
        pf_vec_clear(&x->pending);
    }
    return PF_UNKNOWN;
}

enum pf_answer pf_query_solve(struct pf_query *p, uint32_t conflicts)
{
    const struct pf_window *w = p->w;
    struct pf_solver s = {0};
    struct encoder x = {.p = p, .w = w, .s = &s};
    pf_solver_start(&s, w->n);
    x.inc = pf_mem_resize(NULL, w->n, sizeof *x.inc);
    for (uint32_t e = 0; e < w->n; e++)
        x.inc[e] = PF_LIT_FALSE;
    x.with_var = pf_mem_zero(w->nt, sizeof *x.with_var);
    x.see_at = pf_mem_resize(NULL, w->accesses.len, sizeof *x.see_at);
    memset(x.see_at, 0xff, w->accesses.len * sizeof *x.see_at);
    x.included = pf_mem_zero(w->nt, sizeof *x.included);
    x.last = pf_mem_zero(w->cells.len, sizeof *x.last);
    x.tainted = pf_mem_zero(w->accesses.len, sizeof *x.tainted);
    x.wrong_tryfail = pf_mem_zero(w->n, sizeof *x.wrong_tryfail);
    x.misled = pf_mem_zero(w->nt, sizeof *x.misled);
    enum pf_answer answer = search(&x, conflicts);
    for (uint32_t t = 0; t < w->nt; t++)
        pf_vec_release(&x.with_var[t]);
    void *all[] = {x.inc,  x.with_var, x.see_at,        x.included,
                   x.last, x.tainted,  x.wrong_tryfail, x.misled};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_hash_map_release(&x.order_vars);
    pf_vec_release(&x.sees);
    pf_vec_release(&x.triggered);
    pf_vec_release(&x.pending);
    pf_solver_release(&s);
    return answer;
}
