#include "pecan.h"
#include "schedule_finder.h"
#include "engine/validate.h"
#include <string.h>

#define MARGIN 200 /* events around a pattern that the engine may use */
#define VALIDATED 400000000 /* what the validator may look at for one schedule */
#define VALIDATED_ALL 2000000000ull
#define VALIDATED_LATE 200000000 /* for all of them, when it is to come to an end */
#define ASKED 256 /* matches without a generated schedule for which the engine is asked */

struct maker {
    const pf_patterns *patterns;
    struct pf_schedule_finder ways;
    struct pf_anomalies *out;
    const struct pf_anomaly *tried; /* NULL: all that there is is wanted */
    size_t ntried;
    struct pf_stop *stop;
    uint32_t asked;
};

static uint32_t due_of(const struct pf_pattern *p) { return p->next[p->n - 1] ? 2 : 1; }

static void set_order(struct pf_anomaly *a, const struct pf_schedule_finder *w)
{
    free(a->order);
    a->start = w->start;
    a->norder = (uint32_t)w->order.len;
    a->order = pf_mem_resize(NULL, a->norder, sizeof *a->order);
    memcpy(a->order, w->order.at, a->norder * sizeof *a->order);
}

/* --- what was tried already --- */

static bool same_sites(const struct maker *m, uint32_t pattern, const uint32_t *events,
                       const struct pf_anomaly *a)
{
    const struct pf_pattern *p = &m->patterns->at[pattern], *q = &m->patterns->at[a->pattern];
    const struct pf_event *e = m->ways.t->events.at;
    bool as_is = p->n == q->n && p->kind == q->kind, turned = as_is && p->n == 2;
    for (unsigned i = 0; i < p->n && as_is; i++)
        as_is = e[events[i]].site == e[a->event[i]].site;
    for (unsigned i = 0; i < p->n && turned; i++) /* either order is the same race */
        turned = e[events[i]].site == e[a->event[p->n - 1 - i]].site;
    return turned || (as_is && pattern == a->pattern);
}

enum wish { WANTED, USED, UNWANTED };

static enum wish wish_of(const struct maker *m, uint32_t pattern, const uint32_t *events)
{
    enum wish wish = m->tried ? UNWANTED : WANTED;
    for (size_t i = 0; i < m->ntried; i++) {
        const struct pf_anomaly *a = &m->tried[i];
        if (!same_sites(m, pattern, events, a))
            continue;
        wish = wish == UNWANTED ? WANTED : wish;
        if (pattern == a->pattern &&
            !memcmp(events, a->event, m->patterns->at[pattern].n * sizeof *events))
            wish = USED;
    }
    return wish;
}

/* --- schedules --- */

static bool make(void *arg, uint32_t pattern, const uint32_t *events)
{
    struct maker *m = arg;
    const struct pf_pattern *p = &m->patterns->at[pattern];
    enum wish wish = wish_of(m, pattern, events);
    if (wish != WANTED)
        return wish == UNWANTED;
    if (!pf_schedule_finder_generate(&m->ways, p, events) &&
        (m->asked++ >= ASKED || !pf_schedule_finder_solve(&m->ways, events, p->n, due_of(p), MARGIN)))
        return false;
    struct pf_anomaly a = {.pattern = pattern};
    memcpy(a.event, events, p->n * sizeof *events);
    set_order(&a, &m->ways);
    pf_vec_push(&m->out->at, a);
    return true;
}

/* The goal of a schedule, as the validator wants it. */
static struct pf_race goal_of(const struct pf_pattern *p, const struct pf_anomaly *a)
{
    uint32_t due = due_of(p); /* events that need only be due */
    return (struct pf_race){.a = a->event[p->n - due],
                            .b = a->event[p->n - 1],
                            .start = a->start,
                            .order = a->order,
                            .norder = a->norder - due};
}

/* What the validator looks at: it compares each step with all events around. */
static uint64_t cost_of(const struct pf_anomaly *a)
{
    uint32_t last = a->start;
    for (uint32_t k = 0; k < a->norder; k++)
        last = a->order[k] > last ? a->order[k] : last;
    return (uint64_t)a->norder * (last - a->start + 1);
}

/* Which schedules are feasible for sure? The long ones are left to a run. */
static void validate(const struct maker *m)
{
    struct pf_anomalies *out = m->out;
    const struct pf_trace *t = m->ways.t;
    struct pf_race *races = pf_mem_zero(out->at.len, sizeof *races);
    bool *ok = pf_mem_zero(out->at.len, sizeof *ok);
    size_t n = 0;
    uint64_t left = m->stop && m->stop->stopped ? VALIDATED_LATE : VALIDATED_ALL;
    uint32_t *which = pf_mem_resize(NULL, out->at.len + 1, sizeof *which);
    for (uint32_t i = 0; i < out->at.len; i++) {
        const struct pf_anomaly *a = &out->at.at[i];
        uint64_t cost = cost_of(a);
        if (cost > VALIDATED || cost > left)
            continue;
        left -= cost;
        races[n] = goal_of(&m->patterns->at[a->pattern], a);
        which[n++] = i;
    }
    pf_validate(t, t->has_calls ? PF_RULE_RDIT : PF_RULE_NONE, races, n, ok, NULL);
    for (size_t i = 0; i < n; i++)
        out->at.at[which[i]].witnessed = ok[i];
    free(which);
    free(races);
    free(ok);
}

/* Schedules that change a value on the way are exchanged for the engine's, where there are any. */
static void improve(struct maker *m)
{
    bool any = false;
    for (size_t i = 0; i < m->out->at.len; i++) {
        struct pf_anomaly *a = &m->out->at.at[i];
        const struct pf_pattern *p = &m->patterns->at[a->pattern];
        if (pf_stop_poll(m->stop, "schedules made better", i, m->out->at.len))
            break; /* they are to be tried as they are */
        if (a->witnessed || !pf_schedule_finder_solve(&m->ways, a->event, p->n, due_of(p), MARGIN))
            continue;
        set_order(a, &m->ways);
        any = true;
    }
    if (any)
        validate(m);
}

static void search(struct maker *m, const struct pf_trace *t)
{
    struct pf_units w;
    memset(m->out, 0, sizeof *m->out);
    pf_schedule_finder_init(&m->ways, t);
    m->ways.s.stop = m->stop;
    pf_units_init(&w, &m->ways.g);
    pf_pattern_search(&w, m->patterns, m->stop, make, m, &m->out->search);
    pf_units_release(&w);
    m->out->search.skipped += m->ways.s.cut;
    validate(m);
    improve(m);
    pf_schedule_finder_release(&m->ways);
}

void pf_pecan(const struct pf_trace *t, const pf_patterns *patterns, struct pf_stop *stop,
              struct pf_anomalies *out)
{
    search(&(struct maker){.patterns = patterns, .stop = stop, .out = out}, t);
}

void pf_pecan_others(const struct pf_trace *t, const pf_patterns *patterns,
                     const struct pf_anomaly *tried, size_t n, struct pf_stop *stop,
                     struct pf_anomalies *out)
{
    search(
        &(struct maker){
            .patterns = patterns, .stop = stop, .out = out, .tried = tried, .ntried = n},
        t);
}

void pf_anomalies_release(struct pf_anomalies *a)
{
    for (size_t i = 0; i < a->at.len; i++)
        free(a->at.at[i].order);
    pf_vec_release(&a->at);
}
