/*
 * encode.c - see encode.h.
 */
#include "encode.h"
#include <stdio.h>
#include <string.h>
#include <z3.h>

struct coder {
    const struct pf_trace *t;
    Z3_context c;
    Z3_solver s;
    uint32_t lo, n, a, b;
    bool exact;
    /* per event: position; included; its reads up to here are correct */
    Z3_ast *position, *in, *correct;
    uint32_t *before;           /* previous event of the thread in the window; PF_NONE: none */
    /* per event: this event and the earlier reads of its thread must be correct; PF_NONE: none */
    uint32_t *branch;
    uint32_t *match; /* acquire: its release; PF_NONE: none */
    PF_VEC(Z3_ast) list;
};

static const struct pf_event *at(const struct coder *x, uint32_t i)
{
    return &x->t->events.at[x->lo + i];
}

static void must(struct coder *x, Z3_ast f) { Z3_solver_assert(x->c, x->s, f); }
static Z3_ast lt(struct coder *x, uint32_t i, uint32_t k)
{
    return Z3_mk_lt(x->c, x->position[i], x->position[k]);
}
static Z3_ast not_(struct coder *x, Z3_ast f) { return Z3_mk_not(x->c, f); }
static Z3_ast and2(struct coder *x, Z3_ast f, Z3_ast g)
{
    return Z3_mk_and(x->c, 2, (Z3_ast[]){f, g});
}
static Z3_ast or2(struct coder *x, Z3_ast f, Z3_ast g)
{
    return Z3_mk_or(x->c, 2, (Z3_ast[]){f, g});
}
static Z3_ast implies(struct coder *x, Z3_ast f, Z3_ast g) { return Z3_mk_implies(x->c, f, g); }

/* The value of a cell at the window's start. */
static bool start_value(const struct coder *x, uint32_t cell, uint64_t *v)
{
    for (uint32_t i = x->lo; i-- > 0;) {
        const struct pf_event *e = &x->t->events.at[i];
        if (!pf_event_writes(e))
            continue;
        const struct pf_range *p = &x->t->places.at[e->what];
        if (cell >= p->cell0 && cell < p->cell0 + p->ncells)
            return pf_trace_cell_value(x->t, e, cell, false, v);
    }
    *v = x->t->cells.at[cell].initial;
    return x->t->cells.at[cell].initial_known;
}

static bool writes_cell(const struct coder *x, uint32_t i, uint32_t cell)
{
    const struct pf_event *e = at(x, i);
    if (!pf_event_writes(e))
        return false;
    const struct pf_range *p = &x->t->places.at[e->what];
    return cell >= p->cell0 && cell < p->cell0 + p->ncells;
}

/* "Write k is included and stores its value of the trace." */
static Z3_ast write_correct(struct coder *x, uint32_t k)
{
    Z3_ast f = Z3_mk_true(x->c);
    uint32_t r = at(x, k)->kind == PF_EV_RMW ? k : x->before[k];
    if (r != PF_NONE)
        f = x->correct[r];
    return x->exact ? and2(x, f, x->in[k]) : f;
}

/* "Read r sees the correct value in this cell." */
static Z3_ast read_correct(struct coder *x, uint32_t r, uint32_t cell)
{
    uint64_t want = 0, have = 0;
    bool known = pf_trace_cell_value(x->t, at(x, r), cell, true, &want);
    uint32_t source = PF_NONE;
    for (uint32_t k = 0; k < r; k++)
        if (writes_cell(x, k, cell))
            source = k;
    PF_VEC(Z3_ast) any = {0};
    for (uint32_t w = 0; w <= x->n; w++) { /* n: the window's start */
        bool start = w == x->n;
        if (!start && (w == r || !writes_cell(x, w, cell)))
            continue;
        bool same = start ? start_value(x, cell, &have)
                          : pf_trace_cell_value(x->t, at(x, w), cell, false, &have);
        if (!(known && same && have == want) && !(start ? source == PF_NONE : source == w))
            continue;
        PF_VEC(Z3_ast) all = {0};
        if (!start) {
            pf_vec_push(&all, write_correct(x, w));
            pf_vec_push(&all, lt(x, w, r));
        }
        for (uint32_t o = 0; o < x->n; o++) {
            if (o == w || o == r || !writes_cell(x, o, cell))
                continue;
            Z3_ast away = start ? lt(x, r, o) : or2(x, lt(x, o, w), lt(x, r, o));
            pf_vec_push(&all, x->exact ? or2(x, not_(x, x->in[o]), away) : away);
        }
        pf_vec_push(&any, all.len ? Z3_mk_and(x->c, (unsigned)all.len, all.at) : Z3_mk_true(x->c));
        pf_vec_release(&all);
    }
    Z3_ast f = any.len ? Z3_mk_or(x->c, (unsigned)any.len, any.at) : Z3_mk_false(x->c);
    pf_vec_release(&any);
    return f;
}

/* correct[r] implies that r and all earlier reads of its thread are correct. */
static void define_correct(struct coder *x)
{
    for (uint32_t r = 0; r < x->n; r++) {
        if (x->before[r] != PF_NONE)
            must(x, implies(x, x->correct[r], x->correct[x->before[r]]));
        if (!pf_event_reads(at(x, r)))
            continue;
        const struct pf_range *p = &x->t->places.at[at(x, r)->what];
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
            if (x->t->cells.at[c].written)
                must(x, implies(x, x->correct[r], read_correct(x, r, c)));
    }
}

static void locks(struct coder *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = i + 1; k < x->n; k++) {
            const struct pf_event *e = at(x, i), *g = at(x, k);
            if (!pf_event_acquires(e) || !pf_event_acquires(g) || e->thread == g->thread ||
                pf_event_lock(e) != pf_event_lock(g) || (pf_event_shared(e) && pf_event_shared(g)))
                continue;
            Z3_ast f = Z3_mk_false(x->c);
            for (int turn = 0; turn < 2; turn++) {
                uint32_t rel = x->match[turn ? k : i], acq = turn ? i : k;
                if (rel == PF_NONE)
                    continue;
                Z3_ast first = lt(x, rel, acq);
                f = or2(x, f, x->exact ? and2(x, x->in[rel], first) : first);
            }
            must(x, x->exact ? implies(x, and2(x, x->in[i], x->in[k]), f) : f);
        }
    /* Sections that began before the window end before others begin. */
    for (uint32_t i = 0; i < x->n; i++) {
        if (!pf_event_releases(at(x, i)))
            continue;
        bool inside = false;
        for (uint32_t k = 0; k < x->n; k++)
            inside |= x->match[k] == i;
        for (uint32_t k = 0; k < x->n && !inside; k++)
            if (pf_event_acquires(at(x, k)) && at(x, k)->thread != at(x, i)->thread &&
                pf_event_lock(at(x, k)) == pf_event_lock(at(x, i)) &&
                !(pf_event_shared(at(x, k)) && pf_event_shared(at(x, i))))
                must(x,
                     x->exact ? implies(x, x->in[k], and2(x, x->in[i], lt(x, i, k))) : lt(x, i, k));
    }
}

/* Event g comes after f in both encodings; if g is included, so is f. */
static void after(struct coder *x, uint32_t f, uint32_t g)
{
    must(x, lt(x, f, g));
    if (x->exact)
        must(x, implies(x, x->in[g], x->in[f]));
    if (x->exact && (g == x->a || g == x->b))
        must(x, x->in[f]);
}

static void orders(struct coder *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        const struct pf_event *e = at(x, i);
        if (x->before[i] != PF_NONE)
            after(x, x->before[i], i);
        for (uint32_t k = i + 1; k < x->n; k++) {
            if (e->kind == PF_EV_FORK && at(x, k)->thread == e->what && x->before[k] == PF_NONE)
                after(x, i, k);
            if (at(x, k)->kind == PF_EV_JOIN && at(x, k)->what == e->thread)
                after(x, i, k);
        }
        /* The reads on which it depends must be correct. */
        if (x->branch[i] == PF_NONE)
            continue;
        if (i == x->a || i == x->b)
            must(x, x->correct[x->branch[i]]);
        else if (x->exact)
            must(x, implies(x, x->in[i], x->correct[x->branch[i]]));
    }
}

static void prepare(struct coder *x)
{
    uint32_t nt = (uint32_t)x->t->threads.len;
    uint32_t *last = pf_mem_resize(NULL, nt, sizeof *last);
    uint32_t *dep = pf_mem_resize(NULL, nt, sizeof *dep);
    memset(last, 0xff, nt * sizeof *last);
    memset(dep, 0xff, nt * sizeof *dep);
    memset(x->match, 0xff, x->n * sizeof *x->match);
    Z3_sort integer = Z3_mk_int_sort(x->c), boolean = Z3_mk_bool_sort(x->c);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct pf_event *e = at(x, i);
        x->before[i] = last[e->thread];
        if (pf_event_decided(x->t, e))
            dep[e->thread] = last[e->thread];
        x->branch[i] = dep[e->thread];
        last[e->thread] = i;
        if (pf_event_releases(e))
            for (uint32_t k = i; k-- > 0;)
                if (at(x, k)->thread == e->thread && pf_event_acquires(at(x, k)) &&
                    pf_event_lock(at(x, k)) == pf_event_lock(e)) {
                    x->match[k] = i;
                    break;
                }
        x->position[i] = Z3_mk_fresh_const(x->c, "o", integer);
        x->correct[i] = Z3_mk_fresh_const(x->c, "r", boolean);
        x->in[i] = Z3_mk_fresh_const(x->c, "i", boolean);
    }
    free(last);
    free(dep);
}

int pf_z3_ask(const struct pf_trace *t, enum pf_z3_encoding encoding, uint32_t lo, uint32_t hi,
              uint32_t a, uint32_t b, unsigned timeout)
{
    char ms[16];
    snprintf(ms, sizeof ms, "%u", timeout);
    Z3_config cfg = Z3_mk_config();
    Z3_set_param_value(cfg, "timeout", ms);
    struct coder x = {
        .t = t, .lo = lo, .n = hi - lo, .a = a - lo, .b = b - lo, .exact = encoding == PF_Z3_EXACT};
    x.c = Z3_mk_context(cfg);
    Z3_del_config(cfg);
    /* Difference logic suffices. */
    x.s = Z3_mk_solver_for_logic(x.c, Z3_mk_string_symbol(x.c, "QF_IDL"));
    Z3_solver_inc_ref(x.c, x.s);
    x.position = pf_mem_resize(NULL, x.n, sizeof *x.position);
    x.in = pf_mem_resize(NULL, x.n, sizeof *x.in);
    x.correct = pf_mem_resize(NULL, x.n, sizeof *x.correct);
    x.before = pf_mem_resize(NULL, x.n, sizeof *x.before);
    x.branch = pf_mem_resize(NULL, x.n, sizeof *x.branch);
    x.match = pf_mem_resize(NULL, x.n, sizeof *x.match);
    prepare(&x);
    define_correct(&x);
    locks(&x);
    orders(&x);
    if (x.exact) {
        must(&x, not_(&x, x.in[x.a]));
        must(&x, not_(&x, x.in[x.b]));
    } else
        must(&x, Z3_mk_eq(x.c, x.position[x.a], x.position[x.b]));
    Z3_lbool r = Z3_solver_check(x.c, x.s);
    Z3_solver_dec_ref(x.c, x.s);
    Z3_del_context(x.c);
    void *all[] = {x.position, x.in, x.correct, x.before, x.branch, x.match};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return r == Z3_L_TRUE ? 1 : r == Z3_L_FALSE ? 0 : -1;
}
