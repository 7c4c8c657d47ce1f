/*
 * call_uses.c - adds to the reach set of a missing call the objects that the call was seen to use.
 *
 * Code without access events may still produce synchronisation events: a library that locks its own
 * mutex, for example. These objects belong to the reach set of the call, even if no pointer to them
 * was passed. Such an event has the same site as the call; an event of a callback has another site.
 */
#include "intern_tables.h"
#include <string.h>

#define BUILT_SETS 1024u

struct call_use {
    uint32_t call, item;
};
struct built_set { /* a reach set built here: the original set plus the items of `with` */
    struct pf_reach old;
    const struct call_use *with;
    size_t n; /* number of items in `with`; 0: unused entry */
    uint32_t reach;
};
struct call_use_finder {
    struct pf_trace *t;
    PF_VEC(struct call_use) uses;
    PF_VEC(uint32_t) open; /* active calls of all threads */
    struct built_set *built; /* cache of the newest sets, hashed by what they were built from */
};

static bool synchronises(const struct pf_event *e)
{
    switch (pf_event_class[e->kind]) {
    case PF_CLASS_ACQUIRE:
    case PF_CLASS_RELEASE:
    case PF_CLASS_TEST:
    case PF_CLASS_NOTIFY:
    case PF_CLASS_BARRIER:
    case PF_CLASS_MESSAGE:
        return true;
    default:
        return false;
    }
}

/* The thread's innermost active call; PF_NONE if there is none. */
static uint32_t innermost(const struct call_use_finder *f, uint32_t thread)
{
    for (size_t k = f->open.len; k-- > 0;)
        if (f->t->events.at[f->open.at[k]].thread == thread)
            return f->open.at[k];
    return PF_NONE;
}

static void close_call(struct call_use_finder *f, uint32_t call)
{
    for (size_t k = f->open.len; k-- > 0;)
        if (f->open.at[k] == call) {
            memmove(f->open.at + k, f->open.at + k + 1, (f->open.len - k - 1) * sizeof *f->open.at);
            f->open.len--;
            return;
        }
}

static void add_use(struct call_use_finder *f, uint32_t call, uint32_t item)
{
    const struct pf_reach *d = &f->t->reaches.at[f->t->events.at[call].link];
    if (item != PF_NONE && !pf_trace_reaches(f->t, d, item))
        pf_vec_push(&f->uses, (struct call_use){call, item});
}

static void scan_event(struct call_use_finder *f, uint32_t i)
{
    const struct pf_event *e = &f->t->events.at[i];
    if (e->kind == PF_EV_CALL)
        pf_vec_push(&f->open, i);
    else if (e->kind == PF_EV_RET)
        close_call(f, e->link);
    if (!f->open.len || !synchronises(e))
        return;
    uint32_t call = innermost(f, e->thread), first, other;
    if (call == PF_NONE || f->t->events.at[call].site != e->site)
        return;
    uint32_t n = pf_trace_items(f->t, i, &first, &other);
    for (uint32_t k = 0; k < n; k++)
        add_use(f, call, first + k);
    add_use(f, call, other);
}

static int by_call(const void *x, const void *y)
{
    const struct call_use *a = x, *b = y;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static bool is_same(const struct built_set *m, const struct pf_reach *old, const struct call_use *u,
                    size_t n)
{
    if (m->n != n || m->old.item0 != old->item0 || m->old.nitems != old->nitems)
        return false;
    for (size_t i = 0; i < n; i++)
        if (m->with[i].item != u[i].item)
            return false;
    return true;
}

/* Creates the sorted union of a set and these items; returns its number. */
static uint32_t join(struct pf_trace *t, struct pf_reach old, const struct call_use *u, size_t n)
{
    struct pf_reach d = {(uint32_t)t->reach_items.len, 0};
    uint32_t k = old.item0, end = old.item0 + old.nitems;
    for (size_t i = 0; i <= n; i++) {
        for (; k < end && (i == n || t->reach_items.at[k] < u[i].item); k++) {
            uint32_t item = t->reach_items.at[k]; /* a copy, because the push may move the array */
            pf_vec_push(&t->reach_items, item);
        }
        if (i < n && (!i || u[i - 1].item != u[i].item))
            pf_vec_push(&t->reach_items, u[i].item);
    }
    d.nitems = (uint32_t)t->reach_items.len - d.item0;
    pf_vec_push(&t->reaches, d);
    return (uint32_t)t->reaches.len - 1;
}

static void extend_set(struct call_use_finder *f, const struct call_use *u, size_t n)
{
    struct pf_event *call = &f->t->events.at[u->call];
    struct pf_reach old = f->t->reaches.at[call->link];
    struct built_set *m = &f->built[(old.item0 * 31u + u->item) % BUILT_SETS];
    if (!is_same(m, &old, u, n))
        *m = (struct built_set){old, u, n, join(f->t, old, u, n)};
    call->link = m->reach;
}

void pf_trace_add_call_uses(struct pf_trace *t)
{
    struct call_use_finder f = {.t = t, .built = pf_mem_zero(BUILT_SETS, sizeof *f.built)};
    for (uint32_t i = 0; t->has_calls && i < t->events.len; i++)
        scan_event(&f, i);
    if (f.uses.len)
        qsort(f.uses.at, f.uses.len, sizeof *f.uses.at, by_call);
    for (size_t i = 0, n; i < f.uses.len; i += n) {
        for (n = 1; i + n < f.uses.len && f.uses.at[i + n].call == f.uses.at[i].call;)
            n++;
        extend_set(&f, &f.uses.at[i], n);
    }
    pf_vec_release(&f.uses);
    pf_vec_release(&f.open);
    free(f.built);
}
