/*
 * check_act.c - see check_act.h.
 */
#include "check_act.h"
#include <string.h>

#define BETWEEN 20000 /* most events of the thread between a check and its act */
#define EXAMINED_MAX 16 /* marked reads after the check that are examined */
#define BUDGET 200000000ull /* events examined for such reads; beyond that, pairs are kept */
#define FOREIGN_EVENTS 4096 /* events of a section of another thread that are examined */

/* Entry k, counted from the outermost, of the call stack of event i; NULL if there is none. */
static const struct pf_site_info *frame(const struct pf_trace *t, uint32_t i, uint32_t k)
{
    const struct pf_recorded *r = &t->recorded;
    const struct pf_recorded_stack *w = &r->stacks.at[r->event_stack.at[i]];
    return k < w->n ? &t->sites.at[r->stack_sites.at[w->first + w->n - 1 - k]] : NULL;
}

/* The number of entries that two call stacks share, from the outermost on. */
static uint32_t shared_frames(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    uint32_t k = 0;
    while (frame(t, a, k) && frame(t, a, k) == frame(t, b, k))
        k++;
    return k;
}

uint32_t pf_activation_of(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    uint32_t k = shared_frames(t, a, b);
    if (k && (!frame(t, a, k) || !frame(t, b, k)))
        k--; /* both from one source position, as from a macro */
    const struct pf_site_info *x = frame(t, a, k), *y = frame(t, b, k);
    return x && y && x->func == y->func && x->file == y->file ? k : PF_NONE;
}

bool pf_activation_has(const struct pf_trace *t, uint32_t a, uint32_t depth, uint32_t i)
{
    const struct pf_site_info *x = frame(t, a, depth), *z = frame(t, i, depth);
    return shared_frames(t, a, i) >= depth && x && z && z->func == x->func && z->file == x->file;
}

/* True if both events belong to one activation of a function, which stays active between them. */
static bool one_activation(const struct pf_partial_order *g, uint64_t *cut, uint32_t a, uint32_t b)
{
    const struct pf_trace *t = g->t;
    if (!t->recorded.present)
        return true;
    uint32_t k = pf_activation_of(t, a, b);
    if (k == PF_NONE)
        return false;
    if (g->pos[b] - g->pos[a] > BETWEEN) {
        ++*cut;
        return false;
    }
    for (uint32_t p = g->pos[a] + 1; p < g->pos[b]; p++)
        if (!pf_activation_has(t, a, k, g->by_thread[p]))
            return false;
    return true;
}

/* True if some lock is held at both events, and every such lock was released in between. */
static bool other_section(const struct pf_partial_order *g, const uint32_t *taken, uint32_t a,
                          uint32_t b)
{
    const struct pf_lockset_words *p = &g->locks.sets.at[g->held[a]],
                                  *q = &g->locks.sets.at[g->held[b]];
    const uint32_t *x = g->locks.words.at + p->first, *y = g->locks.words.at + q->first;
    bool common = false;
    for (uint32_t i = 0; i < p->len; i++)
        for (uint32_t k = 0; k < q->len; k++)
            if (x[i] / 2 == y[k] / 2) {
                common = true;
                if (taken[y[k] / 2] <= a)
                    return false;
            }
    return common;
}

/* True if a lock that is held at a was still held at b, without interruption. */
static bool same_section(const struct pf_partial_order *g, const uint32_t *taken, uint32_t a,
                         uint32_t b)
{
    const struct pf_lockset_words *p = &g->locks.sets.at[g->held[a]],
                                  *q = &g->locks.sets.at[g->held[b]];
    const uint32_t *x = g->locks.words.at + p->first, *y = g->locks.words.at + q->first;
    for (uint32_t i = 0; i < p->len; i++)
        for (uint32_t k = 0; k < q->len; k++)
            if (x[i] / 2 == y[k] / 2 && taken[y[k] / 2] <= a)
                return true;
    return false;
}

/* --- checks that are made again --- */

struct check_act {
    uint32_t *check; /* per cell: newest check */
    uint32_t *taken; /* per lock: newest acquire */
    uint64_t budget; /* events that may still be examined for checks that are made again */
    uint64_t cut;    /* decisions that a limit cut short */
};

static bool accesses_cell(const struct pf_trace *t, const struct pf_event *e, uint32_t cell)
{
    const struct pf_range *p = pf_event_is_access(e) ? &t->places.at[e->what] : NULL;
    return p && cell >= p->cell0 && cell < p->cell0 + p->ncells;
}

/* True if the thread of event i, a write, also writes `cell` while it holds one of the locks. */
static bool also_writes(const struct pf_partial_order *g, struct check_act *w, uint32_t i,
                        uint32_t locks, uint32_t cell)
{
    const struct pf_trace *t = g->t;
    struct pf_locksets *x = (struct pf_locksets *)&g->locks; /* only its cache changes */
    uint32_t u = t->events.at[i].thread;
    for (int forward = 0; forward < 2; forward++)
        for (uint32_t p = g->pos[i], n = 0;; n++) {
            uint32_t k = g->by_thread[p];
            if (!pf_locksets_exclude(x, locks, g->held[k]))
                break; /* outside the section; `held` of the acquire is the set before it */
            if (n == FOREIGN_EVENTS) {
                w->cut++;
                break;
            }
            if (pf_event_writes(&t->events.at[k]) && accesses_cell(t, &t->events.at[k], cell))
                return true;
            if (p == (forward ? g->thread_at[u + 1] - 1 : g->thread_at[u]))
                break;
            p += forward ? 1 : -1u;
        }
    return false;
}

/* True if every write of `cell` by another thread holds one of the locks, and, if `other` is
 * another cell, is made in a section that also writes `other`. */
static bool foreign_writes_respect(const struct pf_partial_order *g, struct check_act *w,
                                   uint32_t thread, uint32_t cell, uint32_t locks, uint32_t other)
{
    const struct pf_trace *t = g->t;
    struct pf_locksets *x = (struct pf_locksets *)&g->locks; /* only its cache changes */
    if (w->budget < t->events.len) {
        w->cut++;
        return false;
    }
    w->budget -= t->events.len;
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (e->thread == thread || !pf_event_writes(e) || !accesses_cell(t, e, cell))
            continue;
        if (!pf_locksets_exclude(x, locks, g->held[i]) ||
            (other != cell && !also_writes(g, w, i, locks, other)))
            return false;
    }
    return true;
}

/* True if the check of act b was made again after event a, under a lock that is held up to b. */
static bool checked_again(const struct pf_partial_order *g, struct check_act *w, uint32_t a,
                          uint32_t b, uint32_t cell)
{
    const struct pf_trace *t = g->t;
    struct pf_locksets *x = (struct pf_locksets *)&g->locks; /* interns sets */
    uint32_t locks = g->held[b];
    unsigned examined = 0;
    for (uint32_t p = g->pos[b]; p-- > g->pos[a] + 1 && locks;) {
        uint32_t i = g->by_thread[p];
        const struct pf_event *e = &t->events.at[i];
        if (pf_event_acquires(e)) /* locks taken here were not held before */
            locks = pf_locksets_intersect(x, locks, g->held[i], false);
        if (!pf_event_checks(e))
            continue;
        if (examined == EXAMINED_MAX) {
            w->cut++;
            return false;
        }
        uint32_t other = t->places.at[e->what].cell0;
        examined++;
        if (foreign_writes_respect(g, w, e->thread, cell, locks, other))
            return true;
    }
    return false;
}

/* --- pairs --- */

static void scan_access(const struct pf_partial_order *g, struct check_act *w, uint32_t i,
                        void (*f)(void *, uint32_t, uint32_t), void *arg)
{
    const struct pf_trace *t = g->t;
    const struct pf_event *e = &t->events.at[i];
    const struct pf_range *at = &t->places.at[e->what];
    uint32_t cell = at->cell0, check = w->check[cell];
    if (pf_event_acts(e) && t->cells.at[cell].shared && t->cells.at[cell].written &&
        check != PF_NONE && other_section(g, w->taken, check, i) &&
        one_activation(g, &w->cut, check, i) && !checked_again(g, w, check, i, cell))
        f(arg, check, i);
    if (pf_event_checks(e))
        w->check[cell] = i;
    if (pf_event_writes(e))
        for (uint32_t c = cell; c < cell + at->ncells; c++)
            if (w->check[c] != PF_NONE && same_section(g, w->taken, w->check[c], i))
                w->check[c] = PF_NONE;
}

uint64_t pf_check_act_each(const struct pf_partial_order *g, void (*f)(void *, uint32_t, uint32_t),
                           void *arg)
{
    const struct pf_trace *t = g->t;
    struct check_act w = {.budget = BUDGET,
                          .check = pf_mem_resize(NULL, t->cells.len + 1, sizeof *w.check),
                          .taken = pf_mem_resize(NULL, t->locks.len + 1, sizeof *w.taken)};
    for (uint32_t u = 0; u < g->nt; u++) {
        bool any = false;
        for (uint32_t p = g->thread_at[u]; p < g->thread_at[u + 1] && !any; p++)
            any = pf_event_acts(&t->events.at[g->by_thread[p]]);
        if (!any)
            continue;
        memset(w.check, 0xff, t->cells.len * sizeof *w.check);
        memset(w.taken, 0, t->locks.len * sizeof *w.taken);
        for (uint32_t p = g->thread_at[u]; p < g->thread_at[u + 1]; p++) {
            uint32_t i = g->by_thread[p];
            const struct pf_event *e = &t->events.at[i];
            if (pf_event_acquires(e))
                w.taken[pf_event_lock(e)] = i;
            if (pf_event_is_access(e))
                scan_access(g, &w, i, f, arg);
        }
    }
    free(w.check);
    free(w.taken);
    return w.cut;
}
