/*
 * trace_query.c - questions about a sealed trace: which accesses conflict, which value a cell has,
 * which items an event operates on.
 */
#include "intern_tables.h"

uint32_t pf_trace_object_item(const struct pf_trace *t, enum pf_role role, uint32_t number)
{
    uint32_t base = (uint32_t)t->cells.len;
    for (int r = 0; r < (int)role; r++)
        base += (uint32_t)pf_trace_role((struct pf_trace *)t, r)->len;
    return base + number;
}

uint32_t pf_trace_nitems(const struct pf_trace *t)
{
    return pf_trace_object_item(t, PF_ROLE_CALL, 0);
}

bool pf_trace_reaches(const struct pf_trace *t, const struct pf_reach *d, uint32_t item)
{
    uint32_t lo = d->item0, hi = d->item0 + d->nitems;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->reach_items.at[mid] < item)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < d->item0 + d->nitems && t->reach_items.at[lo] == item;
}

bool pf_trace_overlap(const struct pf_trace *t, const struct pf_event *a, const struct pf_event *b)
{
    if (!pf_event_is_access(a) || !pf_event_is_access(b))
        return false;
    const struct pf_range *p = &t->places.at[a->what], *q = &t->places.at[b->what];
    return p->cell0 < q->cell0 + q->ncells && q->cell0 < p->cell0 + p->ncells;
}

bool pf_trace_conflict(const struct pf_trace *t, const struct pf_event *a, const struct pf_event *b)
{
    return a->thread != b->thread && (pf_event_writes(a) || pf_event_writes(b)) &&
           !(pf_event_atomic(a) && pf_event_atomic(b)) && pf_trace_overlap(t, a, b);
}

bool pf_trace_cell_value(const struct pf_trace *t, const struct pf_event *e, uint32_t cell,
                         bool old, uint64_t *value)
{
    if ((e->flags & PF_EF_UNKNOWN) || e->kind == PF_EV_FREE)
        return false;
    const struct pf_range *p = &t->places.at[e->what];
    const struct pf_cell *c = &t->cells.at[cell];
    uint64_t v = old && e->kind == PF_EV_RMW ? t->olds.at[e->link] : e->value;
    if (p->size > 8) { /* the value stands for the whole place */
        *value = v;
        return c->size == p->size;
    }
    v >>= 8 * (c->addr - p->addr);
    *value = c->size < 8 ? v & ((1ull << 8 * c->size) - 1) : v;
    return true;
}

uint32_t pf_trace_waker(const struct pf_trace *t, uint32_t wake)
{
    size_t lo = 0, hi = t->wakers.len / 2;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->wakers.at[2 * mid] < wake)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->wakers.len / 2 && t->wakers.at[2 * lo] == wake ? t->wakers.at[2 * lo + 1]
                                                                  : PF_NONE;
}

uint32_t pf_trace_label(const struct pf_trace *t, uint32_t i)
{
    return i < t->labels.len ? t->labels.at[i] : i + 1;
}

uint32_t pf_trace_items(const struct pf_trace *t, uint32_t i, uint32_t *first, uint32_t *other)
{
    const struct pf_event *e = &t->events.at[i];
    *other = PF_NONE;
    switch (pf_event_operand[e->kind]) {
    case PF_OPERAND_PLACE:
        *first = t->places.at[e->what].cell0;
        return t->places.at[e->what].ncells;
    case PF_OPERAND_LOCK:
        *first = pf_trace_object_item(t, PF_ROLE_LOCK, e->what);
        return 1;
    case PF_OPERAND_COND_LOCK:
        *other = pf_trace_object_item(t, PF_ROLE_LOCK, e->link); /* fall through */
    case PF_OPERAND_COND:
        *first = pf_trace_object_item(t, PF_ROLE_COND, e->what);
        return 1;
    case PF_OPERAND_BARRIER:
        *first = pf_trace_object_item(t, PF_ROLE_BARRIER, e->what);
        return 1;
    case PF_OPERAND_SYNC:
        *first = pf_trace_object_item(t, PF_ROLE_SYNC, e->what);
        return 1;
    case PF_OPERAND_THREAD:
        *first = pf_trace_object_item(t, PF_ROLE_THREAD, e->what);
        return 1;
    default:
        if (e->kind != PF_EV_BEGIN && e->kind != PF_EV_END)
            return 0;
        *first = pf_trace_object_item(t, PF_ROLE_THREAD, e->thread);
        return 1;
    }
}
