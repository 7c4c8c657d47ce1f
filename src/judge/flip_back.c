/* flip_back.c - see flip_back.h. */
#include "flip_back.h"
#include "duration.h"
#include "order_alone.h"
#include <stdlib.h>

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
    return find_access(f->race.t, race->t->recorded.thread.at[e->thread], number,
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
    f->race = (struct pf_judge_case){.t = pf_judge_run_trace(run),
                                     .recording = &f->clip,
                                     .a = PF_NONE,
                                     .folder = race->folder,
                                     .scratch = race->scratch,
                                     .unsteady = race->unsteady,
                                     .name = f->name};
    f->runs = (struct pf_judge_runs){
        .how = how, .race = &f->race, .hold_from = PF_NONE, .began = pf_now_ms()};
    if (!f->race.t || pf_clip_open(&f->clip, run->clip, &e) != PF_OK)
        return false;
    f->race.a = find_in_run(f, race, alternate ? race->b : race->a, run->run.order.happened[0]);
    f->race.b = find_in_run(f, race, alternate ? race->a : race->b, run->run.order.happened[1]);
    return f->race.a != PF_NONE && f->race.b != PF_NONE && f->race.a < f->race.b &&
           pf_judge_runs_add(&f->runs, wishes, 2, &e) == PF_OK && f->runs.at.len == 2 &&
           is_usable(&f->runs.at.at[0]) && is_usable(&f->runs.at.at[1]);
}

bool pf_flip_back_same(const struct pf_flip_back *f, const struct pf_judge_run *run)
{
    const struct pf_judge_run *back = &f->runs.at.at[1];
    return pf_judge_runs_same(run, back) || (run->run.end.wait == back->run.end.wait &&
                                             pf_run_output_permuted(&run->output, &back->output));
}

bool pf_flip_back_fails(const struct pf_flip_back *f, const struct pf_judge_run *run)
{
    return pf_judge_runs_failed(&f->runs, true, run);
}

bool pf_flip_back_matters(const struct pf_flip_back *f, const struct pf_judge_run *run)
{
    const struct pf_judge_run *again = &f->runs.at.at[0], *back = &f->runs.at.at[1];
    if (*again->failure || *back->failure || again->run.order.limited || back->run.order.limited ||
        !pf_judge_runs_same(run, again) || pf_judge_runs_same(again, back) ||
        pf_run_output_permuted(&again->output, &back->output))
        return false;
    const struct pf_trace *x = pf_judge_run_trace(again), *y = x ? pf_judge_run_trace(back) : NULL;
    return y && pf_order_alone(f->race.t, f->race.a, f->race.b, x, y);
}

void pf_flip_back_release(struct pf_flip_back *f)
{
    pf_judge_runs_clear(&f->runs);
    pf_clip_release(&f->clip);
    free(f->name);
}
