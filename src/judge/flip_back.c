/* flip_back.c - see flip_back.h. */
#include "flip_back.h"
#include "order_alone.h"
#include <stdlib.h>
#include <string.h>

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

/* Takes the run as a recording. */
static bool begin(struct pf_flip_back *f, const struct pf_judge_settings *how,
                  const struct pf_judge_case *race, const struct pf_judge_run *run)
{
    struct pf_error e;
    *f = (struct pf_flip_back){.name = pf_mem_format("%s.back", race->name)};
    f->race = (struct pf_judge_case){.t = pf_judge_run_trace(run),
                                     .recording = &f->clip,
                                     .a = PF_NONE,
                                     .folder = race->folder,
                                     .scratch = race->scratch,
                                     .unsteady = race->unsteady,
                                     .hidden = race->hidden,
                                     .clock = race->clock,
                                     .name = f->name};
    f->runs = (struct pf_judge_runs){.how = how, .race = &f->race, .hold_from = PF_NONE};
    return f->race.t && pf_clip_open(&f->clip, run->clip, &e) == PF_OK;
}

/* Makes the two runs of the accesses f->race.a and b. */
static bool run_both(struct pf_flip_back *f)
{
    struct pf_judge_wish wishes[] = {{.recorded = true, .n = 1},
                                     {.alternate = true, .recorded = true, .n = 1}};
    struct pf_error e;
    return f->race.a != PF_NONE && f->race.b != PF_NONE && f->race.a < f->race.b &&
           pf_judge_runs_add(&f->runs, wishes, 2, &e) == PF_OK && f->runs.at.len == 2 &&
           is_usable(&f->runs.at.at[0]) && is_usable(&f->runs.at.at[1]);
}

bool pf_flip_back_run(struct pf_flip_back *f, const struct pf_judge_settings *how,
                      const struct pf_judge_case *race, const struct pf_judge_run *run)
{
    bool alternate = run->run.alternate;
    if (!begin(f, how, race, run))
        return false;
    f->race.a = find_in_run(f, race, alternate ? race->b : race->a, run->run.order.happened[0]);
    f->race.b = find_in_run(f, race, alternate ? race->a : race->b, run->run.order.happened[1]);
    return run_both(f);
}

/* --- other instances of the race --- */

/* True if the access is to the memory of the race, and at the source position of `like`. */
static bool is_like(const struct pf_trace *t, uint32_t i, const struct pf_judge_case *race,
                    uint32_t like)
{
    const struct pf_event *e = &t->events.at[i], *k = &race->t->events.at[like];
    const struct pf_site_info *p = &t->sites.at[e->site], *q = &race->t->sites.at[k->site];
    return pf_event_is_access(e) && p->line == q->line && p->column == q->column &&
           t->places.at[e->what].addr == race->t->places.at[k->what].addr &&
           !strcmp(pf_trace_text(t, p->file), pf_trace_text(race->t, q->file));
}

bool pf_flip_back_run_instance(struct pf_flip_back *f, const struct pf_judge_settings *how,
                               const struct pf_judge_case *race, const struct pf_judge_run *run,
                               unsigned number)
{
    if (!begin(f, how, race, run))
        return false;
    const struct pf_trace *t = f->race.t;
    uint32_t later = PF_NONE;
    for (uint32_t i = (uint32_t)t->events.len; i-- > 0 && f->race.a == PF_NONE;) {
        bool a = is_like(t, i, race, race->a), b = is_like(t, i, race, race->b);
        if (!a && !b)
            continue;
        bool other = later != PF_NONE && t->events.at[i].thread != t->events.at[later].thread;
        bool pair = other && ((a && is_like(t, later, race, race->b)) ||
                              (b && is_like(t, later, race, race->a)));
        if (pair && !number--) {
            f->race.a = i;
            f->race.b = later;
        }
        later = i;
    }
    return run_both(f);
}

/* --- comparison --- */

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

bool pf_flip_back_heals(const struct pf_flip_back *f, const struct pf_judge_run *run)
{
    return pf_judge_runs_failed(&f->runs, false, run) && !*f->runs.at.at[1].failure &&
           !f->runs.at.at[1].run.order.limited;
}

bool pf_flip_back_matters(const struct pf_flip_back *f, const struct pf_judge_run *run)
{
    const struct pf_judge_run *again = &f->runs.at.at[0], *back = &f->runs.at.at[1];
    if (*again->failure || *back->failure || again->run.order.limited || back->run.order.limited ||
        again->run.events != back->run.events || /* more than the order differs */
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
