/* judge_runs.c - see judge_runs.h. */
#define _GNU_SOURCE
#include "judge_runs.h"
#include "load_trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERB "judge"
#define KEPT_EVENTS 1000000 /* a trace with more events is not kept */
/* If more than one run of the primary order, and more than one in 10 of them, has a result that no
 * other run has, then a new result means nothing. */
#define VARYING 10

static char *clip_path(const struct pf_judge_runs *g, size_t i)
{
    return pf_mem_format("%s/%s.%u.%u.%zu.run", g->race->scratch, g->race->name, g->memory.model,
                         g->groups, i);
}

struct pf_trace *pf_judge_run_trace(const struct pf_judge_run *r)
{
    struct pf_error ignored;
    struct pf_run_trace *k = r->trace;
    if (!k->tried) {
        pf_trace_init(&k->t);
        k->tried = true;
        struct pf_judge_left left = pf_judge_clock_left_evidence(k->clock, 0);
        k->t.recorded.replay_limit_ms = left.limit_ms;
        k->t.recorded.replay_fair_ms = left.fair_ms;
        k->loaded = r->clip && pf_load_trace(VERB, r->clip, &k->t, &ignored) == PF_OK;
        if (!k->loaded) /* perhaps because the time is up */
            (void)pf_judge_clock_cuts(k->clock);
    }
    return k->loaded ? &k->t : NULL;
}

static void release_trace(const struct pf_judge_run *r)
{
    if (r->trace->tried)
        pf_trace_release(&r->trace->t);
    r->trace->tried = r->trace->loaded = false;
}

void pf_judge_run_trace_done(const struct pf_judge_run *r)
{
    if (r->trace->loaded && r->trace->t.events.len > KEPT_EVENTS)
        release_trace(r);
}

/* Tests the requirements in the trace of a run that has not failed otherwise. */
static void test_requirements(const struct pf_judge_settings *how, struct pf_judge_run *r)
{
    const struct pf_trace *t = how->nrequirements && !*r->failure ? pf_judge_run_trace(r) : NULL;
    for (size_t i = 0; t && i < how->nrequirements && !*r->failure; i++) {
        bool known;
        if (!pf_requirement_holds(&how->requirements[i], t, &known, r->failure,
                                  sizeof r->failure)) {
            r->failed = PF_RUN_REQUIREMENT;
            r->requirement = i;
        }
    }
    pf_judge_run_trace_done(r);
}

static void take(struct pf_judge_runs *g, const struct pf_order_run *r, char *path)
{
    struct pf_judge_run one = {
        .run = *r, .clip = path, .trace = pf_mem_zero(1, sizeof(struct pf_run_trace))};
    one.trace->clock = g->race->clock;
    struct pf_clip clip;
    struct pf_error e;
    if (r->ran && pf_clip_open(&clip, path, &e) == PF_OK) {
        one.run.ran = pf_run_output_read(&one.output, &clip, &e) == PF_OK;
        pf_clip_release(&clip);
    } else {
        one.run.ran = false;
    }
    if (one.run.ran) {
        pf_run_output_drop(&one.output, g->race->unsteady);
        pf_output_numbers_hide(&g->race->hidden, &one.output);
    }
    one.run.clip = NULL;
    one.failed = pf_order_run_failure(r, 0, one.failure, sizeof one.failure);
    if (one.run.ran && !r->other_clock)
        test_requirements(g->how, &one);
    pf_vec_push(&g->at, one);
}

pf_status pf_judge_runs_add(struct pf_judge_runs *g, const struct pf_judge_wish *wishes, size_t n,
                            struct pf_error *e)
{
    struct pf_judge_clock *clock = g->race->clock;
    if (pf_judge_clock_cuts(clock))
        return pf_fail(e, PF_IO, "the time was up");
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        most += wishes[i].n;
    struct pf_order_run *runs = pf_mem_zero(most, sizeof *runs);
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < wishes[i].n && count < PF_CONTINUATIONS; k++) {
            struct pf_order_run *r = &runs[count];
            r->alternate = wishes[i].alternate;
            r->recorded = wishes[i].recorded;
            r->together = wishes[i].together;
            r->other_clock = wishes[i].other_clock;
            r->clip = clip_path(g, count++);
            r->nchoices = wishes[i].nchoices;
            memcpy(r->choice, wishes[i].choice, sizeof r->choice);
            r->seed = wishes[i].seed + k;
            snprintf(r->policy, sizeof r->policy,
                     wishes[i].recorded   ? "rr"
                     : wishes[i].together ? "pct:%u,0"
                                          : "random:%u",
                     r->seed);
        }
    struct pf_judge_left left = pf_judge_clock_left(clock, 0);
    struct pf_both_orders q = {.t = g->race->t,
                               .recording = g->race->recording,
                               .a = g->race->a,
                               .b = g->race->b,
                               .hold_from = g->hold_from,
                               .events = g->events,
                               .memory = g->memory,
                               .runs = runs,
                               .n = count,
                               .folder = g->race->scratch,
                               .jobs = g->how->jobs,
                               .limit_ms = left.limit_ms,
                               .fair_ms = left.fair_ms,
                               .should_stop = g->how->should_stop,
                               .arg = g->how->arg};
    pf_status s = pf_both_orders_run(&q, e);
    bool all = s == PF_OK;
    clock->runs += count;
    for (uint32_t i = 0; i < count; i++) {
        all &= runs[i].ran;
        take(g, &runs[i], (char *)runs[i].clip);
    }
    if (!all) /* perhaps because the time is up now */
        (void)pf_judge_clock_cuts(clock);
    g->groups++;
    free(runs);
    return s;
}

void pf_judge_runs_clear(struct pf_judge_runs *g)
{
    for (size_t i = 0; i < g->at.len; i++) {
        if (g->at.at[i].clip)
            unlink(g->at.at[i].clip);
        free(g->at.at[i].clip);
        release_trace(&g->at.at[i]);
        free(g->at.at[i].trace);
        pf_run_output_release(&g->at.at[i].output);
    }
    pf_vec_release(&g->at);
}

/* --- comparison --- */

static bool same_end(const struct pf_judge_run *a, const struct pf_judge_run *b)
{
    return a->run.end.wait == b->run.end.wait && a->run.end.outcome == b->run.end.outcome;
}

bool pf_judge_runs_same(const struct pf_judge_run *a, const struct pf_judge_run *b)
{
    return same_end(a, b) && pf_run_output_same(&a->output, &b->output);
}

static bool is_control(const struct pf_judge_runs *g, const struct pf_judge_run *r)
{
    return r->run.ran && !r->run.alternate && !r->run.other_clock &&
           pf_order_run_enforced(&r->run) && (!g->how->as_paper || r->run.recorded);
}

/* True if two runs of the primary order differ only in the order of their lines. */
static bool order_of_lines_varies(const struct pf_judge_runs *g)
{
    for (size_t i = 0; i < g->at.len; i++)
        for (size_t k = 0; is_control(g, &g->at.at[i]) && k < i; k++)
            if (is_control(g, &g->at.at[k]) && same_end(&g->at.at[i], &g->at.at[k]) &&
                !pf_run_output_same(&g->at.at[i].output, &g->at.at[k].output) &&
                pf_run_output_permuted(&g->at.at[i].output, &g->at.at[k].output))
                return true;
    return false;
}

bool pf_judge_runs_in_control(const struct pf_judge_runs *g, const struct pf_judge_run *r)
{
    bool permuted = false;
    for (size_t i = 0; i < g->at.len; i++) {
        const struct pf_judge_run *x = &g->at.at[i];
        if (!is_control(g, x))
            continue;
        if (pf_judge_runs_same(x, r))
            return true;
        permuted |= same_end(x, r) && pf_run_output_permuted(&x->output, &r->output);
    }
    return permuted && order_of_lines_varies(g);
}

unsigned pf_judge_runs_single(const struct pf_judge_runs *g)
{
    unsigned n = 0;
    for (size_t i = 0; i < g->at.len; i++) {
        bool single = is_control(g, &g->at.at[i]);
        for (size_t k = 0; k < g->at.len && single; k++)
            single = k == i || !is_control(g, &g->at.at[k]) ||
                     !pf_judge_runs_same(&g->at.at[i], &g->at.at[k]);
        n += single;
    }
    return n;
}

bool pf_judge_runs_vary(unsigned single, unsigned all)
{
    return single > 1 && single * VARYING > all;
}

uint64_t pf_judge_runs_varying(const struct pf_judge_runs *g, uint64_t *all)
{
    unsigned single[64] = {0}, n = 0;
    uint64_t varying = 0;
    *all = 0;
    for (size_t i = 0; i < g->at.len; i++) {
        uint64_t alone = is_control(g, &g->at.at[i]) ? UINT64_MAX : 0, some;
        n += alone != 0;
        for (size_t k = 0; k < g->at.len && alone; k++)
            if (k != i && is_control(g, &g->at.at[k])) {
                alone &= pf_run_output_differing(&g->at.at[i].output, &g->at.at[k].output, &some);
                *all |= some;
            }
        for (int fd = 0; fd < 64; fd++)
            single[fd] += alone >> fd & 1;
    }
    for (int fd = 0; fd < 64; fd++)
        if (pf_judge_runs_vary(single[fd], n))
            varying |= 1ull << fd;
    return varying;
}

static bool same_site(const struct pf_failure_site *a, const struct pf_failure_site *b)
{
    bool known = a->line && b->line;
    return a->kind == b->kind && (!known || (a->file == b->file && a->line == b->line &&
                                             (!a->column || !b->column || a->column == b->column)));
}

/* Deadlocks and hangs are the same wherever they happen: the threads that take part in them depend
 * on the schedule. */
static bool same_failure(const struct pf_judge_run *a, const struct pf_judge_run *b)
{
    if (a->failed != b->failed)
        return false;
    switch (a->failed) {
    case PF_RUN_MEMORY_ERROR:
        return same_site(&a->run.failed_at, &b->run.failed_at);
    case PF_RUN_DIED:
        return WTERMSIG(a->run.end.wait) == WTERMSIG(b->run.end.wait) &&
               same_site(&a->run.failed_at, &b->run.failed_at);
    case PF_RUN_REQUIREMENT:
        return a->requirement == b->requirement;
    default:
        return true;
    }
}

bool pf_judge_runs_failed(const struct pf_judge_runs *g, bool alternate,
                          const struct pf_judge_run *r)
{
    for (size_t i = 0; i < g->at.len; i++) {
        const struct pf_judge_run *x = &g->at.at[i];
        if (x->run.ran && x->run.alternate == alternate && x->failed &&
            pf_order_run_enforced(&x->run) && same_failure(x, r))
            return true;
    }
    return false;
}

unsigned pf_judge_runs_count(const struct pf_judge_runs *g, bool alternate)
{
    unsigned n = 0;
    for (size_t i = 0; i < g->at.len; i++)
        n += g->at.at[i].run.ran && g->at.at[i].run.alternate == alternate &&
             pf_order_run_enforced(&g->at.at[i].run);
    return n;
}
