/* order_obstacle.c - see order_obstacle.h. */
#include "order_obstacle.h"

uint32_t pf_obstacle_common_lock(const struct pf_trace *t, const struct pf_held_locks *held,
                                 uint32_t a, uint32_t b)
{
    const uint32_t *x, *y;
    uint32_t nx = pf_held_locks_at(held, t, a, &x), ny = pf_held_locks_at(held, t, b, &y);
    for (uint32_t i = 0; i < nx; i++)
        for (uint32_t k = 0; k < ny; k++) {
            const struct pf_event *p = &t->events.at[x[i]], *q = &t->events.at[y[k]];
            if (pf_event_lock(p) == pf_event_lock(q) && !(pf_event_shared(p) && pf_event_shared(q)))
                return pf_event_lock(p);
        }
    return PF_NONE;
}

bool pf_obstacle_went_on(const struct pf_trace *now, uint32_t thread, uint64_t released,
                         uint32_t *wait)
{
    bool more = false;
    *wait = PF_NONE;
    for (uint32_t i = 0; i < now->events.len; i++) {
        if (now->recorded.thread.at[now->events.at[i].thread] != thread)
            continue;
        more |= now->recorded.index.at[i] > released;
        if (now->recorded.index.at[i] <= released)
            *wait = i;
    }
    return more;
}

bool pf_obstacle_created_later(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    for (uint32_t i = a; i < b; i++)
        if (t->events.at[i].kind == PF_EV_FORK && t->events.at[i].what == t->events.at[b].thread &&
            t->events.at[i].thread == t->events.at[a].thread)
            return true;
    return false;
}
