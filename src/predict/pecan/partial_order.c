/*
 * partial_order.c - see partial_order.h. The clocks of clocks.h are stored once per change, not per
 * event.
 */
#include "partial_order.h"
#include "clocks.h"
#include <string.h>

/* Returns the row of the thread's current clock; reuses the last row if the clock has not
 * changed. */
static uint32_t row_of(struct pf_partial_order *g, const struct pf_clocks *o, uint32_t thread,
                       uint32_t last)
{
    const uint32_t *now = o->clock + (size_t)thread * g->nt;
    if (last != PF_NONE && !memcmp(g->rows.at + (size_t)last * g->nt, now, g->nt * sizeof *now))
        return last;
    uint32_t row = (uint32_t)(g->rows.len / g->nt);
    pf_vec_reserve(&g->rows, g->nt);
    memcpy(g->rows.at + g->rows.len, now, g->nt * sizeof *now);
    g->rows.len += g->nt;
    return row;
}

void pf_partial_order_init(struct pf_partial_order *g, const struct pf_trace *t)
{
    memset(g, 0, sizeof *g);
    g->t = t;
    g->nt = (uint32_t)t->threads.len;
    uint32_t n = (uint32_t)t->events.len;
    uint32_t **per_event[] = {&g->held, &g->epoch, &g->row, &g->by_thread, &g->pos};
    for (size_t i = 0; i < sizeof per_event / sizeof *per_event; i++)
        *per_event[i] = pf_mem_resize(NULL, n + 1, sizeof **per_event[i]);
    g->thread_at = pf_mem_zero(g->nt + 2, sizeof *g->thread_at);
    pf_locksets_init(&g->locks, t);
    struct pf_clocks o;
    pf_clocks_init(&o, t, 0);
    uint32_t *last = pf_mem_resize(NULL, g->nt + 1, sizeof *last);
    memset(last, 0xff, g->nt * sizeof *last);
    for (uint32_t i = 0; i < n; i++) {
        const struct pf_event *e = &t->events.at[i];
        uint32_t u = e->thread;
        pf_clocks_enter(&o, i);
        g->held[i] = g->locks.held[u];
        pf_locksets_step(&g->locks, e);
        g->epoch[i] = pf_clocks_epoch(&o, u);
        if (last[u] == PF_NONE || !pf_event_is_access(e))
            last[u] = row_of(g, &o, u, last[u]);
        g->row[i] = last[u];
        pf_clocks_leave(&o, i);
        if (!pf_event_is_access(e))
            last[u] = row_of(g, &o, u, last[u]); /* a new epoch changes the clock, too */
        g->thread_at[u + 1]++;
    }
    pf_clocks_release(&o);
    for (uint32_t u = 0; u < g->nt; u++)
        g->thread_at[u + 1] += g->thread_at[u];
    memcpy(last, g->thread_at, g->nt * sizeof *last);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t u = t->events.at[i].thread;
        g->pos[i] = last[u];
        g->by_thread[last[u]++] = i;
    }
    free(last);
}

void pf_partial_order_release(struct pf_partial_order *g)
{
    void *all[] = {g->held, g->epoch, g->row, g->by_thread, g->pos, g->thread_at};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&g->rows);
    pf_locksets_release(&g->locks);
    memset(g, 0, sizeof *g);
}

uint32_t pf_partial_order_from(const struct pf_partial_order *g, uint32_t u, uint32_t i)
{
    uint32_t lo = g->thread_at[u], hi = g->thread_at[u + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (g->by_thread[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
