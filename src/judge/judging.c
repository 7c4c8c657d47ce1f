/* judging.c - see judging.h. */
#include "judging.h"
#include <stdarg.h>
#include <stdio.h>

void pf_judging_decide(struct pf_judging *j, enum pf_judge_class class, const char *format, ...)
{
    va_list args;
    j->out->class = class;
    va_start(args, format);
    vsnprintf(j->out->reason, sizeof j->out->reason, format, args);
    va_end(args);
}

uint32_t pf_judging_thread(const struct pf_judging *j, uint32_t event)
{
    const struct pf_trace *t = j->race->t;
    return t->recorded.thread.at[t->events.at[event].thread];
}

const struct pf_judge_run *pf_judging_run(const struct pf_judging *j, size_t i)
{
    return &j->g.at.at[i];
}

bool pf_judging_usable(const struct pf_judge_run *r)
{
    return r->run.ran && pf_order_run_enforced(&r->run);
}

/* Run 1 is the alternate order along the recorded schedule. If the order could not be enforced
 * there (perhaps the thread waited for a third one), but could under a random schedule, the two
 * runs change places. */
void pf_judging_choose_alternate(struct pf_judging *j)
{
    struct pf_judge_run *at = j->g.at.at;
    for (size_t i = 2; i < j->g.at.len && !pf_judging_usable(&at[1]); i++)
        if (at[i].run.alternate && pf_judging_usable(&at[i])) {
            struct pf_judge_run other = at[1];
            at[1] = at[i];
            at[i] = other;
        }
}

pf_status pf_judging_run_orders(struct pf_judging *j, struct pf_error *e)
{
    struct pf_judge_wish wishes[] = {
        {.recorded = true, .n = 1},
        {.alternate = true, .recorded = true, .n = 1},
        {.n = j->how->as_paper || !j->how->control ? 0 : j->how->schedules, .seed = 1},
        {.alternate = true, .n = j->how->schedules, .seed = 1},
    };
    pf_status s = pf_judge_runs_add(&j->g, wishes, sizeof wishes / sizeof *wishes, e);
    if (s == PF_OK && !j->how->as_paper)
        pf_judging_choose_alternate(j);
    return s;
}
