/*
 * spin_lock.c - an atomic variable is a lock when the whole trace uses it as one: only an rmw from 0
 * makes it other than 0, only the thread that did so makes it 0 again, and what that thread does
 * next depends on what the rmw saw.
 *
 * Then no reordering has two such sections open at once. Take the first that begins while another
 * is open: since the other began nobody else has begun, so nobody else has written 0, and the rmw sees
 * a value other than 0. Writes of 0 before the first section do not disturb this when they come
 * before the start of every other thread that takes the lock.
 */
#include "spin_lock.h"
#include <string.h>

#define BAD UINT32_MAX

/* What was seen of a cell so far. */
struct use {
    uint32_t sections; /* begun; BAD: it is no lock */
    uint32_t acquire;  /* of the open section, PF_NONE: nobody has it */
    uint32_t cleared;  /* last write of 0 before the first section, PF_NONE if there was none */
};

struct finder {
    struct pf_index *x;
    const struct pf_trace *t;
    struct use *uses;       /* per cell */
    uint32_t *fork, *next; /* per thread: the event that started it; per event: the thread's next */
};

/* Does `event` come before all that thread u does, by the starts of threads? */
static bool before_thread(const struct finder *f, uint32_t event, uint32_t u)
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

/* One access of cell c, alone in its place; false: not as of a lock. */
static bool step(struct finder *f, struct use *u, uint32_t i, const struct pf_event *e)
{
    if (e->flags & (PF_EF_MISSING | PF_EF_ORPHAN))
        return false;
    if (!pf_event_writes(e))
        return true;
    bool mine = u->acquire != PF_NONE && f->t->events.at[u->acquire].thread == e->thread;
    uint64_t old = e->kind == PF_EV_RMW ? f->t->olds.at[e->link] : 0;
    if (e->kind == PF_EV_RMW && old && e->value == old)
        return true; /* a vain attempt */
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
    if (!u->sections) {
        u->cleared = i;
        return e->kind != PF_EV_RMW;
    }
    u->acquire = PF_NONE;
    return mine && e->kind != PF_EV_WRITE;
}

static void look(struct finder *f, uint32_t i, const struct pf_event *e)
{
    const struct pf_range *p = &f->t->places.at[e->what];
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
        struct use *u = &f->uses[c];
        if (u->sections == BAD)
            continue;
        bool ok = e->kind == PF_EV_ALLOC  ? !u->sections
                  : e->kind == PF_EV_FREE ? u->acquire == PF_NONE
                                          : p->ncells == 1 && step(f, u, i, e);
        if (!ok)
            u->sections = BAD;
    }
}

/* Sections of the cells that are locks, now that all was seen. */
static void mark(struct finder *f)
{
    struct pf_index *x = f->x;
    const struct pf_trace *t = f->t;
    uint32_t *number = pf_mem_resize(NULL, t->cells.len, sizeof *number);
    uint32_t *open = pf_mem_resize(NULL, t->cells.len, sizeof *open);
    for (size_t c = 0; c < t->cells.len; c++) {
        bool lock = f->uses[c].sections && f->uses[c].sections != BAD && t->cells.at[c].shared &&
                    !pf_index_overwritten(x, (uint32_t)c, 0, x->n);
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

void pf_spin_locks(struct pf_index *x)
{
    const struct pf_trace *t = x->t;
    if (!t->olds.len)
        return; /* no rmw, no lock */
    struct finder f = {.x = x, .t = t};
    f.uses = pf_mem_resize(NULL, t->cells.len, sizeof *f.uses);
    for (size_t c = 0; c < t->cells.len; c++)
        f.uses[c] = (struct use){0, PF_NONE, PF_NONE};
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
            look(&f, i, &t->events.at[i]);
    mark(&f);
    free(f.uses);
    free(f.fork);
    free(f.next);
}
