/* candidates_to_try.c - see candidates_to_try.h. */
#include "candidates_to_try.h"
#include "pecan/schedule_finder.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_candidates_release(struct pf_candidates *c)
{
    for (size_t i = 0; i < c->at.len; i++) {
        for (size_t k = 0; k < c->at.at[i].schedules.len; k++)
            free((uint32_t *)c->at.at[i].schedules.at[k].order);
        pf_vec_release(&c->at.at[i].schedules);
        free(c->at.at[i].clip);
    }
    pf_vec_release(&c->at);
}

/* --- schedules --- */

/* The boundary between `start` and `order` does not matter for equality. Moves it as far back as
 * possible: over the events at the start of the order that merely continue the recording. */
static void skip_recorded_prefix(const struct pf_try_schedule *w, uint32_t *start, uint32_t *from)
{
    *start = w->start;
    for (*from = 0; *from < w->norder && w->order[*from] == *start; ++*from)
        ++*start;
}

static bool same_schedule(const struct pf_try_schedule *a, const struct pf_try_schedule *b)
{
    uint32_t start[2], from[2];
    skip_recorded_prefix(a, &start[0], &from[0]);
    skip_recorded_prefix(b, &start[1], &from[1]);
    return a->n == b->n && !memcmp(a->event, b->event, a->n * sizeof *a->event) &&
           start[0] == start[1] && a->norder - from[0] == b->norder - from[1] &&
           !memcmp(a->order + from[0], b->order + from[1],
                   (a->norder - from[0]) * sizeof *a->order);
}

/* Adds a copy of the schedule. False: the candidate already has it. */
static bool add_schedule(struct pf_candidate *c, const struct pf_try_schedule *schedule)
{
    for (size_t i = 0; i < c->schedules.len; i++)
        if (same_schedule(&c->schedules.at[i], schedule))
            return false;
    struct pf_try_schedule copy = *schedule;
    uint32_t *order = pf_mem_resize(NULL, schedule->norder + 1, sizeof *order);
    memcpy(order, schedule->order, schedule->norder * sizeof *order);
    copy.order = order;
    pf_vec_push(&c->schedules, copy);
    return true;
}

/* --- candidates --- */

static bool is_known(const struct pf_candidates *c, uint64_t id)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64 "\n", id);
    return c->known && strstr(c->known, text);
}

struct pf_candidate *pf_candidates_find(const struct pf_candidates *c, uint64_t id)
{
    for (size_t i = 0; i < c->at.len; i++)
        if (c->at.at[i].f.id == id)
            return &c->at.at[i];
    return NULL;
}

void pf_candidates_add(struct pf_candidates *c, const struct pf_finding *f,
                       const struct pf_try_schedule *schedule, uint32_t pattern)
{
    struct pf_candidate *it = pf_candidates_find(c, f->id);
    if (!it && is_known(c, f->id))
        return;
    if (!it) {
        pf_vec_push(&c->at, (struct pf_candidate){.f = *f, .pattern = PF_NONE});
        it = &c->at.at[c->at.len - 1];
    }
    if (it->pattern == PF_NONE)
        it->pattern = pattern;
    add_schedule(it, schedule);
}

/* Adds a race. Without a witness it has no order. */
static void add_race(struct pf_candidates *c, struct pf_predict_job *j, size_t k,
                     const struct pf_race *r)
{
    struct pf_finding f;
    struct pf_try_schedule schedule;
    uint32_t *order = pf_try_schedule_from_witness(&schedule, r, false);
    if (j->analyses[k]->claim != PF_CLAIM_WITNESSED)
        schedule.start = schedule.norder = 0;
    pf_predicted_race(j, k, r, &f);
    pf_candidates_add(c, &f, &schedule, PF_NONE);
    free(order);
}

static struct pf_try_schedule schedule_of_anomaly(const struct pf_predict_job *j,
                                                  const struct pf_anomaly *a)
{
    const struct pf_pattern *p = &j->patterns.at[a->pattern];
    struct pf_try_schedule schedule = {.n = p->n,
                                       .start = a->start,
                                       .order = a->order,
                                       .norder = a->norder,
                                       .adjacent = p->next[p->n - 1],
                                       .evidence = a->evidence};
    memcpy(schedule.event, a->event, p->n * sizeof *a->event);
    memcpy(schedule.region, a->region, sizeof a->region);
    return schedule;
}

static void add_anomaly(struct pf_candidates *c, struct pf_predict_job *j,
                        const struct pf_anomaly *a)
{
    struct pf_finding f;
    struct pf_try_schedule schedule = schedule_of_anomaly(j, a);
    pf_predicted_anomaly(j, a, &f);
    pf_candidates_add(c, &f, &schedule, a->pattern);
}

static void add_cycle(struct pf_candidates *c, struct pf_predict_job *j, const struct pf_cycle *y)
{
    struct pf_finding f;
    struct pf_try_schedule schedule = {
        .n = y->n, .start = y->start, .order = y->order, .norder = y->norder, .stuck = true};
    memcpy(schedule.event, y->take, y->n * sizeof *y->take);
    pf_predicted_cycle(j, y, &f);
    pf_candidates_add(c, &f, &schedule, PF_NONE);
}

void pf_candidates_add_predicted(struct pf_candidates *c, struct pf_predict_job *j,
                                 bool with_observed)
{
    for (size_t k = 0; k < j->n; k++) {
        if (j->analyses[k]->claim == PF_CLAIM_OBSERVED && !with_observed)
            continue;
        for (size_t i = 0; i < j->results[k].races.len; i++)
            add_race(c, j, k, &j->results[k].races.at[i]);
    }
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; i < j->results[k].anomalies.at.len; i++)
            add_anomaly(c, j, &j->results[k].anomalies.at.at[i]);
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; i < j->results[k].cycles.at.len; i++)
            add_cycle(c, j, &j->results[k].cycles.at.at[i]);
}

/* --- further schedules --- */

static bool may_try_more(const struct pf_candidate *c)
{
    return c->result.verdict == PF_TRY_FALSE && c->schedules.len < PF_SCHEDULES_MAX;
}

static bool has_next(const struct pf_candidate *c)
{
    return c->result.verdict == PF_TRY_FALSE && c->current + 1 < c->schedules.len;
}

/* Asks the solver again, allowing it to reorder more and more of the trace. */
static void solve_again(struct pf_schedule_finder *w, struct pf_candidate *c)
{
    static const uint32_t margin[] = {20, 200, 1500};
    for (unsigned m = 0; m < sizeof margin / sizeof *margin && !has_next(c); m++) {
        struct pf_try_schedule schedule = c->schedules.at[c->current];
        if (margin[m] <= c->margin)
            continue;
        c->margin = margin[m];
        if (pf_schedule_finder_solve(w, schedule.event, schedule.n, schedule.adjacent ? 2 : 1,
                                     margin[m]) != PF_YES)
            continue;
        schedule.start = w->start;
        schedule.order = w->order.at;
        schedule.norder = (uint32_t)w->order.len;
        add_schedule(c, &schedule);
    }
}

/* Searches for other events of the same code, for all candidates without a further schedule. */
static void search(struct pf_candidates *c, struct pf_predict_job *j, struct pf_stop *stop)
{
    PF_VEC(struct pf_anomaly) tried = {0};
    struct pf_anomalies others;
    for (size_t i = 0; i < c->at.len; i++) {
        struct pf_candidate *x = &c->at.at[i];
        if (!may_try_more(x) || has_next(x) || x->searched || x->pattern == PF_NONE)
            continue;
        for (size_t k = 0; k < x->schedules.len; k++) {
            struct pf_anomaly a = {.pattern = x->pattern};
            memcpy(a.event, x->schedules.at[k].event, x->schedules.at[k].n * sizeof *a.event);
            pf_vec_push(&tried, a);
        }
        x->searched = true;
    }
    if (tried.len) {
        pf_pecan_others(&j->t, &j->patterns, tried.at, tried.len, stop, &others);
        for (size_t i = 0; i < others.at.len; i++) {
            struct pf_try_schedule schedule = schedule_of_anomaly(j, &others.at.at[i]);
            struct pf_finding f;
            pf_predicted_anomaly(j, &others.at.at[i], &f);
            for (size_t k = 0; k < c->at.len; k++)
                if (c->at.at[k].f.id == f.id && add_schedule(&c->at.at[k], &schedule)) {
                    c->at.at[k].searched = false; /* search again: there may be more */
                    c->at.at[k].margin = 0;
                }
        }
        pf_anomalies_release(&others);
    }
    pf_vec_release(&tried);
}

size_t pf_candidates_next_schedules(struct pf_candidates *c, struct pf_predict_job *j,
                                    struct pf_stop *stop)
{
    struct pf_schedule_finder w;
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < c->at.len; i++) {
        struct pf_candidate *x = &c->at.at[i];
        if (!may_try_more(x) || has_next(x) || x->schedules.at[x->current].stuck)
            continue;
        if (pf_stop_poll(stop, "other schedules", i, c->at.len))
            break;
        if (!any)
            pf_schedule_finder_init(&w, &j->t);
        any = true;
        solve_again(&w, x);
    }
    if (any)
        pf_schedule_finder_release(&w);
    search(c, j, stop);
    for (size_t i = 0; i < c->at.len; i++)
        if (has_next(&c->at.at[i])) {
            c->at.at[i].current++;
            n++;
        }
    return n;
}
