/*
 * clocks.c - see clocks.h. Plain arrays of one entry per thread: traces have few threads, and a
 * join is a short loop.
 */
#include "clocks.h"
#include <string.h>

void pf_clocks_init(struct pf_clocks *o, const struct pf_trace *t, unsigned what)
{
    memset(o, 0, sizeof *o);
    o->t = t;
    o->what = what;
    o->nt = (uint32_t)t->threads.len;
    o->clock = pf_mem_zero((size_t)o->nt * o->nt, sizeof *o->clock);
    for (uint32_t i = 0; i < o->nt; i++)
        o->clock[(size_t)i * o->nt + i] = 1;
    o->lock = pf_mem_zero(t->locks.len, sizeof *o->lock);
    o->rdlock = pf_mem_zero(t->locks.len, sizeof *o->rdlock);
    o->sync = pf_mem_zero(t->syncs.len, sizeof *o->sync);
    o->bar = pf_mem_zero(2 * t->barriers.len, sizeof *o->bar);
    o->bar_gen = pf_mem_resize(NULL, 2 * t->barriers.len, sizeof *o->bar_gen);
    memset(o->bar_gen, 0xff, 2 * t->barriers.len * sizeof *o->bar_gen);
    o->fork = pf_mem_zero(o->nt, sizeof *o->fork);
    if (!(what & PF_CLOCKS_ATOMICS))
        return;
    o->atomic = pf_mem_zero(t->cells.len, sizeof *o->atomic);
    o->heads = pf_mem_zero(t->cells.len, sizeof *o->heads);
    o->fenced = pf_mem_zero(o->nt, sizeof *o->fenced);
    o->seen = pf_mem_zero(o->nt, sizeof *o->seen);
}

static void free_all(uint32_t **list, size_t n)
{
    for (size_t i = 0; list && i < n; i++)
        free(list[i]);
    free(list);
}

void pf_clocks_release(struct pf_clocks *o)
{
    free_all(o->lock, o->t->locks.len);
    free_all(o->rdlock, o->t->locks.len);
    free_all(o->sync, o->t->syncs.len);
    free_all(o->bar, 2 * o->t->barriers.len);
    free_all(o->fork, o->nt);
    free_all(o->atomic, o->t->cells.len);
    free_all(o->fenced, o->nt);
    free_all(o->seen, o->nt);
    free(o->heads);
    for (size_t i = 0; i < o->notify.len; i++)
        free(o->notify.at[i]);
    pf_vec_release(&o->notify);
    pf_vec_release(&o->notify_event);
    free(o->clock);
    free(o->bar_gen);
    memset(o, 0, sizeof *o);
}

static uint32_t *clock_of(struct pf_clocks *o, uint32_t t) { return o->clock + (size_t)t * o->nt; }

static void join(uint32_t *dst, const uint32_t *src, uint32_t n)
{
    if (src)
        for (uint32_t i = 0; i < n; i++)
            dst[i] = dst[i] > src[i] ? dst[i] : src[i];
}

static void publish(struct pf_clocks *o, uint32_t **slot, const uint32_t *src, bool replace)
{
    if (!*slot)
        *slot = pf_mem_zero(o->nt, sizeof **slot);
    if (replace)
        memcpy(*slot, src, o->nt * sizeof **slot);
    else
        join(*slot, src, o->nt);
}

/* At most two generations of a barrier are in use at the same time. */
static uint32_t **barrier_slot(struct pf_clocks *o, const struct pf_event *e)
{
    return &o->bar[2 * e->what + (e->link & 1)];
}

static void enter_lock(struct pf_clocks *o, const struct pf_event *e, uint32_t *c)
{
    uint32_t l = pf_event_lock(e);
    join(c, o->lock[l], o->nt);
    if (!pf_event_shared(e))
        join(c, o->rdlock[l], o->nt);
}

/* A load that does not acquire leaves the clocks to the thread's next acquire fence, in `seen`. */
static void enter_atomic(struct pf_clocks *o, const struct pf_event *e, uint32_t *c)
{
    const struct pf_range *p = &o->t->places.at[e->what];
    bool acquires = !(e->flags & (PF_EF_RELAXED | PF_EF_RELEASE));
    for (uint32_t k = p->cell0; k < p->cell0 + p->ncells; k++)
        if (acquires)
            join(c, o->atomic[k], o->nt);
        else if (o->atomic[k])
            publish(o, &o->seen[e->thread], o->atomic[k], false);
}

void pf_clocks_enter(struct pf_clocks *o, uint32_t i)
{
    const struct pf_event *e = &o->t->events.at[i];
    uint32_t *c = clock_of(o, e->thread);
    if (o->fork[e->thread]) { /* the first event of a forked thread */
        join(c, o->fork[e->thread], o->nt);
        free(o->fork[e->thread]);
        o->fork[e->thread] = NULL;
    }
    switch (e->kind) {
    case PF_EV_READ:
    case PF_EV_WRITE:
        return;
    case PF_EV_WAKE: {
        uint32_t by = pf_trace_waker(o->t, i);
        for (size_t k = o->notify_event.len; by != PF_NONE && k-- > 0;)
            if (o->notify_event.at[k] == by) {
                join(c, o->notify.at[k], o->nt);
                break;
            }
    } /* fall through */
    case PF_EV_LOCK:
    case PF_EV_RDLOCK:
        if ((o->what & PF_CLOCKS_LOCKS) && pf_event_acquires(e))
            enter_lock(o, e, c);
        return;
    case PF_EV_JOIN:
        join(c, clock_of(o, e->what), o->nt);
        return;
    case PF_EV_DEPART:
        join(c, *barrier_slot(o, e), o->nt);
        return;
    case PF_EV_TAKE:
        join(c, o->sync[e->what], o->nt);
        return;
    case PF_EV_AREAD:
    case PF_EV_RMW:
        if (o->atomic)
            enter_atomic(o, e, c);
        return;
    case PF_EV_FENCE:
        if (o->atomic && !(e->flags & PF_EF_RELEASE))
            join(c, o->seen[e->thread], o->nt);
        return;
    default:
        return;
    }
}

/* A store that does not release publishes the clock of the thread's last release fence. It ends the
 * release sequence, unless the thread is one of its heads. */
static bool leave_atomic(struct pf_clocks *o, const struct pf_event *e, const uint32_t *c)
{
    const struct pf_range *p = &o->t->places.at[e->what];
    uint64_t me = 1ull << (e->thread & 63);
    bool releases = !(e->flags & (PF_EF_RELAXED | PF_EF_ACQUIRE));
    const uint32_t *released = releases ? c : o->fenced[e->thread];
    for (uint32_t k = p->cell0; k < p->cell0 + p->ncells; k++) {
        if (e->kind == PF_EV_AWRITE && o->atomic[k] && (releases || !(o->heads[k] & me))) {
            memset(o->atomic[k], 0, o->nt * sizeof **o->atomic);
            o->heads[k] = 0;
        }
        if (released) {
            publish(o, &o->atomic[k], released, false);
            o->heads[k] |= me;
        }
    }
    return releases;
}

void pf_clocks_leave(struct pf_clocks *o, uint32_t i)
{
    const struct pf_event *e = &o->t->events.at[i];
    uint32_t *c = clock_of(o, e->thread);
    bool fresh = true; /* start a new epoch */
    switch (e->kind) {
    case PF_EV_READ:
    case PF_EV_WRITE:
        return;
    case PF_EV_UNLOCK:
    case PF_EV_RDUNLOCK:
    case PF_EV_WAIT:
        fresh = (o->what & PF_CLOCKS_LOCKS) && pf_event_releases(e);
        if (fresh)
            publish(o, pf_event_shared(e) ? &o->rdlock[e->what] : &o->lock[pf_event_lock(e)], c,
                    false);
        break;
    case PF_EV_SIGNAL:
    case PF_EV_BROADCAST: {
        uint32_t *copy = NULL;
        publish(o, &copy, c, true);
        pf_vec_push(&o->notify, copy);
        pf_vec_push(&o->notify_event, i);
        break;
    }
    /* the first arrival of a generation replaces the generation before the previous one */
    case PF_EV_ARRIVE: {
        uint32_t *gen = &o->bar_gen[2 * e->what + (e->link & 1)];
        publish(o, barrier_slot(o, e), c, *gen != e->link);
        *gen = e->link;
        break;
    }
    case PF_EV_POST:
        publish(o, &o->sync[e->what], c, false);
        break;
    case PF_EV_FORK:
        publish(o, &o->fork[e->what], c, true);
        break;
    case PF_EV_AWRITE:
    case PF_EV_RMW:
        fresh = o->atomic && leave_atomic(o, e, c);
        break;
    case PF_EV_FENCE:
        fresh = o->atomic && !(e->flags & PF_EF_ACQUIRE);
        if (fresh)
            publish(o, &o->fenced[e->thread], c, true);
        break;
    default:
        return;
    }
    c[e->thread] += fresh;
}
