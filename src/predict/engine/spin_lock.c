/*
 * spin_lock.c - recognises an atomic variable as a lock if the whole trace uses it as one: only an
 * rmw from 0 makes it nonzero, only the thread that did so sets it back to 0, and the next event of
 * that thread depends on the value that the rmw saw.
 *
 * Then no reordering has two such critical sections open at the same time. Proof: consider the
 * first section that begins while another one is open. Since the other one began, no further
 * section has begun, so no other thread has written 0, and the rmw must see a nonzero value. Writes
 * of 0 before the first section do not break this, provided that they happen before the fork of
 * every other thread that takes the lock.
 */
#include "spin_lock.h"
#include <string.h>

#define BAD UINT32_MAX

/* How a cell was used so far. */
struct cell_use {
    uint32_t sections; /* sections begun; BAD: the cell is not a lock */
    uint32_t acquire;  /* acquire of the open section; PF_NONE: the lock is free */
    uint32_t cleared;  /* last write of 0 before the first section, PF_NONE if there was none */
};

struct spin_lock_finder {
    struct pf_trace_index *x;
    const struct pf_trace *t;
    struct cell_use *uses;       /* per cell */
    /* per thread: the event that forked it; per event: the next event of its thread */
    uint32_t *fork, *next;
};

/* True if `event` precedes all events of thread u, by program order and forks alone. */
static bool before_thread(const struct spin_lock_finder *f, uint32_t event, uint32_t u)
{
    uint32_t owner = f->t->events.at[event].thread;
    uint32_t at = PF_NONE;
    while (u != owner) {
        at = f->fork[u];
        if (at == PF_NONE)
            return false;
        u = f->t->events.at[at].thread;
    }
    return at == PF_NONE || at > event;
}

/* Records an access that covers exactly one cell. Returns false if a lock would not be used like
 * this. */
static bool use_as_lock(struct spin_lock_finder *f, struct cell_use *u, uint32_t i,
                        const struct pf_event *e)
{
    if (e->flags & (PF_EF_MISSING | PF_EF_ORPHAN))
        return false;
    if (!pf_event_writes(e))
        return true;
    bool mine = u->acquire != PF_NONE && f->t->events.at[u->acquire].thread == e->thread;
    uint64_t old = e->kind == PF_EV_RMW ? f->t->olds.at[e->link] : 0;
    if (e->kind == PF_EV_RMW && old && e->value == old)
        return true; /* a failed attempt to acquire */
    if (e->kind == PF_EV_RMW && !old && e->value) {
        uint32_t next = f->next[i];
        if (u->acquire != PF_NONE ||
            (next != PF_NONE && !pf_event_decided(f->t, &f->t->events.at[next])) ||
            (u->cleared != PF_NONE && !before_thread(f, u->cleared, e->thread)))
            return false;
        u->acquire = i;
        u->sections++;
        return true;
    }
    if (e->value)
        return false;
    if (!u->sections) { /* each of these writes must be ordered before the next one */
        bool ordered = u->cleared == PF_NONE || before_thread(f, u->cleared, e->thread);
        u->cleared = i;
        return ordered && e->kind != PF_EV_RMW;
    }
    u->acquire = PF_NONE;
    return mine && e->kind != PF_EV_WRITE;
}

static void check_access(struct spin_lock_finder *f, uint32_t i, const struct pf_event *e)
{
    const struct pf_range *p = &f->t->places.at[e->what];
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
        struct cell_use *u = &f->uses[c];
        if (u->sections == BAD)
            continue;
        bool ok = e->kind == PF_EV_ALLOC  ? !u->sections
                  : e->kind == PF_EV_FREE ? u->acquire == PF_NONE
                                          : p->ncells == 1 && use_as_lock(f, u, i, e);
        if (!ok)
            u->sections = BAD;
    }
}

/* Numbers the cells that are locks, and marks and matches the events of their sections. */
static void mark_sections(struct spin_lock_finder *f)
{
    struct pf_trace_index *x = f->x;
    const struct pf_trace *t = f->t;
    uint32_t *number = pf_mem_resize(NULL, t->cells.len, sizeof *number);
    uint32_t *open = pf_mem_resize(NULL, t->cells.len, sizeof *open);
    for (size_t c = 0; c < t->cells.len; c++) {
        bool lock = f->uses[c].sections && f->uses[c].sections != BAD && t->cells.at[c].shared &&
                    !pf_trace_index_overwritten(x, (uint32_t)c, 0, x->n);
        number[c] = lock ? (uint32_t)t->locks.len + x->nspins++ : PF_NONE;
        open[c] = PF_NONE;
    }
    if (x->nspins) {
        x->spin = pf_mem_resize(NULL, x->n, sizeof *x->spin);
        memset(x->spin, 0xff, x->n * sizeof *x->spin);
    }
    for (uint32_t i = 0; x->nspins && i < x->n; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (!pf_event_atomic(e) || !pf_event_writes(e))
            continue;
        uint32_t c = t->places.at[e->what].cell0;
        if (number[c] == PF_NONE)
            continue;
        if (open[c] == PF_NONE && e->value) {
            x->spin[i] = number[c];
            open[c] = i;
        } else if (open[c] != PF_NONE && !e->value) {
            x->spin[i] = number[c];
            x->match[i] = open[c];
            x->match[open[c]] = i;
            open[c] = PF_NONE;
        }
    }
    free(open);
    free(number);
}

void pf_spin_lock_find(struct pf_trace_index *x)
{
    const struct pf_trace *t = x->t;
    if (!t->olds.len)
        return; /* without an rmw there is no such lock */
    struct spin_lock_finder f = {.x = x, .t = t};
    f.uses = pf_mem_resize(NULL, t->cells.len, sizeof *f.uses);
    for (size_t c = 0; c < t->cells.len; c++)
        f.uses[c] = (struct cell_use){0, PF_NONE, PF_NONE};
    f.fork = pf_mem_resize(NULL, t->threads.len, sizeof *f.fork);
    f.next = pf_mem_resize(NULL, x->n, sizeof *f.next);
    memset(f.fork, 0xff, t->threads.len * sizeof *f.fork);
    memset(f.next, 0xff, x->n * sizeof *f.next);
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->before[i] != PF_NONE)
            f.next[x->before[i]] = i;
        if (t->events.at[i].kind == PF_EV_FORK)
            f.fork[t->events.at[i].what] = i;
    }
    for (uint32_t i = 0; i < x->n; i++)
        if (pf_event_operand[t->events.at[i].kind] == PF_OPERAND_PLACE)
            check_access(&f, i, &t->events.at[i]);
    mark_sections(&f);
    free(f.uses);
    free(f.fork);
    free(f.next);
}
