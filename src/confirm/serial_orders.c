/* serial_orders.c - see serial_orders.h. */
#define _GNU_SOURCE
#include "serial_orders.h"
#include "allocation.h"
#include "directed.h"
#include "event_code.h"
#include "load_trace.h"
#include "message.h"
#include "plan_steps.h"
#include "run_result.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTEMPTS 4 /* runs to find out where the first region of an order ends */

struct comparison {
    const struct pf_trace *t;
    const struct pf_clip *recording;
    const struct pf_try_schedule *h;
    struct pf_region_span region[2];
    uint32_t *pivot;
    char *file, *plan; /* temporary files */
};

/* --- runs --- */

/* Follows the plan, and reads the result. False: the run failed or left the plan, or its regions or
 * its output could not be read. */
static bool run_plan(const struct comparison *c, const pf_schedule_plan *p, struct pf_run_result *r)
{
    struct pf_directed d = {
        .plan = c->plan, .schedule = "rr", .exclude = c->recording->meta.exclude, .tracing = true};
    struct pf_clip_meta meta = c->recording->meta;
    struct pf_child_end child;
    struct pf_error e;
    meta.traced = PF_CODE_VERSION;
    bool ok = pf_schedule_plan_write(p, c->plan, &e) == PF_OK &&
              pf_directed_record(&meta, c->file, &d, &child, &r->end, &e) == PF_OK &&
              r->end.outcome != PF_OUTCOME_DIVERGED &&
              pf_load_trace("hatch", c->file, &r->now, &e) == PF_OK &&
              pf_run_result_read_output(r, c->file);
    for (unsigned k = 0; k < 2 && ok; k++) {
        const struct pf_region_span *s = &c->region[k];
        r->begin[k] = pf_region_find_event(c->t, s->begin, &r->now);
        r->last[k] = pf_region_span_end(s, c->t, &r->now);
        ok = r->begin[k] != PF_NONE && r->last[k] != PF_NONE;
    }
    unlink(c->plan);
    unlink(c->file);
    return ok;
}

static void add_step(pf_schedule_plan *p, uint32_t thread, uint64_t until)
{
    pf_vec_push(p, (struct pf_schedule_plan_step){.thread = thread, .until = until});
}

/* Adds the candidate's schedule without the events of the two regions, and without the later
 * events of their threads. */
static void add_before(const struct comparison *c, pf_schedule_plan *p)
{
    const struct pf_trace *t = c->t;
    struct pf_try_schedule before = *c->h;
    uint32_t *order = pf_mem_resize(NULL, c->h->start + c->h->norder + 1, sizeof *order);
    before.n = before.start = before.norder = 0;
    for (uint32_t i = 0; i < c->h->start + c->h->norder; i++) {
        uint32_t event = i < c->h->start ? i : c->h->order[i - c->h->start];
        uint32_t thread = t->recorded.thread.at[t->events.at[event].thread];
        bool inside = false;
        for (unsigned k = 0; k < 2; k++)
            inside |= thread == c->region[k].thread && event >= c->region[k].begin;
        if (!inside)
            order[before.norder++] = event;
    }
    before.order = order;
    pf_schedule_plan_add_candidate(p, t, c->pivot, &before, 0);
    free(order);
}

/* Number of the region's first event in its thread. */
static uint32_t begin_index(const struct comparison *c, unsigned k)
{
    return c->t->recorded.index.at[c->region[k].begin];
}

/* Runs region `first` to its end, then the other one. */
static void run_serial(const struct comparison *c, unsigned first, struct pf_run_result *r)
{
    uint64_t until = c->t->recorded.index.at[c->region[first].end];
    for (unsigned i = 0; i < ATTEMPTS && !r->ran; i++) {
        pf_schedule_plan p = {0};
        bool probe =
            until == begin_index(c, first) && c->region[first].begin != c->region[first].end;
        pf_run_result_release(r);
        pf_run_result_init(r);
        add_before(c, &p);
        add_step(&p, c->region[first].thread, until);
        /* In a probe the plan ends here. The policy (rr) lets the running thread continue, so the
         * trace shows where its region ends. */
        if (!probe)
            add_step(&p, c->region[!first].thread, begin_index(c, !first));
        bool followed = run_plan(c, &p, r);
        pf_vec_release(&p);
        if (!followed && probe)
            return;
        uint64_t end = followed ? r->now.recorded.index.at[r->last[first]] : begin_index(c, first);
        r->ran = followed && !probe && end == until;
        until = end;
    }
}

/* Runs the candidate's schedule, then region `first` to its end, then the other one. */
static void run_anomaly(const struct comparison *c, unsigned first, struct pf_run_result *r)
{
    uint32_t done[2] = {begin_index(c, 0), begin_index(c, 1)};
    for (uint32_t i = 0; i < c->h->n; i++)
        for (unsigned k = 0; k < 2; k++)
            if (c->t->recorded.thread.at[c->t->events.at[c->h->event[i]].thread] ==
                    c->region[k].thread &&
                c->t->recorded.index.at[c->h->event[i]] > done[k])
                done[k] = c->t->recorded.index.at[c->h->event[i]];
    uint64_t until = c->t->recorded.index.at[c->region[first].end];
    for (unsigned i = 0; i < ATTEMPTS && !r->ran; i++) {
        pf_schedule_plan p = {0};
        bool probe = until <= done[first];
        pf_run_result_release(r);
        pf_run_result_init(r);
        pf_schedule_plan_add_candidate(&p, c->t, c->pivot, c->h, 0);
        if (!probe) {
            add_step(&p, c->region[first].thread, until);
            if (c->t->recorded.index.at[c->region[!first].end] > done[!first])
                add_step(&p, c->region[!first].thread, done[!first] + 1);
        }
        bool followed = run_plan(c, &p, r);
        pf_vec_release(&p);
        if (!followed && probe)
            return;
        uint64_t end = followed ? r->now.recorded.index.at[r->last[first]] : done[first];
        r->ran = followed && (end == until || end <= done[first]);
        until = end;
    }
}

/* --- comparison --- */

bool pf_serial_orders_needed(const struct pf_try_schedule *h, const struct pf_try_result *r)
{
    bool happened = r->verdict == PF_TRY_REAL || r->verdict == PF_TRY_ERROR;
    bool inferred = h->evidence == PF_EVIDENCE_INFERRED;
    bool weak = h->evidence == PF_EVIDENCE_WEAK && r->verdict == PF_TRY_ERROR;
    return happened && !r->compared && (inferred || weak);
}

static void set_doubt(struct pf_try_result *r, const char *why)
{
    snprintf(r->doubt, sizeof r->doubt, "%s", why);
}

/* It failed: does a serial order fail in the same way? */
static void compare_failures(const struct comparison *c, const char *clip,
                             const struct pf_run_result *serial, struct pf_try_result *r)
{
    struct pf_clip made;
    struct pf_error e;
    bool weak = c->h->evidence == PF_EVIDENCE_WEAK, any = serial[0].ran || serial[1].ran;
    if (pf_clip_open(&made, clip, &e) != PF_OK) {
        set_doubt(r, "its clip could not be read");
        return;
    }
    bool same = false;
    for (unsigned k = 0; k < 2; k++)
        same |= serial[k].ran && !*r->memory && pf_run_result_same_end(&made.end, &serial[k].end);
    bool exited = made.end.outcome == PF_OUTCOME_NONE && WIFEXITED(made.end.wait);
    pf_clip_release(&made);
    if (same)
        set_doubt(r, "a serial order of the two regions fails in the same way");
    else if (weak && !any && exited && !*r->memory)
        set_doubt(r, "no serial order of the two regions could be run");
    else
        r->matters = true;
}

/* True if the thread of event `last` reads memory of `last`, from event `first` up to it. */
static bool reads_before(const struct pf_trace *t, uint32_t first, uint32_t last)
{
    const struct pf_event *end = &t->events.at[last];
    for (uint32_t i = first; i <= last; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (e->thread == end->thread && pf_event_reads(e) && pf_trace_overlap(t, e, end))
            return true;
    }
    return false;
}

static bool same_value(const struct pf_trace *t, const struct pf_event *a, const struct pf_event *b)
{
    const struct pf_range *p = &t->places.at[a->what];
    uint64_t x, y;
    bool same = a->what == b->what && p->ncells;
    for (uint32_t cell = p->cell0; same && cell < p->cell0 + p->ncells; cell++)
        same = pf_trace_cell_value(t, a, cell, false, &x) &&
               pf_trace_cell_value(t, b, cell, false, &y) && x == y;
    return same;
}

/* True if one region reads a variable and writes it later, the other region writes it in between
 * without having read it, and both write the same value. Then every read sees the value that it
 * sees if the first region ends before the other one begins. */
static bool writes_same_value(const struct comparison *c, const struct pf_run_result *made)
{
    const struct pf_trace *t = &made->now;
    uint32_t at[3];
    if (c->h->n != 3)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        at[i] = pf_try_same_event(c->t, c->h->event[i], t);
        if (at[i] == PF_NONE || pf_event_writes(&t->events.at[at[i]]) != (i > 0))
            return false;
    }
    const struct pf_event *e[3] = {&t->events.at[at[0]], &t->events.at[at[1]],
                                   &t->events.at[at[2]]};
    uint32_t begin = made->begin[0] < made->begin[1] ? made->begin[0] : made->begin[1];
    return pf_trace_overlap(t, e[0], e[2]) && same_value(t, e[1], e[2]) &&
           !reads_before(t, begin, at[1]);
}

static void compare_results(const struct comparison *c, const struct pf_run_result *serial,
                            struct pf_try_result *r)
{
    struct pf_run_result anomaly;
    uint32_t last = c->h->event[c->h->n - 1];
    uint32_t thread = c->t->recorded.thread.at[c->t->events.at[last].thread];
    unsigned first = thread != c->region[0].thread;
    bool any = false, same = false;
    pf_run_result_init(&anomaly);
    if (serial[0].ran || serial[1].ran) {
        run_anomaly(c, first, &anomaly);
        if (!anomaly.ran)
            run_anomaly(c, !first, &anomaly);
    }
    for (unsigned k = 0; k < 2 && anomaly.ran; k++)
        if (serial[k].ran) {
            any = true;
            same |= !pf_run_result_difference(&anomaly, &serial[k]);
        }
    r->matters = any && !same;
    r->serial = same && writes_same_value(c, &anomaly);
    if (same)
        set_doubt(r, "a serial order of the two regions gives the same result");
    else if (!any)
        set_doubt(r, serial[0].ran || serial[1].ran
                         ? "the regions could not be run to their ends"
                         : "no serial order of the two regions could be run");
    pf_run_result_release(&anomaly);
}

void pf_serial_orders_compare(const struct pf_trace *t, const struct pf_clip *recording,
                              const struct pf_try_schedule *h, const char *clip,
                              struct pf_try_result *r)
{
    struct comparison c = {.t = t, .recording = recording, .h = h};
    struct pf_run_result serial[2];
    c.file = pf_mem_format("%s.serial", clip);
    c.plan = pf_mem_format("%s.plan", clip);
    c.pivot = pf_schedule_plan_pivots(t);
    for (unsigned k = 0; k < 2; k++)
        pf_region_span_init(&c.region[k], t, &h->region[k]);
    for (unsigned k = 0; k < 2; k++) {
        pf_run_result_init(&serial[k]);
        run_serial(&c, k, &serial[k]);
    }
    if (r->verdict == PF_TRY_ERROR)
        compare_failures(&c, clip, serial, r);
    else
        compare_results(&c, serial, r);
    r->compared = true;
    for (unsigned k = 0; k < 2; k++)
        pf_run_result_release(&serial[k]);
    free(c.pivot);
    free(c.file);
    free(c.plan);
}
