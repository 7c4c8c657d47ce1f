/* held_locks.c - see held_locks.h. */
#include "held_locks.h"
#include <string.h>

static bool changes_locks(const struct pf_event *e)
{
    return pf_event_acquires(e) || pf_event_releases(e);
}

/* Walks the trace. Returns the number of entries that `acquire` needs; fills h if its tables
 * exist. */
static size_t walk(const struct pf_trace *t, struct pf_held_locks *h, uint32_t *at)
{
    pf_vec_u32 *held = pf_mem_zero(t->threads.len + 1, sizeof *held);
    size_t words = 0;
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (!changes_locks(e))
            continue;
        pf_vec_u32 *mine = &held[e->thread];
        if (pf_event_acquires(e))
            pf_vec_push(mine, i);
        else
            for (size_t k = 0; k < mine->len; k++)
                if (pf_event_lock(&t->events.at[mine->at[k]]) == pf_event_lock(e)) {
                    memmove(mine->at + k, mine->at + k + 1, (mine->len - k - 1) * sizeof *mine->at);
                    mine->len--;
                    break;
                }
        if (h->state) {
            uint32_t s = at[e->thread]++;
            h->state[s].event = i;
            h->state[s].first = (uint32_t)words;
            h->state[s].n = (uint32_t)mine->len;
            if (mine->len)
                memcpy(h->acquire + words, mine->at, mine->len * sizeof *mine->at);
        }
        words += mine->len;
    }
    for (size_t u = 0; u < t->threads.len; u++)
        pf_vec_release(&held[u]);
    free(held);
    return words;
}

struct pf_held_locks *pf_held_locks_make(const struct pf_trace *t, struct pf_pool *pool)
{
    size_t nt = t->threads.len;
    struct pf_held_locks *h = pf_pool_get(pool, sizeof *h);
    h->thread_at = pf_pool_get(pool, (nt + 1) * sizeof *h->thread_at);
    h->start = pf_pool_get(pool, (nt + 1) * sizeof *h->start);
    memset(h->start, 0xff, nt * sizeof *h->start);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        h->thread_at[e->thread + 1] += changes_locks(e);
        if (e->kind == PF_EV_FORK)
            h->start[e->what] = i;
    }
    for (size_t u = 0; u < nt; u++)
        h->thread_at[u + 1] += h->thread_at[u];
    size_t words = walk(t, h, NULL);
    h->acquire = pf_pool_get(pool, (words + 1) * sizeof *h->acquire);
    h->state = pf_pool_get(pool, (h->thread_at[nt] + 1) * sizeof *h->state);
    uint32_t *at = pf_mem_resize(NULL, nt + 1, sizeof *at);
    memcpy(at, h->thread_at, (nt + 1) * sizeof *at);
    walk(t, h, at);
    free(at);
    return h;
}

uint32_t pf_held_locks_at(const struct pf_held_locks *h, const struct pf_trace *t, uint32_t i,
                          const uint32_t **acquires)
{
    uint32_t u = t->events.at[i].thread, lo = h->thread_at[u], hi = h->thread_at[u + 1];
    while (lo < hi) { /* binary search: the last state before i is at lo - 1 */
        uint32_t mid = (lo + hi) / 2;
        if (h->state[mid].event < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == h->thread_at[u])
        return 0;
    *acquires = h->acquire + h->state[lo - 1].first;
    return h->state[lo - 1].n;
}
