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

/* Calls f for the missing calls whose code may run directly before or after event i: the call that
 * i begins or ends, and the call around i that i borders on. Returns whether f returned true. */
static bool each_own_call(const struct pf_validate_calls *c, uint32_t i,
                          bool (*f)(const struct pf_validate_calls *, uint32_t call, const void *),
                          const void *arg)
{
    return (pf_event_class[at(c, i)->kind] == PF_CLASS_CALL && f(c, c->inside[i], arg)) ||
           (pf_validate_calls_borders(c, i) && f(c, around(c, i), arg));
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
static bool can_be_noticed(const struct pf_event *e)
{
    return !pf_event_is_access(e) || pf_event_writes(e);
}

static bool add_active(const struct pf_validate_calls *c, uint32_t call, const void *list)
{
    if (reaches_item_of(c, call, c->event, PF_NONE))
        pf_vec_push(*(pf_vec_u32 *const *)list, call);
    return false;
}

bool pf_validate_calls_compare_with(struct pf_validate_calls *c, uint32_t e)
{
    pf_vec_u32 *active = &c->active;
    c->event = e;
    pf_vec_clear(active);
    for (uint32_t u = 0; u < c->t->threads.len && c->reached[e] && can_be_noticed(at(c, e)); u++)
        each_call(c, e, u, add_active, &active);
    return active->len || c->next_at_call[e] == e;
}

bool pf_validate_calls_keeps_order(const struct pf_validate_calls *c, uint32_t f)
{
    uint32_t e = c->event;
    struct event_call on_f = {f, 0}, on_e = {e, 0};
    if (each_own_call(c, f, call_meets, &on_e) || each_own_call(c, f, reaches_event, &on_e) ||
        each_own_call(c, e, reaches_event, &on_f))
        return true;
    for (size_t k = 0; k < c->active.len && can_be_noticed(at(c, f)); k++)
        if (reaches_item_of(c, c->active.at[k], f, e))
            return true;
    return false;
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

/* Event e begins or ends a call: updates the count of active calls for each item that the call
 * reaches. */
static void count_call(const struct pf_validate_calls *c, const struct pf_event *e, uint32_t *open)
{
    bool begins = e->kind == PF_EV_CALL;
    const struct pf_reach *d = &c->t->reaches.at[begins ? e->link : at(c, e->link)->link];
    for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++)
        open[c->t->reach_items.at[k]] += begins ? 1 : UINT32_MAX;
}

static void find_reached(struct pf_validate_calls *c)
{
    size_t n = c->t->events.len;
    /* per item: number of active calls that reach it */
    uint32_t *open = pf_mem_zero(pf_trace_nitems(c->t), sizeof *open);
    c->reached = pf_mem_zero(n, sizeof *c->reached);
    for (uint32_t i = 0; i < n; i++) {
        const struct pf_event *e = at(c, i);
        if (e->kind == PF_EV_CALL)
            count_call(c, e, open);
        uint32_t first, other, items = pf_trace_items(c->t, i, &first, &other);
        c->reached[i] = other != PF_NONE && open[other];
        for (uint32_t k = first; k < first + items; k++)
            c->reached[i] |= open[k] > 0;
        if (e->kind == PF_EV_RET)
            count_call(c, e, open);
    }
    free(open);
}

static void find_next_at_call(struct pf_validate_calls *c)
{
    size_t n = c->t->events.len, nt = c->t->threads.len;
    c->next_at_call = pf_mem_resize(NULL, n, sizeof *c->next_at_call);
    uint32_t *next = pf_mem_resize(NULL, nt, sizeof *next);
    memset(next, 0xff, nt * sizeof *next);
    for (uint32_t i = (uint32_t)n; i-- > 0;) {
        if (pf_event_class[at(c, i)->kind] == PF_CLASS_CALL || pf_validate_calls_borders(c, i))
            next[at(c, i)->thread] = i;
        c->next_at_call[i] = next[at(c, i)->thread];
    }
    free(next);
}

void pf_validate_calls_init(struct pf_validate_calls *c, const struct pf_trace *t,
                            enum pf_missing_rule rule)
{
    *c = (struct pf_validate_calls){.t = t, .rule = t->has_calls ? rule : PF_RULE_NONE};
    if (c->rule == PF_RULE_NONE)
        return;
    find_around(c);
    find_reached(c);
    find_next_at_call(c);
}

void pf_validate_calls_release(struct pf_validate_calls *c)
{
    void *all[] = {c->by_thread, c->thread_at, c->inside, c->outside, c->reached, c->next_at_call};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&c->active);
}
