/* blind_races.c - see blind_races.h. */
#include "blind_races.h"
#include "analysis.h"
#include <stdlib.h>
#include <string.h>

struct blind_detector {
    const struct pf_trace *t;
    size_t threads;
    uint32_t *clock; /* threads * threads: clock[i][k] is what thread i knows of thread k */
    uint32_t *last; /* per place, thread, and read or write: 1 + the event */
    struct pf_pair_set reported;
    pf_blind_races *out;
};

static uint32_t *clock_of(struct blind_detector *d, uint32_t thread)
{
    return d->clock + thread * d->threads;
}

static void join_clock(struct blind_detector *d, uint32_t to, uint32_t from)
{
    uint32_t *x = clock_of(d, to), *y = clock_of(d, from);
    for (size_t k = 0; k < d->threads; k++)
        x[k] = x[k] > y[k] ? x[k] : y[k];
}

/* Every event ticks the clock of its thread, so that its number there identifies it. */
static void check(struct blind_detector *d, uint32_t i, const uint32_t *number)
{
    const struct pf_event *e = &d->t->events.at[i];
    uint32_t *at = d->last + (size_t)e->what * d->threads * 2;
    for (uint32_t k = 0; k < d->threads; k++)
        for (unsigned write = 0; write < 2; write++) {
            uint32_t earlier = at[2 * k + write];
            if (k == e->thread || !earlier-- || number[earlier] <= clock_of(d, e->thread)[k] ||
                !pf_trace_conflict(d->t, &d->t->events.at[earlier], e))
                continue;
            if (pf_pair_set_add(&d->reported, d->t->events.at[earlier].site, e->site))
                pf_vec_push(d->out, (struct pf_blind_race){earlier, i});
        }
    at[2 * e->thread + pf_event_writes(e)] = i + 1;
}

void pf_blind_races_find(const struct pf_trace *t, pf_blind_races *out)
{
    struct blind_detector d = {.t = t, .threads = t->threads.len, .out = out};
    uint32_t *number = pf_mem_zero(t->events.len + 1, sizeof *number);
    d.clock = pf_mem_zero(d.threads * d.threads, sizeof *d.clock);
    d.last = pf_mem_zero(t->places.len * d.threads * 2, sizeof *d.last);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        number[i] = ++clock_of(&d, e->thread)[e->thread];
        if (e->kind == PF_EV_FORK)
            join_clock(&d, e->what, e->thread);
        else if (e->kind == PF_EV_JOIN)
            join_clock(&d, e->thread, e->what);
        else if (pf_event_is_access(e))
            check(&d, i, number);
    }
    pf_pair_set_release(&d.reported);
    free(d.last);
    free(d.clock);
    free(number);
}
