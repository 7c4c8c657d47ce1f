/* region_end.c - see region_end.h. */
#include "region_end.h"
#include "pecan/check_act.h"
#include <string.h>

/* The first event of the critical section of the check: the earliest acquire of a lock that is
 * held at the check, and released before the act. */
static uint32_t section_begin(const struct pf_trace *t, uint32_t check, uint32_t act)
{
    uint16_t thread = t->events.at[check].thread;
    uint32_t first = check;
    bool *released = pf_mem_zero(t->locks.len + 1, sizeof *released);
    bool *seen = pf_mem_zero(t->locks.len + 1, sizeof *seen);
    for (uint32_t i = check; i < act; i++)
        if (t->events.at[i].thread == thread && pf_event_releases(&t->events.at[i]))
            released[pf_event_lock(&t->events.at[i])] = true;
    for (uint32_t i = check; i-- > 0;) {
        const struct pf_event *e = &t->events.at[i];
        if (e->thread != thread || (!pf_event_acquires(e) && !pf_event_releases(e)) ||
            seen[pf_event_lock(e)])
            continue;
        seen[pf_event_lock(e)] = true; /* the last operation on it before the check */
        if (pf_event_acquires(e) && released[pf_event_lock(e)])
            first = i;
    }
    free(released);
    free(seen);
    return first;
}

void pf_region_span_init(struct pf_region_span *s, const struct pf_trace *t,
                         const struct pf_match_region *r)
{
    *s = (struct pf_region_span){.thread = t->recorded.thread.at[t->events.at[r->begin].thread],
                                 .begin = r->begin,
                                 .end = r->end,
                                 .check = PF_NONE,
                                 .act = PF_NONE};
    if (!r->pair)
        return;
    s->check = r->begin;
    s->act = r->end;
    s->activation = pf_activation_of(t, r->begin, r->end);
    s->begin = section_begin(t, r->begin, r->end);
    for (uint32_t i = r->end; i < t->events.len; i++) /* the section of the act ends later */
        if (t->events.at[i].thread == t->events.at[r->end].thread &&
            pf_event_releases(&t->events.at[i])) {
            s->end = i;
            break;
        }
}

static bool same_code(const struct pf_trace *then, uint32_t a, const struct pf_trace *now,
                      uint32_t b)
{
    const struct pf_event *x = &then->events.at[a], *y = &now->events.at[b];
    const struct pf_site_info *p = &then->sites.at[x->site], *q = &now->sites.at[y->site];
    return x->kind == y->kind && p->line == q->line &&
           !strcmp(pf_trace_text(then, p->file), pf_trace_text(now, q->file));
}

uint32_t pf_region_find_event(const struct pf_trace *t, uint32_t event, const struct pf_trace *now)
{
    uint32_t thread = t->recorded.thread.at[t->events.at[event].thread];
    for (uint32_t i = 0; i < now->events.len; i++)
        if (now->recorded.index.at[i] == t->recorded.index.at[event] &&
            now->recorded.thread.at[now->events.at[i].thread] == thread &&
            same_code(t, event, now, i))
            return i;
    return PF_NONE;
}

static bool is_pause(const struct pf_event *e)
{
    return e->kind == PF_EV_FORK || e->kind == PF_EV_JOIN || e->kind == PF_EV_WAIT ||
           e->kind == PF_EV_WAKE || e->kind == PF_EV_SIGNAL || e->kind == PF_EV_BROADCAST;
}

uint32_t pf_region_span_end(const struct pf_region_span *s, const struct pf_trace *t,
                            const struct pf_trace *now)
{
    const uint32_t *index = t->recorded.index.at;
    uint32_t begin = pf_region_find_event(t, s->begin, now), last = begin;
    if (begin == PF_NONE)
        return PF_NONE;
    bool pair = s->check != PF_NONE, acted = false;
    uint32_t check = pair ? pf_region_find_event(t, s->check, now) : PF_NONE;
    if (pair && check == PF_NONE)
        return PF_NONE;
    bool single = s->begin == s->end && !pair;
    int32_t depth = 0; /* locks acquired since the beginning */
    for (uint32_t i = begin; i < now->events.len; i++) {
        const struct pf_event *e = &now->events.at[i];
        if (e->thread != now->events.at[begin].thread)
            continue;
        if (single && now->recorded.index.at[i] != index[s->begin])
            return last;
        if (i != begin && is_pause(e) && (!pair || depth <= 0))
            return last;
        if (pair && i > check && !pf_activation_has(now, check, s->activation, i))
            return last;
        depth += pf_event_acquires(e);
        depth -= pf_event_releases(e);
        last = i;
        acted |= pair && i > check && same_code(t, s->act, now, i);
        if (pf_event_releases(e) && depth <= 0 && (!pair || acted))
            return last;
    }
    return last;
}
