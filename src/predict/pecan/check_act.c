/*
 * check_act.c - see check_act.h.
 */
#include "check_act.h"
#include <string.h>

#define BETWEEN 20000 /* maximum number of events of the thread between the two that are checked */

/* Entry k, counted from the outermost, of the call stack of event i; NULL if there is none. */
static const struct pf_site_info *frame(const struct pf_trace *t, uint32_t i, uint32_t k)
{
    const struct pf_recorded *r = &t->recorded;
    const struct pf_recorded_stack *w = &r->stacks.at[r->event_stack.at[i]];
    return k < w->n ? &t->sites.at[r->stack_sites.at[w->first + w->n - 1 - k]] : NULL;
}

/* The number of entries that two call stacks share, from the outermost on. */
static uint32_t shared_frames(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    uint32_t k = 0;
    while (frame(t, a, k) && frame(t, a, k) == frame(t, b, k))
        k++;
    return k;
}

/* True if both events belong to one activation of a function, which stays active between them. */
static bool one_activation(const struct pf_partial_order *g, uint32_t a, uint32_t b)
{
    const struct pf_trace *t = g->t;
    if (!t->recorded.present)
        return true;
    uint32_t k = shared_frames(t, a, b);
    if (k && (!frame(t, a, k) || !frame(t, b, k)))
        k--; /* both from one source position, as from a macro */
    const struct pf_site_info *x = frame(t, a, k), *y = frame(t, b, k);
    if (!x || !y || x->func != y->func || x->file != y->file || g->pos[b] - g->pos[a] > BETWEEN)
        return false;
    for (uint32_t p = g->pos[a] + 1; p < g->pos[b]; p++) {
        uint32_t i = g->by_thread[p];
        const struct pf_site_info *z = frame(t, i, k);
        if (shared_frames(t, a, i) < k || !z || z->func != x->func || z->file != x->file)
            return false;
    }
    return true;
}

/* True if some lock is held at both events, and every such lock was released in between. */
static bool other_section(const struct pf_partial_order *g, const uint32_t *taken, uint32_t a,
                          uint32_t b)
{
    const struct pf_lockset_words *p = &g->locks.sets.at[g->held[a]],
                                  *q = &g->locks.sets.at[g->held[b]];
    const uint32_t *x = g->locks.words.at + p->first, *y = g->locks.words.at + q->first;
    bool common = false;
    for (uint32_t i = 0; i < p->len; i++)
        for (uint32_t k = 0; k < q->len; k++)
            if (x[i] / 2 == y[k] / 2) {
                common = true;
                if (taken[y[k] / 2] <= a)
                    return false;
            }
    return common;
}

void pf_check_act_each(const struct pf_partial_order *g, void (*f)(void *, uint32_t, uint32_t),
                       void *arg)
{
    const struct pf_trace *t = g->t;
    /* per cell: newest check */
    uint32_t *check = pf_mem_resize(NULL, t->cells.len + 1, sizeof *check);
    /* per lock: newest acquire */
    uint32_t *taken = pf_mem_resize(NULL, t->locks.len + 1, sizeof *taken);
    for (uint32_t u = 0; u < g->nt; u++) {
        bool any = false;
        for (uint32_t p = g->thread_at[u]; p < g->thread_at[u + 1] && !any; p++)
            any = pf_event_acts(&t->events.at[g->by_thread[p]]);
        if (!any)
            continue;
        memset(check, 0xff, t->cells.len * sizeof *check);
        memset(taken, 0, t->locks.len * sizeof *taken);
        for (uint32_t p = g->thread_at[u]; p < g->thread_at[u + 1]; p++) {
            uint32_t i = g->by_thread[p];
            const struct pf_event *e = &t->events.at[i];
            if (pf_event_acquires(e))
                taken[pf_event_lock(e)] = i;
            if (!pf_event_checks(e) && !pf_event_acts(e))
                continue;
            const struct pf_range *at = &t->places.at[e->what];
            uint32_t cell = at->cell0;
            if (!t->cells.at[cell].shared || !t->cells.at[cell].written)
                continue;
            if (pf_event_checks(e))
                check[cell] = i;
            else if (check[cell] != PF_NONE && other_section(g, taken, check[cell], i) &&
                     one_activation(g, check[cell], i))
                f(arg, check[cell], i);
        }
    }
    free(check);
    free(taken);
}
