/*
 * solver.c - see solver.h. A specialised solver instead of a general SMT solver: the engine asks
 * many small questions (bench/analysis compares it with Z3 on the same questions).
 */
#include "solver.h"
#include <assert.h>
#include <string.h>

#define NO_REASON UINT32_MAX
/* Far more than a conflict takes normally. */
#define WORK_PER_CONFLICT 10000

void pf_solver_release(struct pf_solver *s)
{
    for (size_t i = 0; i < s->watches.cap; i++)
        free(s->watches.at[i].at);
    pf_vec_release(&s->watches);
    pf_vec_release(&s->vars);
    pf_vec_release(&s->clauses);
    pf_vec_u32 *all[] = {&s->trail, &s->levels, &s->heap,     &s->learnt,
                         &s->path,  &s->stack,  &s->reach[0], &s->reach[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pf_vec_release(all[i]);
    pf_vec_release(&s->edges);
    free(s->out);
    free(s->in);
    free(s->rank);
    free(s->mark);
    free(s->parent);
    memset(s, 0, sizeof *s);
}

void pf_solver_start(struct pf_solver *s, uint32_t nodes)
{
    if (pf_vec_outgrown(&s->cap, nodes)) {
        uint32_t **all[] = {&s->out, &s->in, &s->rank, &s->mark, &s->parent};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            *all[i] = pf_mem_resize(*all[i], s->cap, sizeof **all[i]);
    }
    s->nodes = nodes;
    memset(s->out, 0xff, nodes * sizeof *s->out);
    memset(s->in, 0xff, nodes * sizeof *s->in);
    memset(s->mark, 0, nodes * sizeof *s->mark);
    for (uint32_t i = 0; i < nodes; i++)
        s->rank[i] = i;
    s->tick = 0;
    pf_vec_clear(&s->vars);
    pf_vec_clear(&s->clauses);
    pf_vec_clear(&s->watches); /* the lists keep their memory for the next problem */
    pf_vec_clear(&s->trail);
    pf_vec_clear(&s->levels);
    pf_vec_clear(&s->heap);
    pf_vec_clear(&s->edges);
    s->head = 0;
    s->bump = 1;
    s->conflicts = 0;
    s->work = 0;
    s->failed = false;
}

/* --- the heap of unassigned variables: highest activity first, then the oldest --- */

static bool above(const struct pf_solver *s, uint32_t a, uint32_t b)
{
    double x = s->vars.at[a].activity, y = s->vars.at[b].activity;
    return x > y || (x == y && a < b);
}

static void heap_set(struct pf_solver *s, uint32_t i, uint32_t v)
{
    s->heap.at[i] = v;
    s->vars.at[v].heap = i;
}

static void heap_up(struct pf_solver *s, uint32_t i)
{
    uint32_t v = s->heap.at[i];
    for (; i && above(s, v, s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
        heap_set(s, i, s->heap.at[(i - 1) / 2]);
    heap_set(s, i, v);
}

static void heap_down(struct pf_solver *s, uint32_t i)
{
    uint32_t v = s->heap.at[i];
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= s->heap.len)
            break;
        if (c + 1 < s->heap.len && above(s, s->heap.at[c + 1], s->heap.at[c]))
            c++;
        if (!above(s, s->heap.at[c], v))
            break;
        heap_set(s, i, s->heap.at[c]);
        i = c;
    }
    heap_set(s, i, v);
}

static void heap_add(struct pf_solver *s, uint32_t v)
{
    if (s->vars.at[v].heap != UINT32_MAX)
        return;
    pf_vec_push(&s->heap, v);
    heap_up(s, (uint32_t)s->heap.len - 1);
}

static uint32_t heap_pop(struct pf_solver *s)
{
    uint32_t v = s->heap.at[0], last = s->heap.at[--s->heap.len];
    s->vars.at[v].heap = UINT32_MAX;
    if (s->heap.len) {
        heap_set(s, 0, last);
        heap_down(s, 0);
    }
    return v;
}

static pf_lit new_var(struct pf_solver *s, bool phase, uint32_t from, uint32_t to)
{
    uint32_t v = (uint32_t)s->vars.len;
    pf_vec_push(
        &s->vars,
        (struct pf_solver_var){
            .phase = phase, .reason = NO_REASON, .from = from, .to = to, .heap = UINT32_MAX});
    if (s->watches.len + 2 > s->watches.cap) {
        size_t old = s->watches.cap;
        pf_vec_reserve(&s->watches, 2);
        memset(s->watches.at + old, 0, (s->watches.cap - old) * sizeof *s->watches.at);
    }
    for (int k = 0; k < 2; k++)
        pf_vec_clear(&s->watches.at[s->watches.len++]);
    heap_add(s, v);
    return 2 * v;
}

pf_lit pf_solver_var(struct pf_solver *s, bool phase) { return new_var(s, phase, 0, 0); }

pf_lit pf_solver_order(struct pf_solver *s, uint32_t from, uint32_t to, bool phase)
{
    assert(from != to);
    return new_var(s, phase, from, to);
}

/* --- the order theory --- */

static void link_edge(struct pf_solver *s, uint32_t from, uint32_t to, pf_lit why)
{
    uint32_t k = (uint32_t)s->edges.len;
    pf_vec_push(&s->edges, (struct pf_solver_edge){from, to, s->out[from], s->in[to], why});
    s->out[from] = s->in[to] = k;
}

static void unlink_last_edge(struct pf_solver *s)
{
    struct pf_solver_edge *e = &s->edges.at[--s->edges.len];
    s->out[e->from] = e->next_out;
    s->in[e->to] = e->next_in;
}

/* Collects the nodes reachable from `start`: forwards with a rank up to `bound`, or backwards with
 * a rank down to it. Returns true as soon as it reaches `goal`; then parent[] holds the edges of a
 * path. */
static bool explore(struct pf_solver *s, uint32_t start, uint32_t bound, bool forwards,
                    uint32_t goal, pf_vec_u32 *out)
{
    s->tick++;
    pf_vec_clear(out);
    pf_vec_clear(&s->stack);
    pf_vec_push(&s->stack, start);
    s->mark[start] = s->tick;
    while (s->stack.len) {
        uint32_t x = s->stack.at[--s->stack.len];
        pf_vec_push(out, x);
        s->work++;
        uint32_t k = forwards ? s->out[x] : s->in[x];
        while (k != UINT32_MAX) {
            const struct pf_solver_edge *e = &s->edges.at[k];
            uint32_t y = forwards ? e->to : e->from;
            bool inside = forwards ? s->rank[y] <= bound : s->rank[y] >= bound;
            if (inside && s->mark[y] != s->tick) {
                s->mark[y] = s->tick;
                s->parent[y] = k;
                if (y == goal)
                    return true;
                pf_vec_push(&s->stack, y);
            }
            k = forwards ? e->next_out : e->next_in;
        }
    }
    return false;
}

static void sort_by_rank(struct pf_solver *s, pf_vec_u32 *v)
{
    for (size_t i = 1; i < v->len; i++) { /* insertion sort: the lists are short */
        uint32_t x = v->at[i];
        size_t k = i;
        for (; k && s->rank[v->at[k - 1]] > s->rank[x]; k--)
            v->at[k] = v->at[k - 1];
        v->at[k] = x;
    }
}

/* Returns false if the edge closes a cycle; `path` then holds the reasons of the other edges on
 * it. */
static bool insert_edge(struct pf_solver *s, uint32_t from, uint32_t to, pf_lit why)
{
    if (s->rank[from] > s->rank[to]) {
        if (explore(s, to, s->rank[from], true, from, &s->reach[0])) {
            pf_vec_clear(&s->path);
            for (uint32_t x = from; x != to; x = s->edges.at[s->parent[x]].from)
                if (s->edges.at[s->parent[x]].why != PF_LIT_TRUE)
                    pf_vec_push(&s->path, s->edges.at[s->parent[x]].why);
            return false;
        }
        explore(s, from, s->rank[to], false, UINT32_MAX, &s->reach[1]);
        sort_by_rank(s, &s->reach[0]);
        sort_by_rank(s, &s->reach[1]);
        /* Distribute the ranks of both groups anew: the smallest ones to the nodes that lead to
         * `from`. */
        pf_vec_u32 *f = &s->reach[0], *b = &s->reach[1];
        pf_vec_clear(&s->stack);
        for (size_t i = 0, k = 0; i < f->len || k < b->len;)
            if (k == b->len || (i < f->len && s->rank[f->at[i]] < s->rank[b->at[k]]))
                pf_vec_push(&s->stack, s->rank[f->at[i++]]);
            else
                pf_vec_push(&s->stack, s->rank[b->at[k++]]);
        size_t r = 0;
        for (size_t k = 0; k < b->len; k++)
            s->rank[b->at[k]] = s->stack.at[r++];
        for (size_t i = 0; i < f->len; i++)
            s->rank[f->at[i]] = s->stack.at[r++];
    }
    link_edge(s, from, to, why);
    return true;
}

bool pf_solver_fix(struct pf_solver *s, uint32_t from, uint32_t to)
{
    assert(!s->trail.len);
    return insert_edge(s, from, to, PF_LIT_TRUE);
}

/* --- clauses --- */

static void assign(struct pf_solver *s, pf_lit l, uint32_t reason)
{
    struct pf_solver_var *v = &s->vars.at[l / 2];
    v->value = l & 1 ? -1 : 1;
    v->phase = !(l & 1);
    v->level = (uint32_t)s->levels.len;
    v->reason = reason;
    pf_vec_push(&s->trail, l);
}

static void undo_to(struct pf_solver *s, uint32_t level)
{
    if (s->levels.len <= level)
        return;
    size_t keep = s->levels.at[level];
    while (s->trail.len > keep) {
        pf_lit l = s->trail.at[--s->trail.len];
        struct pf_solver_var *v = &s->vars.at[l / 2];
        /* Edges were linked in trail order, but only for propagated literals. */
        if (s->trail.len < s->head && v->from != v->to && v->value == 1)
            unlink_last_edge(s);
        v->value = 0;
        heap_add(s, l / 2);
    }
    s->head = s->head < keep ? s->head : keep;
    s->levels.len = level;
}

static int value(const struct pf_solver *s, pf_lit l)
{
    int v = s->vars.at[l / 2].value;
    return l & 1 ? -v : v;
}

static uint32_t store_clause(struct pf_solver *s, const pf_lit *lits, uint32_t n)
{
    uint32_t c = (uint32_t)s->clauses.len;
    pf_vec_push(&s->clauses, n);
    for (uint32_t i = 0; i < n; i++)
        pf_vec_push(&s->clauses, lits[i]);
    return c;
}

static void watch(struct pf_solver *s, uint32_t c)
{
    pf_vec_push(&s->watches.at[s->clauses.at[c + 1]], c);
    pf_vec_push(&s->watches.at[s->clauses.at[c + 2]], c);
}

void pf_solver_clause(struct pf_solver *s, const pf_lit *lits, uint32_t n)
{
    undo_to(s, 0);
    pf_lit out[n + 1];
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (lits[i] == PF_LIT_TRUE || (lits[i] != PF_LIT_FALSE && value(s, lits[i]) > 0))
            return;
        bool twice = lits[i] == PF_LIT_FALSE || value(s, lits[i]) < 0;
        for (uint32_t k = 0; k < m && !twice; k++) {
            if (out[k] == (lits[i] ^ 1))
                return;
            twice = out[k] == lits[i];
        }
        if (!twice)
            out[m++] = lits[i];
    }
    if (!m)
        s->failed = true;
    else if (m == 1)
        assign(s, out[0], NO_REASON);
    else
        watch(s, store_clause(s, out, m));
}

/* Propagates all consequences. Returns a falsified clause, or NO_REASON. */
static uint32_t propagate(struct pf_solver *s)
{
    while (s->head < s->trail.len) {
        pf_lit l = s->trail.at[s->head];
        struct pf_solver_var *v = &s->vars.at[l / 2];
        if (v->from != v->to && !(l & 1)) {
            if (!insert_edge(s, v->from, v->to, l)) {
                pf_lit lits[s->path.len + 1];
                uint32_t n = 0;
                lits[n++] = l ^ 1;
                for (size_t i = 0; i < s->path.len; i++)
                    lits[n++] = s->path.at[i] ^ 1;
                return store_clause(s, lits, n);
            }
        }
        s->head++;
        pf_vec_u32 *w = &s->watches.at[l ^ 1];
        size_t keep = 0;
        s->work += w->len;
        for (size_t i = 0; i < w->len; i++) {
            uint32_t c = w->at[i];
            uint32_t *x = &s->clauses.at[c + 1], n = s->clauses.at[c];
            if (x[0] == (l ^ 1))
                x[0] = x[1], x[1] = l ^ 1;
            bool moved = false;
            if (value(s, x[0]) <= 0)
                for (uint32_t k = 2; k < n && !moved; k++)
                    if (value(s, x[k]) >= 0) {
                        uint32_t t = x[1];
                        x[1] = x[k], x[k] = t;
                        pf_vec_push(&s->watches.at[x[1]], c);
                        moved = true;
                    }
            if (moved)
                continue;
            w->at[keep++] = c;
            if (value(s, x[0]) > 0)
                continue;
            if (value(s, x[0]) < 0) {
                while (++i < w->len)
                    w->at[keep++] = w->at[i];
                w->len = keep;
                return c;
            }
            assign(s, x[0], c);
        }
        w->len = keep;
    }
    return NO_REASON;
}

static void bump(struct pf_solver *s, uint32_t v)
{
    s->vars.at[v].activity += s->bump;
    if (s->vars.at[v].activity > 1e100) {
        for (size_t i = 0; i < s->vars.len; i++)
            s->vars.at[i].activity *= 1e-100;
        s->bump *= 1e-100;
    }
    if (s->vars.at[v].heap != UINT32_MAX)
        heap_up(s, s->vars.at[v].heap);
}

/* First-UIP conflict analysis. Leaves the learnt clause in s->learnt, its asserting literal first.
 * Returns the level to backtrack to. */
static uint32_t analyse(struct pf_solver *s, uint32_t conflict)
{
    uint32_t open = 0, level = (uint32_t)s->levels.len, back = 0, c = conflict;
    size_t i = s->trail.len;
    pf_lit uip = 0;
    pf_vec_clear(&s->learnt);
    pf_vec_push(&s->learnt, 0);
    for (bool first = true;; first = false) {
        const uint32_t n = s->clauses.at[c];
        for (uint32_t k = 0; k < n; k++) {
            pf_lit q = s->clauses.at[c + 1 + k];
            struct pf_solver_var *v = &s->vars.at[q / 2];
            if ((!first && q == uip) || v->seen || !v->level)
                continue;
            v->seen = true;
            bump(s, q / 2);
            if (v->level == level)
                open++;
            else {
                pf_vec_push(&s->learnt, q);
                back = v->level > back ? v->level : back;
            }
        }
        do
            uip = s->trail.at[--i];
        while (!s->vars.at[uip / 2].seen);
        s->vars.at[uip / 2].seen = false;
        if (--open == 0)
            break;
        c = s->vars.at[uip / 2].reason;
        assert(c != NO_REASON);
    }
    s->learnt.at[0] = uip ^ 1;
    for (size_t k = 1; k < s->learnt.len; k++) {
        s->vars.at[s->learnt.at[k] / 2].seen = false;
        if (s->vars.at[s->learnt.at[k] / 2].level == back && k > 1) {
            uint32_t t = s->learnt.at[1];
            s->learnt.at[1] = s->learnt.at[k], s->learnt.at[k] = t;
        }
    }
    return back;
}

int pf_solver_run(struct pf_solver *s, uint64_t conflicts)
{
    while (!s->failed) {
        uint32_t conflict = propagate(s);
        if (conflict != NO_REASON) {
            s->conflicts++;
            if (!s->levels.len) {
                s->failed = true;
                break;
            }
            uint32_t back = analyse(s, conflict);
            undo_to(s, back);
            if (s->learnt.len == 1)
                assign(s, s->learnt.at[0], NO_REASON);
            else {
                uint32_t c = store_clause(s, s->learnt.at, (uint32_t)s->learnt.len);
                watch(s, c);
                assign(s, s->learnt.at[0], c);
            }
            s->bump *= 1.05;
            if (s->conflicts > conflicts || s->work > conflicts * WORK_PER_CONFLICT)
                return 0;
            continue;
        }
        uint32_t v = UINT32_MAX;
        while (s->heap.len && v == UINT32_MAX) {
            v = heap_pop(s);
            if (s->vars.at[v].value)
                v = UINT32_MAX;
        }
        if (v == UINT32_MAX)
            return 1;
        pf_vec_push(&s->levels, (uint32_t)s->trail.len);
        assign(s, 2 * v + !s->vars.at[v].phase, NO_REASON);
    }
    return -1;
}
