/*
 * selfcheck.c - executes the trace in its own order and reports the first impossible event.
 */
#include "selfcheck.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct lock_holder {
    uint32_t thread;
    bool shared;
    bool unsure; /* a missing call of the thread may have released it since */
};
struct lock {
    PF_VEC(struct lock_holder) by;
};
struct checked_memory {
    uint64_t value;
    bool known;
    /* A read has shown that unrecorded code stored here since the last write. */
    bool stray;
    uint32_t open;           /* active missing calls that reach the cell */
    /* 1 + event: last recorded write; last return of a missing call that reaches the cell */
    uint64_t wrote, returned;
};
struct thread {
    bool forked, ended, started;
    uint32_t waiting; /* the wait event that has not ended */
    PF_VEC(uint32_t) arrived;
    uint32_t regions; /* number of marked regions around the thread */
};
struct checker {
    struct pf_trace *t;
    struct lock *locks;
    struct checked_memory *cells;
    struct thread *threads;
    size_t reuse; /* position in `reuses` */
    bool *live;   /* per block: allocated and not freed */
    struct pf_error *error;
    bool misuse;
    uint32_t i;
};

static bool wrong(struct checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(struct checker *c, const char *fmt, ...)
{
    const struct pf_event *e = &c->t->events.at[c->i];
    char what[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return pf_fail(c->error, PF_BAD, "event %u (%s %s): %s", pf_trace_label(c->t, c->i),
                   pf_trace_text(c->t, c->t->threads.at[e->thread]), pf_event_word[e->kind],
                   what) == PF_OK;
}

/* The same for an event of a lock. In a recording it means that the program uses the lock wrongly,
 * or that code without events uses it. */
#define MISUSED(c, ...) ((c)->misuse = (c)->t->recorded.present, wrong(c, __VA_ARGS__))

static bool check_block(struct checker *c, const struct pf_event *e)
{
    uint32_t block = c->t->places.at[e->what].block;
    if (e->kind == PF_EV_FREE) {
        if (block && !c->live[block])
            return wrong(c, "frees memory that is not allocated");
        c->live[block] = false;
        return true;
    }
    /* Blocks, and so reuses, are numbered in the order of their allocs. */
    for (; c->reuse < c->t->reuses.len && c->t->reuses.at[c->reuse] <= block; c->reuse += 2) {
        uint32_t old = c->t->reuses.at[c->reuse + 1];
        if (c->t->reuses.at[c->reuse] != block || !c->live[old])
            continue;
        /* libc frees memory of ended threads without an event. */
        if (!c->t->has_unrecorded_code)
            return wrong(c, "allocates memory that is already allocated");
        c->live[old] = false;
    }
    c->live[block] = true;
    return true;
}

static bool check_access(struct checker *c, struct pf_event *e)
{
    const struct pf_range *p = &c->t->places.at[e->what];
    for (uint32_t k = p->cell0; k < p->cell0 + p->ncells; k++) {
        struct checked_memory *m = &c->cells[k];
        uint64_t v;
        if (pf_event_reads(e)) {
            bool missing = m->open || m->returned > m->wrote;
            if (missing)
                e->flags |= PF_EF_MISSING;
            if (pf_trace_cell_value(c->t, e, k, true, &v)) {
                if (m->known && m->value != v) {
                    /* A recorded program also runs code without events. */
                    if (!missing && !c->t->has_unrecorded_code)
                        return wrong(c, "reads %" PRIu64 ", but the last write stored %" PRIu64, v,
                                     m->value);
                    m->stray = true;
                }
                m->value = v;
                m->known = true;
            }
            if (m->stray) {
                e->flags |= PF_EF_ORPHAN;
                c->t->has_orphans = true;
            }
        }
        if (pf_event_writes(e)) {
            m->known = pf_trace_cell_value(c->t, e, k, false, &m->value);
            m->wrote = c->i + 1ull;
            m->stray = false;
        }
    }
    return true;
}

static bool check_lock(struct checker *c, const struct pf_event *e)
{
    struct lock *l = &c->locks[pf_event_lock(e)];
    const char *name = pf_trace_text(c->t, c->t->locks.at[pf_event_lock(e)]);
    size_t mine = l->by.len;
    for (size_t k = 0; k < l->by.len; k++)
        if (l->by.at[k].thread == e->thread)
            mine = k;
    if (e->kind == PF_EV_TRYFAIL)
        return l->by.len || MISUSED(c, "fails although %s is free", name);
    /* A lock that is acquired again in the same mode excludes the same threads, even if a missing
     * call released it meanwhile. */
    if (e->flags & PF_EF_NESTED)
        return mine == l->by.len || !l->by.at[mine].unsure ||
               l->by.at[mine].shared == pf_event_shared(e) ||
               wrong(c, "acquires %s again, which a missing call may have released", name);
    if (pf_event_acquires(e)) {
        for (size_t k = 0; k < l->by.len; k++)
            if (!pf_event_shared(e) || !l->by.at[k].shared)
                return MISUSED(c, "acquires %s while %s holds it", name,
                               pf_trace_text(c->t, c->t->threads.at[l->by.at[k].thread]));
        pf_vec_push(&l->by, (struct lock_holder){e->thread, pf_event_shared(e), false});
        return true;
    }
    if (mine == l->by.len || l->by.at[mine].shared != pf_event_shared(e))
        return MISUSED(c, "releases %s, which it does not hold", name);
    l->by.at[mine] = l->by.at[--l->by.len];
    return true;
}

static bool check_wake(struct checker *c, const struct pf_event *e)
{
    struct thread *th = &c->threads[e->thread];
    if (th->waiting == PF_NONE)
        return wrong(c, "wakes up without a wait");
    const struct pf_event *w = &c->t->events.at[th->waiting];
    uint32_t by = pf_trace_waker(c->t, c->i);
    if (w->what != e->what || w->link != e->link)
        return wrong(c, "does not match its wait, event %u", pf_trace_label(c->t, th->waiting));
    if (by != PF_NONE && (by < th->waiting || by > c->i ||
                          pf_event_class[c->t->events.at[by].kind] != PF_CLASS_NOTIFY ||
                          c->t->events.at[by].what != e->what))
        return wrong(c, "cannot have been woken by event %u", pf_trace_label(c->t, by));
    th->waiting = PF_NONE;
    return true;
}

static bool check_thread(struct checker *c, const struct pf_event *e)
{
    struct thread *other = e->what == PF_NONE ? NULL : &c->threads[e->what];
    const char *name = other ? pf_trace_text(c->t, c->t->threads.at[e->what]) : "";
    switch (e->kind) {
    case PF_EV_FORK:
        if (other->forked || other->started)
            return wrong(c, "forks %s a second time or after its first event", name);
        other->forked = true;
        return true;
    case PF_EV_JOIN: /* a joined thread has ended */
        other->ended = true;
        return e->what != e->thread || wrong(c, "joins itself");
    case PF_EV_END:
        c->threads[e->thread].ended = true;
        return true;
    default:
        return true;
    }
}

/* Object numbers: first the threads, then the locks (struct pf_reach). */
static void doubt_lock(struct checker *c, const struct pf_event *e, uint32_t object)
{
    size_t lock = object - c->t->threads.len;
    if (object < c->t->threads.len || lock >= c->t->locks.len)
        return;
    for (size_t k = 0; k < c->locks[lock].by.len; k++)
        if (c->locks[lock].by.at[k].thread == e->thread)
            c->locks[lock].by.at[k].unsure = true;
}

static void check_call(struct checker *c, const struct pf_event *e)
{
    const struct pf_event *call = e->kind == PF_EV_CALL ? e : &c->t->events.at[e->link];
    const struct pf_reach *d = &c->t->reaches.at[call->link];
    for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
        uint32_t item = c->t->reach_items.at[k];
        if (item >= c->t->cells.len) {
            doubt_lock(c, e, item - (uint32_t)c->t->cells.len);
            continue;
        }
        if (e->kind == PF_EV_CALL)
            c->cells[item].open++;
        else {
            c->cells[item].open--;
            c->cells[item].returned = c->i + 1ull;
        }
    }
}

static bool check_event(struct checker *c)
{
    struct pf_event *e = &c->t->events.at[c->i];
    struct thread *th = &c->threads[e->thread];
    if (th->ended)
        return wrong(c, "happens after its thread has ended");
    /* only waits: a signal handler may run during a wait */
    if (th->waiting != PF_NONE && e->kind == PF_EV_WAIT)
        return wrong(c, "waits although its thread is already waiting");
    th->started = true;
    switch (pf_event_class[e->kind]) {
    case PF_CLASS_MEMORY:
        return check_block(c, e);
    case PF_CLASS_ACCESS:
        return (e->kind != PF_EV_FREE || check_block(c, e)) && check_access(c, e);
    case PF_CLASS_ACQUIRE:
        return (e->kind != PF_EV_WAKE || check_wake(c, e)) && check_lock(c, e);
    case PF_CLASS_RELEASE:
        if (e->kind == PF_EV_WAIT)
            th->waiting = c->i;
        return check_lock(c, e);
    case PF_CLASS_TEST:
        return check_lock(c, e);
    case PF_CLASS_BARRIER:
        if (e->kind == PF_EV_ARRIVE)
            pf_vec_push(&th->arrived, e->what);
        else if (!th->arrived.len || th->arrived.at[--th->arrived.len] != e->what)
            return wrong(c, "departs from a barrier at which it has not arrived");
        return true;
    case PF_CLASS_THREAD:
        return check_thread(c, e);
    case PF_CLASS_CALL:
        check_call(c, e);
        return true;
    case PF_CLASS_REGION:
        if (e->kind == PF_EV_REGION)
            c->threads[e->thread].regions++;
        else if (!c->threads[e->thread].regions--)
            return wrong(c, "ends a region that was not started");
        return true;
    default:
        return true;
    }
}

pf_status pf_trace_check(struct pf_trace *t, struct pf_trace_fault *fault, struct pf_error *e)
{
    struct checker c = {.t = t, .error = e};
    c.locks = pf_mem_zero(t->locks.len, sizeof *c.locks);
    c.cells = pf_mem_zero(t->cells.len, sizeof *c.cells);
    c.threads = pf_mem_zero(t->threads.len, sizeof *c.threads);
    size_t blocks = 1;
    for (size_t i = 0; i < t->places.len; i++)
        blocks = t->places.at[i].block >= blocks ? t->places.at[i].block + 1ull : blocks;
    c.live = pf_mem_zero(blocks, sizeof *c.live);
    for (size_t i = 0; i < t->cells.len; i++) {
        c.cells[i].known = t->cells.at[i].initial_known;
        c.cells[i].value = t->cells.at[i].initial;
    }
    for (size_t i = 0; i < t->threads.len; i++)
        c.threads[i].waiting = PF_NONE;
    bool ok = true;
    for (c.i = 0; ok && c.i < t->events.len; c.i++)
        ok = check_event(&c);
    if (fault)
        *fault = (struct pf_trace_fault){ok ? 0 : c.i - 1, c.misuse};
    for (size_t i = 0; i < t->locks.len; i++)
        pf_vec_release(&c.locks[i].by);
    for (size_t i = 0; i < t->threads.len; i++)
        pf_vec_release(&c.threads[i].arrived);
    free(c.locks);
    free(c.cells);
    free(c.live);
    free(c.threads);
    return ok ? PF_OK : PF_BAD;
}
