/* order_alone.c - see order_alone.h. */
#include "order_alone.h"
#include "try_one.h"
#include <string.h>

static bool same_event(const struct pf_trace *t, uint32_t i, const struct pf_trace *u, uint32_t k)
{
    const struct pf_event *x = &t->events.at[i], *y = &u->events.at[k];
    const struct pf_site_info *s = &t->sites.at[x->site], *r = &u->sites.at[y->site];
    if (x->kind != y->kind ||
        t->recorded.thread.at[x->thread] != u->recorded.thread.at[y->thread] ||
        t->recorded.index.at[i] != u->recorded.index.at[k] || s->line != r->line ||
        s->column != r->column || strcmp(pf_trace_text(t, s->file), pf_trace_text(u, r->file)) != 0)
        return false;
    return !pf_event_is_access(x) || t->places.at[x->what].addr == u->places.at[y->what].addr;
}

bool pf_order_alone(const struct pf_trace *recorded, uint32_t a, uint32_t b,
                    const struct pf_trace *primary, const struct pf_trace *alternate)
{
    uint32_t p[] = {pf_try_same_event(recorded, a, primary),
                    pf_try_same_event(recorded, b, primary)};
    uint32_t q[] = {pf_try_same_event(recorded, a, alternate),
                    pf_try_same_event(recorded, b, alternate)};
    if (p[0] == PF_NONE || p[1] == PF_NONE || q[0] == PF_NONE || q[1] == PF_NONE ||
        primary->events.len != alternate->events.len)
        return false;
    uint32_t i = 0, k = 0, n = (uint32_t)primary->events.len;
    for (;; i++, k++) {
        while (i == p[0] || i == p[1])
            i++;
        while (k == q[0] || k == q[1])
            k++;
        if (i >= n || k >= n)
            return i >= n && k >= n;
        if (!same_event(primary, i, alternate, k))
            return false;
    }
}
