/* validate_calls.c - see validate_calls.h. Enumerates the calls around each event instead of
 * keeping sets: slow, but independent of the engine's data structures. */
#include "validate_calls.h"
#include <string.h>

static const struct pf_event *at(const struct pf_validate_calls *c, uint32_t i)
{
    return &c->t->events.at[i];
}

bool pf_validate_calls_reaches(const struct pf_validate_calls *c, uint32_t call, uint32_t item)
{
    return pf_trace_reaches(c->t, &c->t->reaches.at[at(c, call)->link], item);
}

static bool accesses(const struct pf_validate_calls *c, uint32_t i, uint32_t item)
{
    uint32_t first, other, n = pf_trace_items(c->t, i, &first, &other);
    return (item >= first && item - first < n) || item == other;
}

/* True if the call reaches an item of event i, and, unless `also` is PF_NONE, of that event. */
static bool reaches_item_of(const struct pf_validate_calls *c, uint32_t call, uint32_t i,
                            uint32_t also)
{
    uint32_t first, other, n = pf_trace_items(c->t, i, &first, &other);
    for (uint32_t k = 0; k <= n; k++) {
        uint32_t item = k < n ? first + k : other;
        if (item != PF_NONE && (also == PF_NONE || accesses(c, also, item)) &&
            pf_validate_calls_reaches(c, call, item))
            return true;
    }
    return false;
}

/* Calls f for each call of thread u that is active at event i (including one that i begins or
 * ends), from the innermost outwards, until f returns true. Returns whether it did. */
static bool each_call(const struct pf_validate_calls *c, uint32_t i, uint32_t u,
                      bool (*f)(const struct pf_validate_calls *, uint32_t call, const void *),
                      const void *arg)
{
    uint32_t lo = c->thread_at[u], hi = c->thread_at[u + 1];
    while (lo < hi) { /* finds the last event of u at or before i */
        uint32_t mid = (lo + hi) / 2;
        if (c->by_thread[mid] <= i)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == c->thread_at[u])
        return false;
    uint32_t e = c->by_thread[lo - 1], call = c->inside[e];
    if (e != i && at(c, e)->kind == PF_EV_RET) /* this call ended before i */
        call = c->outside[call];
    for (; call != PF_NONE; call = c->outside[call])
        if (f(c, call, arg))
            return true;
    return false;
}

/* The innermost missing call around event i, not counting one that i begins or ends; PF_NONE:
 * none. */
static uint32_t around(const struct pf_validate_calls *c, uint32_t i)
{
    bool own = pf_event_class[at(c, i)->kind] == PF_CLASS_CALL;
    return own ? c->outside[c->inside[i]] : c->inside[i];
}

bool pf_validate_calls_borders(const struct pf_validate_calls *c, uint32_t e)
{
    return c->rule != PF_RULE_NONE && !pf_trace_is_inner(c->t, e) && around(c, e) != PF_NONE;
}

/* Calls f for the calls whose code may run directly before or after event i: one that i begins or
 * ends, and one that it borders on. Returns whether f returned true. */
static bool each_own_call(const struct pf_validate_calls *c, uint32_t i,
                          bool (*f)(const struct pf_validate_calls *, uint32_t call, const void *),
                          const void *arg)
{
    return (pf_event_class[at(c, i)->kind] == PF_CLASS_CALL && f(c, c->inside[i], arg)) ||
           (pf_validate_calls_borders(c, i) && f(c, around(c, i), arg));
}

static bool any_call(const struct pf_validate_calls *c, uint32_t i,
                     bool (*f)(const struct pf_validate_calls *, uint32_t call, const void *),
                     const void *arg)
{
    for (uint32_t u = 0; u < c->t->threads.len; u++)
        if (each_call(c, i, u, f, arg))
            return true;
    return false;
}

struct event_call {
    uint32_t event, call;
};
static bool reaches_common(const struct pf_validate_calls *c, uint32_t call, const void *arg)
{
    const struct event_call *x = arg;
    const struct pf_reach *d = &c->t->reaches.at[at(c, call)->link];
    const struct pf_reach *e = &c->t->reaches.at[at(c, x->call)->link];
    if (c->rule == PF_RULE_SB || (d == e && d->nitems))
        return true;
    bool smaller = d->nitems <= e->nitems;
    const struct pf_reach *each = smaller ? d : e;
    for (uint32_t k = each->item0; k < each->item0 + each->nitems; k++)
        if (pf_validate_calls_reaches(c, smaller ? x->call : call, c->t->reach_items.at[k]))
            return true;
    return false;
}
static bool reaches_event(const struct pf_validate_calls *c, uint32_t call, const void *arg)
{
    return reaches_item_of(c, call, ((const struct event_call *)arg)->event, PF_NONE);
}
static bool call_meets(const struct pf_validate_calls *c, uint32_t call, const void *arg)
{
    struct event_call x = {((const struct event_call *)arg)->event, call};
    return each_own_call(c, x.event, reaches_common, &x);
}
struct event_pair {
    uint32_t a, b;
};
static bool reaches_both(const struct pf_validate_calls *c, uint32_t call, const void *arg)
{
    const struct event_pair *x = arg;
    return reaches_item_of(c, call, x->a, x->b);
}
static bool can_be_noticed(const struct pf_event *e)
{
    return !pf_event_is_access(e) || pf_event_writes(e);
}

bool pf_validate_calls_keeps_order(const struct pf_validate_calls *c, uint32_t f, uint32_t e)
{
    struct event_call on_f = {f, 0}, on_e = {e, 0};
    struct event_pair both = {f, e};
    return each_own_call(c, f, call_meets, &on_e) || each_own_call(c, f, reaches_event, &on_e) ||
           each_own_call(c, e, reaches_event, &on_f) ||
           (can_be_noticed(at(c, f)) && can_be_noticed(at(c, e)) &&
            any_call(c, e, reaches_both, &both));
}

static void find_around(struct pf_validate_calls *c)
{
    size_t n = c->t->events.len, nt = c->t->threads.len;
    c->by_thread = pf_mem_resize(NULL, n, sizeof *c->by_thread);
    c->thread_at = pf_mem_resize(NULL, nt + 1, sizeof *c->thread_at);
    c->inside = pf_mem_resize(NULL, n, sizeof *c->inside);
    c->outside = pf_mem_resize(NULL, n, sizeof *c->outside);
    memset(c->thread_at, 0, (nt + 1) * sizeof *c->thread_at);
    for (uint32_t i = 0; i < n; i++)
        c->thread_at[at(c, i)->thread + 1]++;
    for (size_t u = 0; u < nt; u++)
        c->thread_at[u + 1] += c->thread_at[u];
    /* per thread: the innermost active call */
    uint32_t *last = pf_mem_resize(NULL, nt, sizeof *last);
    memset(last, 0xff, nt * sizeof *last);
    uint32_t *fill = pf_mem_resize(NULL, nt, sizeof *fill);
    memcpy(fill, c->thread_at, nt * sizeof *fill);
    for (uint32_t i = 0; i < n; i++) {
        const struct pf_event *e = at(c, i);
        c->by_thread[fill[e->thread]++] = i;
        if (e->kind == PF_EV_CALL) {
            c->outside[i] = last[e->thread];
            last[e->thread] = i;
        }
        c->inside[i] = last[e->thread];
        if (e->kind == PF_EV_RET)
            last[e->thread] = c->outside[e->link];
    }
    free(fill);
    free(last);
}

static void find_noticed(struct pf_validate_calls *c)
{
    size_t n = c->t->events.len;
    /* per cell: number of active calls that reach it */
    uint32_t *open = pf_mem_zero(c->t->cells.len, sizeof *open);
    c->noticed = pf_mem_zero(n, sizeof *c->noticed);
    for (uint32_t i = 0; i < n; i++) {
        const struct pf_event *e = at(c, i);
        const struct pf_range *p = pf_event_writes(e) ? &c->t->places.at[e->what] : NULL;
        for (uint32_t k = p ? p->cell0 : 0; p && k < p->cell0 + p->ncells; k++)
            c->noticed[i] |= open[k] > 0;
        if (pf_event_class[e->kind] != PF_CLASS_CALL)
            continue;
        const struct pf_reach *d =
            &c->t->reaches.at[e->kind == PF_EV_CALL ? e->link : at(c, e->link)->link];
        for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++)
            if (c->t->reach_items.at[k] < c->t->cells.len)
                open[c->t->reach_items.at[k]] += e->kind == PF_EV_CALL ? 1 : UINT32_MAX;
    }
    free(open);
}

void pf_validate_calls_init(struct pf_validate_calls *c, const struct pf_trace *t,
                            enum pf_missing_rule rule)
{
    *c = (struct pf_validate_calls){.t = t, .rule = t->has_calls ? rule : PF_RULE_NONE};
    if (c->rule == PF_RULE_NONE)
        return;
    find_around(c);
    find_noticed(c);
}

void pf_validate_calls_release(struct pf_validate_calls *c)
{
    void *all[] = {c->by_thread, c->thread_at, c->inside, c->outside, c->noticed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}
