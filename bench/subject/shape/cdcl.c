/*
 * cdcl.c - a portfolio of CDCL SAT solvers that share short learned clauses.
 *
 * bench: size=12 quick=2 contention=6
 *
 * Shows:   watch lists, small clauses as heap blocks, one lock operation for every learned
 *          clause, so that nearly every access is the first of its epoch. Size is the
 *          number of random 3-SAT formulas, near the threshold of satisfiability.
 * Hides:   long loops. There are no races. Threads import clauses between barriers, so that
 *          each run does the same work.
 */
#include "bench.h"

enum { VARS = 100, CLAUSES = 428, ROUND = 50, SHORT = 4, MOST_SHARED = 1 << 14 };

struct clause {
    int size;
    int lit[]; /* 2 * variable, + 1 if negative */
};

struct watch_list {
    struct clause **at;
    int used, room;
};

struct solver {
    struct watch_list watch[2 * VARS];
    struct watch_list owned;
    signed char value[VARS]; /* 0, or 1 and -1 */
    signed char phase[VARS], seen[VARS];
    int level[VARS], trail[VARS], start[VARS + 1], previous[VARS], next[VARS], first, last;
    struct clause *reason[VARS];
    int assigned, propagated, depth, answer;
};

struct pool {
    pthread_mutex_t lock;
    struct clause *shared[MOST_SHARED];
    size_t used;
};

struct portfolio {
    struct pool *pool; /* one for each thread's exports */
    struct clause *formula[CLAUSES];
    int answer;
    pthread_barrier_t step;
};

static int lit_value(const struct solver *s, int lit)
{
    return lit & 1 ? -s->value[lit / 2] : s->value[lit / 2];
}

static void list_add(struct watch_list *l, struct clause *c)
{
    if (l->used == l->room) {
        l->room = l->room ? 2 * l->room : 4;
        l->at = realloc(l->at, (size_t)l->room * sizeof *l->at);
        if (!l->at)
            bench_fail("out of memory");
    }
    l->at[l->used++] = c;
}

static struct clause *clause_new(const int *lit, int size)
{
    struct clause *c = bench_alloc(sizeof *c + (size_t)size * sizeof(int));
    c->size = size;
    for (int i = 0; i < size; i++)
        c->lit[i] = lit[i];
    return c;
}

static void assign(struct solver *s, int lit, struct clause *reason)
{
    int v = lit / 2;
    s->value[v] = s->phase[v] = lit & 1 ? -1 : 1;
    s->level[v] = s->depth;
    s->reason[v] = reason;
    s->trail[s->assigned++] = lit;
}

static void backtrack(struct solver *s, int depth)
{
    if (s->depth <= depth)
        return;
    while (s->assigned > s->start[depth + 1])
        s->value[s->trail[--s->assigned] / 2] = 0;
    s->propagated = s->assigned;
    s->depth = depth;
}

/* Takes over a clause. Only lit[1] may be false, at the highest level. */
static void attach(struct solver *s, struct clause *c)
{
    list_add(&s->owned, c);
    list_add(&s->watch[c->lit[0]], c);
    list_add(&s->watch[c->lit[1]], c);
}

static struct clause *propagate(struct solver *s)
{
    while (s->propagated < s->assigned) {
        int no = s->trail[s->propagated++] ^ 1;
        struct watch_list *l = &s->watch[no];
        int kept = 0;
        for (int i = 0; i < l->used; i++) {
            struct clause *c = l->at[i];
            if (c->lit[0] == no) {
                c->lit[0] = c->lit[1];
                c->lit[1] = no;
            }
            int other = 2;
            if (lit_value(s, c->lit[0]) <= 0)
                while (other < c->size && lit_value(s, c->lit[other]) < 0)
                    other++;
            else
                other = c->size;
            if (other < c->size) {
                c->lit[1] = c->lit[other];
                c->lit[other] = no;
                list_add(&s->watch[c->lit[1]], c);
                continue;
            }
            l->at[kept++] = c;
            if (lit_value(s, c->lit[0]) < 0) {
                while (++i < l->used)
                    l->at[kept++] = l->at[i];
                l->used = kept;
                return c;
            }
            if (lit_value(s, c->lit[0]) == 0)
                assign(s, c->lit[0], c);
        }
        l->used = kept;
    }
    return NULL;
}

/* Moves a variable to the front of the decision order. */
static void bump(struct solver *s, int v)
{
    if (s->first == v)
        return;
    s->next[s->previous[v]] = s->next[v];
    if (s->next[v] >= 0)
        s->previous[s->next[v]] = s->previous[v];
    else
        s->last = s->previous[v];
    s->previous[v] = -1;
    s->next[v] = s->first;
    s->previous[s->first] = v;
    s->first = v;
}

/* Finds the first unique implication point; -> the size of the learned clause. */
static int analyse(struct solver *s, const struct clause *c, int *learned, int *back)
{
    int open = 0, at = s->assigned, size = 1, lit = -1;
    *back = 0;
    do {
        for (int i = 0; i < c->size; i++) {
            int v = c->lit[i] / 2;
            if (c->lit[i] == lit || s->seen[v] || s->level[v] == 0)
                continue;
            s->seen[v] = 1;
            if (s->level[v] == s->depth) {
                open++;
                continue;
            }
            learned[size++] = c->lit[i];
            if (s->level[v] > *back) {
                *back = s->level[v];
                learned[size - 1] = learned[1];
                learned[1] = c->lit[i];
            }
        }
        while (!s->seen[s->trail[--at] / 2])
            ;
        lit = s->trail[at];
        c = s->reason[lit / 2];
        s->seen[lit / 2] = 0;
        bump(s, lit / 2);
    } while (--open > 0);
    learned[0] = lit ^ 1;
    for (int i = 1; i < size; i++) {
        s->seen[learned[i] / 2] = 0;
        bump(s, learned[i] / 2);
    }
    return size;
}

static void export_clause(struct pool *p, const int *lit, int size)
{
    pthread_mutex_lock(&p->lock);
    if (size <= SHORT && p->used < MOST_SHARED)
        p->shared[p->used++] = clause_new(lit, size);
    pthread_mutex_unlock(&p->lock);
}

static int decide(struct solver *s)
{
    int v = s->first;
    while (v >= 0 && s->value[v])
        v = s->next[v];
    if (v < 0)
        return 0;
    s->start[++s->depth] = s->assigned;
    assign(s, 2 * v + (s->phase[v] < 0), NULL);
    return 1;
}

/* Searches until `conflicts` conflicts or an answer: 1 satisfiable, -1 unsatisfiable. */
static void search(struct solver *s, struct pool *p, int conflicts)
{
    int learned[VARS], back;
    while (!s->answer) {
        struct clause *c = propagate(s);
        if (!c) {
            if (!decide(s))
                s->answer = 1;
            continue;
        }
        if (s->depth == 0) {
            s->answer = -1;
            return;
        }
        int size = analyse(s, c, learned, &back);
        export_clause(p, learned, size);
        backtrack(s, back);
        c = size > 1 ? clause_new(learned, size) : NULL;
        if (c)
            attach(s, c);
        assign(s, learned[0], c);
        if (--conflicts <= 0)
            return;
    }
}

/* Adds a clause at level 0. */
static void add_clause(struct solver *s, const struct clause *from)
{
    int lit[VARS], size = 0;
    for (int i = 0; i < from->size; i++) {
        int value = lit_value(s, from->lit[i]);
        if (value > 0)
            return;
        if (value == 0)
            lit[size++] = from->lit[i];
    }
    if (size > 1)
        attach(s, clause_new(lit, size));
    else if (size == 1)
        assign(s, lit[0], NULL);
    else
        s->answer = -1;
}

static struct solver *solver_new(const struct portfolio *f, unsigned seed)
{
    struct solver *s = calloc(1, sizeof *s);
    if (!s)
        bench_fail("out of memory");
    for (int i = 0; i < VARS; i++) {
        s->previous[i] = i - 1;
        s->next[i] = i + 1 < VARS ? i + 1 : -1;
        s->phase[i] = bench_hash(seed * VARS + (unsigned)i) & 1 ? 1 : -1;
    }
    s->last = VARS - 1;
    for (int i = 0; i < CLAUSES; i++)
        add_clause(s, f->formula[i]);
    return s;
}

static void solver_free(struct solver *s)
{
    for (int i = 0; i < s->owned.used; i++)
        free(s->owned.at[i]);
    free(s->owned.at);
    for (int i = 0; i < 2 * VARS; i++)
        free(s->watch[i].at);
    free(s);
}

static void *work(struct bench_worker *w)
{
    struct portfolio *f = w->arg;
    struct solver *s = solver_new(f, w->index);
    size_t taken[512] = {0};
    while (f->answer == 0) {
        if (!s->answer)
            search(s, &f->pool[w->index], ROUND);
        pthread_barrier_wait(&f->step);
        backtrack(s, 0);
        for (unsigned t = 0; t < w->bench->threads && !s->answer; t++) {
            pthread_mutex_lock(&f->pool[t].lock);
            for (; taken[t] < f->pool[t].used && !s->answer; taken[t]++)
                if (t != w->index && !propagate(s))
                    add_clause(s, f->pool[t].shared[taken[t]]);
            pthread_mutex_unlock(&f->pool[t].lock);
        }
        pthread_mutex_lock(&f->pool[0].lock);
        if (s->answer)
            f->answer = s->answer;
        pthread_mutex_unlock(&f->pool[0].lock);
        pthread_barrier_wait(&f->step);
    }
    solver_free(s);
    return NULL;
}

static int solve(struct bench *b, uint64_t seed)
{
    struct portfolio f = {.pool = calloc(b->threads, sizeof *f.pool)};
    if (!f.pool)
        bench_fail("out of memory");
    for (size_t i = 0; i < CLAUSES; i++) {
        int lit[3];
        for (size_t k = 0; k < 3; k++)
            lit[k] = (int)(bench_hash((seed * CLAUSES + i) * 3 + k) % (2 * VARS));
        while (lit[1] / 2 == lit[0] / 2)
            lit[1] = (lit[1] + 2) % (2 * VARS);
        while (lit[2] / 2 == lit[0] / 2 || lit[2] / 2 == lit[1] / 2)
            lit[2] = (lit[2] + 2) % (2 * VARS);
        f.formula[i] = clause_new(lit, 3);
    }
    for (unsigned t = 0; t < b->threads; t++)
        pthread_mutex_init(&f.pool[t].lock, NULL);
    pthread_barrier_init(&f.step, NULL, b->threads);
    bench_run(b, work, &f);
    pthread_barrier_destroy(&f.step);
    for (unsigned t = 0; t < b->threads; t++) {
        for (size_t i = 0; i < f.pool[t].used; i++)
            free(f.pool[t].shared[i]);
        pthread_mutex_destroy(&f.pool[t].lock);
    }
    for (size_t i = 0; i < CLAUSES; i++)
        free(f.formula[i]);
    free(f.pool);
    return f.answer;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 12);
    uint64_t sum = 0;
    for (unsigned long i = 0; i < b.size; i++)
        sum = sum * 3 + (uint64_t)(solve(&b, i) + 1);
    return bench_end("cdcl", sum);
}
