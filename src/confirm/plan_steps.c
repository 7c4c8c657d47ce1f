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

/* The heap is no operation that counts: what it tells has the number of the operation before, or of the one that it is
 * called from. */
static bool is_apart(const struct pf_event *e)
{
    return e->kind == PF_EV_ALLOC || e->kind == PF_EV_FREE ||
           pf_event_class[e->kind] == PF_CLASS_REGION;
}

/* What a function does to the heap before its own parts happens with them: it is none of the steps. `next`: of each
 * thread. */
static void heap_within(const struct pf_trace *t, uint32_t *next, uint32_t *pivot)
{
    memset(next, 0xff, t->threads.len * sizeof *next);
    for (uint32_t i = (uint32_t)t->events.len; i-- > 0;) {
        uint32_t *at = &next[t->events.at[i].thread];
        if (!is_apart(&t->events.at[i]))
            *at = i;
        else if (*at != PF_NONE && t->events.at[*at].kind != PF_EV_END &&
                 t->recorded.index.at[*at] == t->recorded.index.at[i])
            pivot[i] = pivot[*at];
    }
}

uint32_t *pf_plan_pivots(const struct pf_trace *t)
{
    uint32_t *pivot = pf_mem_resize(NULL, t->events.len + 1, sizeof *pivot);
    uint32_t *later = pf_mem_resize(NULL, t->threads.len + 1, sizeof *later); /* of each thread */
    memset(later, 0xff, t->threads.len * sizeof *later);
    for (uint32_t i = (uint32_t)t->events.len; i-- > 0;) {
        uint32_t *next = &later[t->events.at[i].thread];
        pivot[i] = i;
        if (is_apart(&t->events.at[i]))
            continue;
        bool one = *next != PF_NONE && t->events.at[*next].kind != PF_EV_END &&
                   t->recorded.index.at[*next] == t->recorded.index.at[i];
        pivot[i] = one && is_memory(&t->events.at[i]) ? pivot[*next] : i;
        *next = i;
    }
    memset(later, 0xff, t->threads.len * sizeof *later);
    for (uint32_t i = 0; i < t->events.len; i++) { /* the first that others wait for */
        uint32_t *before = &later[t->events.at[i].thread];
        if (is_apart(&t->events.at[i]))
            continue;
        bool one = *before != PF_NONE && t->events.at[i].kind != PF_EV_END &&
                   t->recorded.index.at[*before] == t->recorded.index.at[i];
        if (one && !is_memory(&t->events.at[pivot[*before]]))
            pivot[i] = pivot[*before];
        *before = i;
    }
    heap_within(t, later, pivot);
    free(later);
    return pivot;
}

static void add_step(pf_plan *p, const struct pf_trace *t, uint32_t event)
{
    uint32_t thread = t->recorded.thread.at[t->events.at[event].thread];
    bool ends = t->events.at[event].kind == PF_EV_END; /* others may wait for it to be over */
    uint64_t until = ends ? PF_PLAN_END : t->recorded.index.at[event];
    struct pf_plan_step *last = p->len ? &p->at[p->len - 1] : NULL;
    if (last && last->thread == thread)
        last->until = until > last->until ? until : last->until;
    else
        pf_vec_push(p, (struct pf_plan_step){.thread = thread, .until = until});
}

/* Is event i done on the way to event `to`? Not what is only begun there. */
static bool is_done(const uint32_t *pivot, uint32_t i, uint32_t to) { return pivot[i] < to; }

void pf_plan_trace(pf_plan *p, const struct pf_trace *t, const uint32_t *pivot, uint32_t from,
                   uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (pivot[i] == i)
            add_step(p, t, i);
}

/* A part of an operation that is one of the accesses meant: the operation happens then. */
static bool is_meant(const struct pf_hatch *h, uint32_t event)
{
    for (uint32_t k = 0; k < h->n; k++)
        if (h->event[k] == event)
            return true;
    return false;
}

/* What only waits, and is the pivot of an operation with an access that is meant: it can be put off until that is due. */
static bool is_put_off(const struct pf_trace *t, const uint32_t *pivot, const struct pf_hatch *h,
                       uint32_t event)
{
    const struct pf_event *e = &t->events.at[event];
    if (e->kind != PF_EV_TAKE && !pf_event_acquires(e))
        return false;
    for (uint32_t k = 0; k < h->n; k++)
        if (h->event[k] > event && pivot[h->event[k]] == event)
            return true;
    return false;
}

void pf_plan_candidate(pf_plan *p, const struct pf_trace *t, const uint32_t *pivot,
                       const struct pf_hatch *h, uint32_t from)
{
    for (uint32_t i = from; i < h->start; i++)
        if (pivot[i] == i && !is_put_off(t, pivot, h, i))
            add_step(p, t, i);
    for (uint32_t i = 0; i < h->norder; i++) {
        uint32_t event = h->order[i];
        if (is_meant(h, event) || (pivot[event] == event && !is_put_off(t, pivot, h, event)))
            add_step(p, t, event);
    }
    for (uint32_t i = 0; h->stuck && i < h->n; i++)
        add_step(p, t, h->event[i]);
}

uint32_t pf_plan_shared(const struct pf_trace *t, const uint32_t *pivot, const struct pf_hatch *h)
{
    uint32_t to = h->start;
    (void)t;
    for (uint32_t i = 0; i < h->n; i++)
        if (pivot[h->event[i]] < to)
            to = pivot[h->event[i]];
    for (uint32_t i = 0; i < to; i++)
        if (!is_done(pivot, i, to)) {
            to = i;
            i = UINT32_MAX; /* what was done before may be only begun now */
        }
    return to;
}

pf_status pf_plan_write(const pf_plan *p, const char *file, struct pf_error *e)
{
    FILE *f = fopen(file, "we"); /* nobody needs it after a crash: it need not reach the disk */
    bool bad = !f || fwrite(p->at, sizeof *p->at, p->len, f) != p->len;
    if (f)
        bad |= fclose(f) != 0;
    return bad ? pf_fail(e, PF_IO, "%s: %s", file, strerror(errno)) : PF_OK;
}
