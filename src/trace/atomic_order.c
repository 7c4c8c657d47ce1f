/*
 * atomic_order.c - the ordering that fences and release sequences give to atomic operations, folded
 * into the flags of the operations, for analyses that do not know about either.
 */
#include "trace.h"
#include <string.h>

/* Adds a direction (PF_EF_ACQUIRE or PF_EF_RELEASE; 0: both) to the ordering in the flags of an
 * atomic operation. Flags without any ordering bit mean both directions. */
static uint8_t add_ordering(uint8_t flags, uint8_t direction)
{
    const uint8_t all = PF_EF_RELAXED | PF_EF_ACQUIRE | PF_EF_RELEASE;
    uint8_t now = flags & all;
    return (flags & ~all) | (now == PF_EF_RELAXED ? direction : now == direction ? now : 0);
}

/* A release fence turns the thread's later atomic stores into release stores; an acquire fence
 * turns its earlier atomic loads into acquire loads. This gives slightly more order than C11, never
 * less. */
static void apply_fences(const struct pf_trace *t, uint8_t *flags)
{
    bool *fenced = pf_mem_zero(t->threads.len, sizeof *fenced);
    bool any = false;
    for (size_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (e->kind == PF_EV_FENCE) {
            any = true;
            fenced[e->thread] |= !(e->flags & PF_EF_ACQUIRE);
        } else if (fenced[e->thread] && pf_event_atomic(e) && pf_event_writes(e))
            flags[i] = add_ordering(flags[i], e->kind == PF_EV_RMW ? PF_EF_RELEASE : 0);
    }
    memset(fenced, 0, t->threads.len * sizeof *fenced);
    for (size_t i = any ? t->events.len : 0; i-- > 0;) {
        const struct pf_event *e = &t->events.at[i];
        if (e->kind == PF_EV_FENCE)
            fenced[e->thread] |= !(e->flags & PF_EF_RELEASE);
        else if (fenced[e->thread] && pf_event_atomic(e) && pf_event_reads(e))
            flags[i] = add_ordering(flags[i], e->kind == PF_EV_RMW ? PF_EF_ACQUIRE : 0);
    }
    free(fenced);
}

struct store {
    uint32_t thread, place, event;
};

static int by_store(const void *x, const void *y)
{
    const struct store *a = x, *b = y;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

/* Until C17, later stores by the thread that heads a release sequence belong to the sequence, so
 * they release too. */
static void continue_sequences(const struct pf_trace *t, uint8_t *flags)
{
    PF_VEC(struct store) stores = {0};
    bool any = false;
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_event_atomic(e) && pf_event_writes(e) && !(flags[i] & PF_EF_ACQUIRE)) {
            pf_vec_push(&stores, (struct store){e->thread, e->what, i});
            any |= e->kind == PF_EV_AWRITE && (flags[i] & PF_EF_RELAXED);
        }
    }
    if (any)
        qsort(stores.at, stores.len, sizeof *stores.at, by_store);
    bool released = false;
    for (size_t k = 0; any && k < stores.len; k++) {
        const struct store *s = &stores.at[k], *before = s - 1;
        if (!k || before->thread != s->thread || before->place != s->place)
            released = false;
        if (released && t->events.at[s->event].kind == PF_EV_AWRITE)
            flags[s->event] &= (uint8_t)~PF_EF_RELAXED;
        released |= !(flags[s->event] & PF_EF_RELAXED);
    }
    pf_vec_release(&stores);
}

uint8_t *pf_trace_fold_atomic_order(const struct pf_trace *t)
{
    uint8_t *flags = pf_mem_zero(t->events.len, sizeof *flags);
    for (size_t i = 0; i < t->events.len; i++)
        flags[i] = t->events.at[i].flags;
    apply_fences(t, flags);
    continue_sequences(t, flags);
    return flags;
}
