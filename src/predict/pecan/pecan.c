/*
 * pecan.c - see pecan.h. Matches of the search get a generated schedule, which is cheap. Only where
 * that fails, or where the validator finds a changed value, the engine of maximal causality is
 * used.
 */
#include "pecan.h"
#include "analysis.h"
#include "engine/validate.h"
#include "schedule_finder.h"
#include <string.h>

#define MARGIN 200 /* events around a pattern that the engine may reorder */
#define VALIDATOR_ONE 400000000 /* per schedule: a costlier one (cost_of) is not validated */
#define VALIDATOR_ALL 2000000000ull
#define VALIDATOR_ALL_STOPPED                                                                      \
    200000000 /* for all schedules together, after the search was stopped */
#define ENGINE_MATCHES 256 /* matches without a generated schedule that are passed to the engine */

struct anomaly_maker {
    const pf_patterns *patterns;
    struct pf_schedule_finder finder;
    struct pf_anomalies *out;
    const struct pf_anomaly *tried; /* NULL: report all anomalies */
    size_t ntried;
    const struct pf_limits *limits;
    uint32_t engine_matches;
    /* answers for pairs of events without a schedule; a pair is matched in both orders, and by
     * several patterns */
    struct pf_hash_map failed;
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

/* --- anomalies that were already tried --- */

static bool same_sites(const struct anomaly_maker *m, uint32_t pattern, const uint32_t *events,
                       const struct pf_anomaly *a)
{
    const struct pf_pattern *p = &m->patterns->at[pattern], *q = &m->patterns->at[a->pattern];
    const struct pf_event *e = m->finder.t->events.at;
    bool in_order = p->n == q->n && p->kind == q->kind, reversed = in_order && p->n == 2;
    for (unsigned i = 0; i < p->n && in_order; i++)
        in_order = e[events[i]].site == e[a->event[i]].site;
    for (unsigned i = 0; i < p->n && reversed; i++) /* a race is the same in either order */
        reversed = e[events[i]].site == e[a->event[p->n - 1 - i]].site;
    return reversed || (in_order && pattern == a->pattern);
}

enum use { WANTED, TRIED, UNWANTED };

static enum use use_of(const struct anomaly_maker *m, uint32_t pattern, const uint32_t *events)
{
    enum use use = m->tried ? UNWANTED : WANTED;
    for (size_t i = 0; i < m->ntried; i++) {
        const struct pf_anomaly *a = &m->tried[i];
        if (!same_sites(m, pattern, events, a))
            continue;
        use = use == UNWANTED ? WANTED : use;
        if (pattern == a->pattern &&
            !memcmp(events, a->event, m->patterns->at[pattern].n * sizeof *events))
            use = TRIED;
    }
    return use;
}

/* --- schedules --- */

/* Finds a schedule for the events of the pattern; m->finder then has it. */
static enum pf_match_answer find_schedule(struct anomaly_maker *m, const struct pf_pattern *p,
                                          const uint32_t *events)
{
    uint64_t cut = m->finder.s.cut;
    if (pf_schedule_finder_generate(&m->finder, p, events))
        return PF_MATCH_ACCEPTED;
    if (m->engine_matches++ >= ENGINE_MATCHES)
        return PF_MATCH_UNDECIDED;
    enum pf_answer answer = pf_schedule_finder_solve(&m->finder, events, p->n, due_of(p), MARGIN);
    if (answer == PF_UNKNOWN && m->finder.x.n <= m->limits->window)
        answer = pf_schedule_finder_solve(&m->finder, events, p->n, due_of(p), m->finder.x.n);
    return answer == PF_YES                            ? PF_MATCH_ACCEPTED
           : answer == PF_NO && m->finder.s.cut == cut ? PF_MATCH_REJECTED
                                                       : PF_MATCH_UNDECIDED;
}

static enum pf_match_answer add_anomaly(void *arg, const struct pf_pattern_match *match)
{
    struct anomaly_maker *m = arg;
    uint32_t pattern = match->pattern;
    const uint32_t *events = match->event;
    const struct pf_pattern *p = &m->patterns->at[pattern];
    enum use use = use_of(m, pattern, events);
    if (use != WANTED)
        return use == UNWANTED ? PF_MATCH_ACCEPTED : PF_MATCH_REJECTED;
    bool pair = p->n == 2 && due_of(p) == 2, first = events[0] < events[1];
    uint64_t key = (uint64_t)events[!first] << 32 | events[first];
    uint32_t failed = pair ? pf_hash_map_find(&m->failed, key) : PF_HASH_NONE;
    if (failed != PF_HASH_NONE)
        return failed;
    enum pf_match_answer answer = find_schedule(m, p, events);
    if (answer != PF_MATCH_ACCEPTED) {
        if (pair)
            pf_hash_map_add(&m->failed, key, answer);
        return answer;
    }
    struct pf_anomaly a = {.pattern = pattern, .evidence = match->evidence};
    memcpy(a.event, events, p->n * sizeof *events);
    memcpy(a.region, match->region, sizeof a.region);
    set_order(&a, &m->finder);
    pf_vec_push(&m->out->at, a);
    return PF_MATCH_ACCEPTED;
}

/* The goal of a schedule in the form that the validator takes. */
static struct pf_race goal_of(const struct pf_pattern *p, const struct pf_anomaly *a)
{
    uint32_t due = due_of(p); /* events that must be next, but need not be executed */
    return (struct pf_race){.a = a->event[p->n - due],
                            .b = a->event[p->n - 1],
                            .start = a->start,
                            .order = a->order,
                            .norder = a->norder - due};
}

/* An upper bound for the comparisons in the validator: each step with all events in its range. */
static uint64_t cost_of(const struct pf_anomaly *a)
{
    uint32_t last = a->start;
    for (uint32_t k = 0; k < a->norder; k++)
        last = a->order[k] > last ? a->order[k] : last;
    return (uint64_t)a->norder * (last - a->start + 1);
}

/* Marks the schedules that are certainly feasible. Schedules that are too long to validate are left
 * to re-execution. */
static void validate(const struct anomaly_maker *m)
{
    struct pf_anomalies *out = m->out;
    const struct pf_trace *t = m->finder.t;
    struct pf_race *races = pf_mem_zero(out->at.len, sizeof *races);
    enum pf_validity *v = pf_mem_zero(out->at.len, sizeof *v);
    size_t n = 0;
    const struct pf_stop *stop = m->limits->stop;
    uint64_t left = stop && stop->stopped ? VALIDATOR_ALL_STOPPED : VALIDATOR_ALL;
    uint32_t *which = pf_mem_resize(NULL, out->at.len + 1, sizeof *which);
    for (uint32_t i = 0; i < out->at.len; i++) {
        const struct pf_anomaly *a = &out->at.at[i];
        uint64_t cost = cost_of(a);
        if (cost > VALIDATOR_ONE || cost > left)
            continue;
        left -= cost;
        races[n] = goal_of(&m->patterns->at[a->pattern], a);
        which[n++] = i;
    }
    pf_validate(t, t->has_calls ? PF_RULE_RDIT : PF_RULE_NONE, races, n, NULL, v, NULL);
    for (size_t i = 0; i < n; i++)
        out->at.at[which[i]].witnessed = v[i] == PF_VALID;
    free(which);
    free(races);
    free(v);
}

/* Replaces schedules that change a value by schedules of the engine, where it finds one. */
static void improve(struct anomaly_maker *m)
{
    bool any = false;
    for (size_t i = 0; i < m->out->at.len; i++) {
        struct pf_anomaly *a = &m->out->at.at[i];
        const struct pf_pattern *p = &m->patterns->at[a->pattern];
        if (pf_stop_poll(m->limits->stop, "schedules improved", i, m->out->at.len))
            break; /* the remaining ones are tried as they are */
        if (a->witnessed ||
            pf_schedule_finder_solve(&m->finder, a->event, p->n, due_of(p), MARGIN) != PF_YES)
            continue;
        set_order(a, &m->finder);
        any = true;
    }
    if (any)
        validate(m);
}

static void search(struct anomaly_maker *m, const struct pf_trace *t)
{
    struct pf_units w;
    memset(m->out, 0, sizeof *m->out);
    pf_schedule_finder_init(&m->finder, t);
    m->finder.window = m->limits->window;
    m->finder.conflicts = m->limits->conflicts;
    m->finder.s.stop = m->limits->stop;
    pf_units_init(&w, &m->finder.g, m->limits->stop);
    pf_pattern_search(&w, m->patterns, m->limits->stop, add_anomaly, m, &m->out->search);
    pf_units_release(&w);
    validate(m);
    improve(m);
    pf_schedule_finder_release(&m->finder);
    pf_hash_map_release(&m->failed);
}

void pf_pecan(const struct pf_trace *t, const pf_patterns *patterns, const struct pf_limits *limits,
              struct pf_anomalies *out)
{
    search(&(struct anomaly_maker){.patterns = patterns, .limits = limits, .out = out}, t);
}

void pf_pecan_others(const struct pf_trace *t, const pf_patterns *patterns,
                     const struct pf_anomaly *tried, size_t n, struct pf_stop *stop,
                     struct pf_anomalies *out)
{
    struct pf_limits limits = pf_limits_default;
    limits.stop = stop;
    search(
        &(struct anomaly_maker){
            .patterns = patterns, .limits = &limits, .out = out, .tried = tried, .ntried = n},
        t);
}

void pf_anomalies_release(struct pf_anomalies *a)
{
    for (size_t i = 0; i < a->at.len; i++)
        free(a->at.at[i].order);
    pf_vec_release(&a->at);
}

void pf_analysis_pecan(const struct pf_trace *t, const struct pf_limits *limits,
                       struct pf_result *out)
{
    pf_patterns builtin = {0};
    if (!limits->patterns)
        pf_patterns_builtin(&builtin);
    pf_pecan(t, limits->patterns ? limits->patterns : &builtin, limits, &out->anomalies);
    out->stopped = limits->stop && limits->stop->stopped;
    pf_vec_release(&builtin);
}
