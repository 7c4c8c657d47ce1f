/* flip_back.c - see flip_back.h. */
#include "flip_back.h"
#include "duration.h"
#include "load_trace.h"
#include "order_alone.h"
#include <stdlib.h>

#define VERB "judge"

/* The access of the race that thread and number name in the trace; PF_NONE: none. */
static uint32_t find_access(const struct pf_trace *t, uint32_t thread, uint64_t number,
                            uint64_t address)
{
    for (uint32_t i = 0; number && i < t->events.len; i++)
        if (t->recorded.index.at[i] == number && pf_event_is_access(&t->events.at[i]) &&
            t->recorded.thread.at[t->events.at[i].thread] == thread &&
            t->places.at[t->events.at[i].what].addr == address)
            return i;
    return PF_NONE;
}

static uint32_t find_in_run(const struct pf_flip_back *f, const struct pf_judge_case *race,
                            uint32_t event, uint64_t number)
{
    const struct pf_event *e = &race->t->events.at[event];
    return find_access(&f->t, race->t->recorded.thread.at[e->thread], number,
                       race->t->places.at[e->what].addr);
}

static bool is_usable(const struct pf_judge_run *r)
{
    return r->run.ran && pf_order_run_enforced(&r->run);
}

bool pf_flip_back_run(struct pf_flip_back *f, const struct pf_judge_settings *how,
                      const struct pf_judge_case *race, const struct pf_judge_run *run)
{
    bool alternate = run->run.alternate;
    struct pf_judge_wish wishes[] = {{.recorded = true, .n = 1},
                                     {.alternate = true, .recorded = true, .n = 1}};
    struct pf_error e;
    *f = (struct pf_flip_back){.name = pf_mem_format("%s.back", race->name)};
    pf_trace_init(&f->t);
    f->race = (struct pf_judge_case){
        .t = &f->t, .recording = &f->clip, .a = PF_NONE, .folder = race->folder, .name = f->name};
    f->runs = (struct pf_judge_runs){
        .how = how, .race = &f->race, .hold_from = PF_NONE, .began = pf_now_ms()};
    if (pf_clip_open(&f->clip, run->clip, &e) != PF_OK ||
        pf_load_trace(VERB, run->clip, &f->t, &e) != PF_OK)
        return false;
    f->race.a = find_in_run(f, race, alternate ? race->b : race->a, run->run.order.happened[0]);
    f->race.b = find_in_run(f, race, alternate ? race->a : race->b, run->run.order.happened[1]);
    return f->race.a != PF_NONE && f->race.b != PF_NONE && f->race.a < f->race.b &&
           pf_judge_runs_add(&f->runs, wishes, 2, &e) == PF_OK && f->runs.at.len == 2 &&
           is_usable(&f->runs.at.at[0]) && is_usable(&f->runs.at.at[1]);
}

bool pf_flip_back_fails(const struct pf_flip_back *f, const struct pf_judge_run *run)
{
    return pf_judge_runs_failed(&f->runs, true, run->failure);
}

bool pf_flip_back_matters(const struct pf_flip_back *f, const struct pf_judge_run *run)
{
    const struct pf_judge_run *again = &f->runs.at.at[0], *back = &f->runs.at.at[1];
    struct pf_trace x, y;
    struct pf_error e;
    if (*again->failure || *back->failure || again->run.order.limited || back->run.order.limited ||
        !pf_judge_runs_same(run, again) || pf_judge_runs_same(again, back) ||
        pf_run_output_permuted(&again->output, &back->output))
        return false;
    pf_trace_init(&x);
    pf_trace_init(&y);
    bool alone = pf_load_trace(VERB, again->clip, &x, &e) == PF_OK &&
                 pf_load_trace(VERB, back->clip, &y, &e) == PF_OK &&
                 pf_order_alone(&f->t, f->race.a, f->race.b, &x, &y);
    pf_trace_release(&x);
    pf_trace_release(&y);
    return alone;
}

void pf_flip_back_release(struct pf_flip_back *f)
{
    pf_judge_runs_clear(&f->runs);
    pf_trace_release(&f->t);
    pf_clip_release(&f->clip);
    free(f->name);
}
