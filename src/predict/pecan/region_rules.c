/*
 * region_rules.c - see region_rules.h. A lock counts as the guard of a variable although a few
 * writes are made without it: those writes may be the violation that is searched for.
 */
#include "region_rules.h"
#include <string.h>

#define UNGUARDED_MAX 10 /* percent of the writes that may be made without the guarding lock */

/* --- writes of each cell --- */

struct cell_span { /* the first and the last accesses of a cell */
    uint32_t first, last;
    /* first access by another thread than that of `first`; last one by another than `last`'s */
    uint32_t first_other, last_other;
};

static void note_access(struct cell_span *s, const struct pf_event *events, uint32_t i)
{
    if (s->first == PF_NONE)
        s->first = i;
    else if (s->first_other == PF_NONE && events[i].thread != events[s->first].thread)
        s->first_other = i;
    if (s->last != PF_NONE && events[s->last].thread != events[i].thread)
        s->last_other = s->last;
    s->last = i;
}

/* True if event i, a write, is ordered before all accesses of other threads, or after them. */
static bool is_private(const struct pf_partial_order *g, const struct cell_span *s, uint32_t i)
{
    const struct pf_event *e = g->t->events.at;
    uint32_t next = e[s->first].thread == e[i].thread ? s->first_other : s->first;
    uint32_t before = e[s->last].thread == e[i].thread ? s->last_other : s->last;
    return (next != PF_NONE && pf_partial_order_before(g, i, next)) ||
           (before != PF_NONE && pf_partial_order_before(g, before, i));
}

static void count_write(struct pf_region_rules *r, uint32_t cell, uint32_t i)
{
    const struct pf_partial_order *g = r->w->g;
    const struct pf_event *e = &g->t->events.at[i];
    for (uint32_t k = r->group_at[cell]; k != PF_NONE; k = r->groups.at[k].next) {
        struct pf_write_group *x = &r->groups.at[k];
        if (x->thread == e->thread && x->site == e->site && x->held == g->held[i]) {
            x->n++;
            return;
        }
    }
    pf_vec_push(&r->groups, (struct pf_write_group){.thread = e->thread,
                                                    .site = e->site,
                                                    .held = g->held[i],
                                                    .n = 1,
                                                    .next = r->group_at[cell]});
    r->group_at[cell] = (uint32_t)r->groups.len - 1;
}

static int by_thread_and_lock(const void *x, const void *y)
{
    const struct pf_acquire *a = x, *b = y;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static void find_acquires(struct pf_region_rules *r)
{
    const struct pf_partial_order *g = r->w->g;
    for (uint32_t i = 0; i < g->t->events.len; i++) {
        const struct pf_event *e = &g->t->events.at[i];
        if (pf_event_acquires(e))
            pf_vec_push(&r->acquires, (struct pf_acquire){e->thread, pf_event_lock(e), g->pos[i]});
    }
    if (r->acquires.len)
        qsort(r->acquires.at, r->acquires.len, sizeof *r->acquires.at, by_thread_and_lock);
}

void pf_region_rules_init(struct pf_region_rules *r, const struct pf_units *w)
{
    const struct pf_partial_order *g = w->g;
    const struct pf_trace *t = g->t;
    memset(r, 0, sizeof *r);
    r->w = w;
    r->group_at = pf_mem_resize(NULL, t->cells.len + 1, sizeof *r->group_at);
    memset(r->group_at, 0xff, t->cells.len * sizeof *r->group_at);
    struct cell_span *span = pf_mem_resize(NULL, t->cells.len + 1, sizeof *span);
    memset(span, 0xff, t->cells.len * sizeof *span);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < t->events.len; i++) {
            const struct pf_event *e = &t->events.at[i];
            if (!pf_event_is_access(e) || (pass && !pf_event_writes(e)))
                continue;
            const struct pf_range *p = &t->places.at[e->what];
            for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
                if (!t->cells.at[c].shared || !t->cells.at[c].written)
                    continue;
                else if (!pass)
                    note_access(&span[c], t->events.at, i);
                else if (!is_private(g, &span[c], i))
                    count_write(r, c, i);
        }
    free(span);
    find_acquires(r);
}

void pf_region_rules_release(struct pf_region_rules *r)
{
    pf_vec_release(&r->groups);
    pf_vec_release(&r->acquires);
    free(r->group_at);
}

/* --- evidence --- */

struct weighing {
    const struct pf_region_rules *r;
    const struct pf_pattern *p;
    const uint32_t *class, *entry, *events;
};

static const struct pf_unit_access *access_of(const struct weighing *m, unsigned i)
{
    return &m->r->w->accesses.at[m->entry[i]];
}

/* True if event i of the pattern comes between two events of region r. */
static bool interrupts(const struct pf_pattern *p, unsigned i, unsigned r)
{
    bool before = false, after = false;
    for (unsigned k = 0; k < p->n; k++)
        if (p->region[k] == r)
            *(k < i ? &before : &after) = true;
    return p->region[i] != r && before && after;
}

static bool set_has(const struct pf_locksets *x, uint32_t set, uint32_t lock)
{
    const struct pf_lockset_words *s = &x->sets.at[set];
    for (uint32_t k = 0; k < s->len; k++)
        if (x->words.at[s->first + k] / 2 == lock)
            return true;
    return false;
}

/* True if the cell is on the stack of the thread. */
static bool is_on_stack(const struct pf_trace *t, uint32_t thread, uint32_t cell)
{
    if (thread >= t->recorded.threads.len)
        return false;
    const struct pf_recorded_thread *u = &t->recorded.threads.at[thread];
    return t->cells.at[cell].addr - u->stack < u->stack_size;
}

/* True if the lock is held at nearly all writes of the cell. Writes without the lock by the code
 * that interrupts region r are not counted. `thread`: that of r. */
static bool guards(const struct weighing *m, uint32_t lock, uint32_t cell, unsigned r,
                   uint32_t thread)
{
    const struct pf_region_rules *x = m->r;
    const struct pf_trace *t = x->w->g->t;
    uint64_t with = 0, without = 0;
    bool by_others = false;
    for (uint32_t k = x->group_at[cell]; k != PF_NONE; k = x->groups.at[k].next) {
        const struct pf_write_group *group = &x->groups.at[k];
        bool intruder = false;
        for (unsigned i = 0; i < m->p->n; i++)
            intruder |= m->p->region[i] != r && t->events.at[m->events[i]].site == group->site &&
                        t->events.at[m->events[i]].thread == group->thread;
        bool held = set_has(&x->w->g->locks, group->held, lock);
        by_others |= held && group->thread != thread;
        with += held ? group->n : 0;
        without += held || intruder ? 0 : group->n;
    }
    return with && without * 100 <= (with + without) * UNGUARDED_MAX &&
           (by_others || !is_on_stack(t, thread, cell));
}

/* True if the thread holds the lock from event a to event b without a break: at both, and it does
 * not acquire the lock in between. */
static bool holds_throughout(const struct weighing *m, uint32_t lock, uint32_t a, uint32_t b)
{
    const struct pf_partial_order *g = m->r->w->g;
    if (!set_has(&g->locks, g->held[a], lock) || !set_has(&g->locks, g->held[b], lock))
        return false;
    struct pf_acquire key = {g->t->events.at[a].thread, lock, g->pos[a]};
    size_t lo = 0, hi = m->r->acquires.len; /* finds the first acquire after a */
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (by_thread_and_lock(&m->r->acquires.at[mid], &key) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct pf_acquire *next = &m->r->acquires.at[lo];
    return lo == m->r->acquires.len || next->thread != key.thread || next->lock != lock ||
           next->pos > g->pos[b];
}

/* True if a lock is held around all events of region r (a check and its act: at both), and guards
 * their variables. */
static bool is_guarded(const struct weighing *m, unsigned r)
{
    const struct pf_partial_order *g = m->r->w->g;
    unsigned first = m->p->n, last = 0;
    for (unsigned i = 0; i < m->p->n; i++)
        if (m->p->region[i] == r) {
            first = first == m->p->n ? i : first;
            last = i;
        }
    const struct pf_lockset_words *s = &g->locks.sets.at[g->held[m->events[first]]];
    uint32_t thread = g->t->events.at[m->events[first]].thread;
    for (uint32_t k = 0; k < s->len; k++) {
        uint32_t lock = g->locks.words.at[s->first + k] / 2;
        bool all = m->r->w->classes.at[m->class[r]].pair
                       ? set_has(&g->locks, g->held[m->events[last]], lock)
                       : holds_throughout(m, lock, m->events[first], m->events[last]);
        for (unsigned i = 0; i < m->p->n && all; i++)
            all = m->p->region[i] != r || guards(m, lock, access_of(m, i)->cell, r, thread);
        if (all)
            return true;
    }
    return false;
}

/* True if an event that interrupts region r holds a lock that events of r before it and after it
 * also hold: these events of r are then in different critical sections of that lock. */
static bool has_inner_sections(const struct weighing *m, unsigned r)
{
    const struct pf_partial_order *g = m->r->w->g;
    for (unsigned q = 0; q < m->p->n; q++) {
        const struct pf_lockset_words *s = &g->locks.sets.at[g->held[m->events[q]]];
        for (uint32_t k = 0; interrupts(m->p, q, r) && k < s->len; k++) {
            uint32_t lock = g->locks.words.at[s->first + k] / 2;
            bool before = false, after = false;
            for (unsigned i = 0; i < m->p->n; i++)
                if (m->p->region[i] == r && set_has(&g->locks, g->held[m->events[i]], lock))
                    *(i < q ? &before : &after) = true;
            if (before && after)
                return true;
        }
    }
    return false;
}

static bool has_flow(const struct weighing *m, unsigned r)
{
    const struct pf_event *e = m->r->w->g->t->events.at;
    uint32_t check = PF_NONE, act = PF_NONE;
    for (unsigned i = 0; i < m->p->n; i++)
        if (m->p->region[i] == r) {
            check = check == PF_NONE ? m->events[i] : check;
            act = m->events[i];
        }
    return pf_event_checks(&e[check]) && pf_event_acts(&e[act]);
}

static bool is_named(const struct weighing *m, unsigned r)
{
    uint32_t mark = 0;
    bool same = true;
    for (unsigned i = 0; i < m->p->n; i++)
        if (m->p->region[i] == r) {
            same &= access_of(m, i)->mark && (!mark || mark == access_of(m, i)->mark);
            mark = access_of(m, i)->mark;
        }
    return same;
}

static enum pf_region_evidence weigh_region(const struct weighing *m, unsigned r)
{
    if (is_named(m, r))
        return PF_EVIDENCE_NAMED;
    bool pair = m->r->w->classes.at[m->class[r]].pair;
    if (!is_guarded(m, r) || (!pair && has_inner_sections(m, r) && !has_flow(m, r)))
        return PF_EVIDENCE_WEAK;
    return PF_EVIDENCE_INFERRED;
}

enum pf_region_evidence pf_region_rules_weigh(const struct pf_region_rules *r,
                                              const struct pf_pattern *p, const uint32_t *class,
                                              const uint32_t *entry, const uint32_t *events)
{
    struct weighing m = {r, p, class, entry, events};
    enum pf_region_evidence best = PF_EVIDENCE_WEAK;
    bool atomic = p->nvars == 1;
    if (p->kind == PF_PATTERN_RACE || !p->builtin)
        return PF_EVIDENCE_NAMED;
    for (unsigned k = 0; k < p->nregions; k++)
        for (unsigned q = 0; q < p->n; q++)
            if (interrupts(p, q, k)) {
                enum pf_region_evidence found = weigh_region(&m, k);
                best = found > best ? found : best;
                break;
            }
    for (unsigned i = 0; i < p->n; i++)
        atomic &= access_of(&m, i)->atomic;
    return atomic && best != PF_EVIDENCE_NAMED ? PF_EVIDENCE_NONE : best;
}
