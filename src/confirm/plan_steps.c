/* plan_steps.c - see plan_steps.h. */
#include "plan_steps.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_memory(const struct pf_event *e)
{
    enum pf_event_class c = pf_event_class[e->kind];
    return c == PF_CLASS_ACCESS || c == PF_CLASS_MEMORY || c == PF_CLASS_CALL;
}

/* Heap and region events are not counted as operations. Their number is that of the operation
 * before them, or of the operation that contains them. */
static bool is_uncounted(const struct pf_event *e)
{
    return e->kind == PF_EV_ALLOC || e->kind == PF_EV_FREE ||
           pf_event_class[e->kind] == PF_CLASS_REGION;
}

/* The heap events of a function can come before the parts of its own operation. They are executed
 * together with these parts and are not steps of their own. `next` is scratch space, one entry per
 * thread. */
static void attach_heap_events(const struct pf_trace *t, uint32_t *next, uint32_t *pivot)
{
    memset(next, 0xff, t->threads.len * sizeof *next);
    for (uint32_t i = (uint32_t)t->events.len; i-- > 0;) {
        uint32_t *at = &next[t->events.at[i].thread];
        if (!is_uncounted(&t->events.at[i]))
            *at = i;
        else if (*at != PF_NONE && t->events.at[*at].kind != PF_EV_END &&
                 t->recorded.index.at[*at] == t->recorded.index.at[i])
            pivot[i] = pivot[*at];
    }
}

uint32_t *pf_schedule_plan_pivots(const struct pf_trace *t)
{
    uint32_t *pivot = pf_mem_resize(NULL, t->events.len + 1, sizeof *pivot);
    /* one entry per thread */
    uint32_t *later = pf_mem_resize(NULL, t->threads.len + 1, sizeof *later);
    memset(later, 0xff, t->threads.len * sizeof *later);
    for (uint32_t i = (uint32_t)t->events.len; i-- > 0;) {
        uint32_t *next = &later[t->events.at[i].thread];
        pivot[i] = i;
        if (is_uncounted(&t->events.at[i]))
            continue;
        bool one = *next != PF_NONE && t->events.at[*next].kind != PF_EV_END &&
                   t->recorded.index.at[*next] == t->recorded.index.at[i];
        pivot[i] = one && is_memory(&t->events.at[i]) ? pivot[*next] : i;
        *next = i;
    }
    memset(later, 0xff, t->threads.len * sizeof *later);
    for (uint32_t i = 0; i < t->events.len; i++) { /* the first part that others wait for */
        uint32_t *before = &later[t->events.at[i].thread];
        if (is_uncounted(&t->events.at[i]))
            continue;
        bool one = *before != PF_NONE && t->events.at[i].kind != PF_EV_END &&
                   t->recorded.index.at[*before] == t->recorded.index.at[i];
        if (one && !is_memory(&t->events.at[pivot[*before]]))
            pivot[i] = pivot[*before];
        *before = i;
    }
    attach_heap_events(t, later, pivot);
    free(later);
    return pivot;
}

/* An end is a step of its own: while a thread runs to its end, it may be found to wait in a loop
 * (spinners.h), but not before it has executed its recorded events. */
static void add_step(pf_schedule_plan *p, const struct pf_trace *t, uint32_t event)
{
    uint32_t thread = t->recorded.thread.at[t->events.at[event].thread];
    bool ends = t->events.at[event].kind == PF_EV_END; /* other threads may wait for its end */
    uint64_t until = ends ? PF_PLAN_END : t->recorded.index.at[event];
    struct pf_schedule_plan_step *last = p->len ? &p->at[p->len - 1] : NULL;
    if (last && last->thread == thread && !ends)
        last->until = until > last->until ? until : last->until;
    else
        pf_vec_push(p, (struct pf_schedule_plan_step){.thread = thread, .until = until});
}

void pf_schedule_plan_add_trace(pf_schedule_plan *p, const struct pf_trace *t,
                                const uint32_t *pivot, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (pivot[i] == i)
            add_step(p, t, i);
}

/* True if the event is one of the candidate's. If it is a part of an operation, the operation is
 * executed at that point. */
static bool is_wanted(const struct pf_try_schedule *h, uint32_t event)
{
    for (uint32_t k = 0; k < h->n; k++)
        if (h->event[k] == event)
            return true;
    return false;
}

/* True if the event only waits (takes a lock) and is the pivot of an operation that also contains
 * one of the candidate's events: it can then be delayed until that event is due. */
static bool can_be_delayed(const struct pf_trace *t, const uint32_t *pivot,
                           const struct pf_try_schedule *h, uint32_t event)
{
    const struct pf_event *e = &t->events.at[event];
    if (e->kind != PF_EV_TAKE && !pf_event_acquires(e))
        return false;
    for (uint32_t k = 0; k < h->n; k++)
        if (h->event[k] > event && pivot[h->event[k]] == event)
            return true;
    return false;
}

void pf_schedule_plan_add_candidate(pf_schedule_plan *p, const struct pf_trace *t,
                                    const uint32_t *pivot, const struct pf_try_schedule *h,
                                    uint32_t from)
{
    for (uint32_t i = from; i < h->start; i++)
        if (pivot[i] == i && !can_be_delayed(t, pivot, h, i))
            add_step(p, t, i);
    for (uint32_t i = 0; i < h->norder; i++) {
        uint32_t event = h->order[i];
        if (is_wanted(h, event) || (pivot[event] == event && !can_be_delayed(t, pivot, h, event)))
            add_step(p, t, event);
    }
    for (uint32_t i = 0; h->stuck && i < h->n; i++)
        add_step(p, t, h->event[i]);
}

uint32_t *pf_schedule_plan_cuts(const struct pf_trace *t, const uint32_t *pivot)
{
    size_t n = t->events.len;
    /* change in the number of operations that are begun and not completed, before each event */
    int32_t *begun = pf_mem_zero(n + 2, sizeof *begun);
    uint32_t *cuts = pf_mem_zero(n + 1, sizeof *cuts);
    for (uint32_t i = 0; i < n; i++)
        if (pivot[i] > i) { /* begun at i, completed by its pivot */
            begun[i + 1]++;
            begun[pivot[i] + 1]--;
        }
    int32_t now = 0;
    for (uint32_t i = 0; i <= n; i++) {
        now += begun[i];
        cuts[i] = !i || !now ? i : cuts[i - 1];
    }
    free(begun);
    return cuts;
}

uint32_t pf_schedule_plan_shared_prefix(const uint32_t *cuts, const uint32_t *pivot,
                                        const struct pf_try_schedule *h)
{
    uint32_t to = h->start;
    for (uint32_t i = 0; i < h->n; i++)
        if (pivot[h->event[i]] < to)
            to = pivot[h->event[i]];
    return cuts[to];
}

pf_status pf_schedule_plan_write(const pf_schedule_plan *p, const char *file, struct pf_error *e)
{
    FILE *f = fopen(file, "we"); /* no fsync: the file is not needed after a crash */
    bool bad = !f || fwrite(p->at, sizeof *p->at, p->len, f) != p->len;
    if (f)
        bad |= fclose(f) != 0;
    return bad ? pf_fail(e, PF_IO, "%s: %s", file, strerror(errno)) : PF_OK;
}
