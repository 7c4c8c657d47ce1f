/* order_together.c - see order_together.h. */
#include "order_together.h"
#include <stdlib.h>

#define PRIORITIES 4 /* assignments of priorities that are tried */

static bool is_usable(const struct pf_judge_run *r)
{
    return r->run.ran && pf_order_run_enforced(&r->run) && !r->run.order.limited;
}

static bool differ(const struct pf_judge_run *x, const struct pf_judge_run *y)
{
    if (!is_usable(x) || !is_usable(y) || (*x->failure && *y->failure))
        return false;
    return *x->failure || *y->failure ||
           (!pf_judge_runs_same(x, y) && !pf_run_output_permuted(&x->output, &y->output));
}

bool pf_order_together_differs(struct pf_order_together *o, const struct pf_judge_settings *how,
                               const struct pf_judge_case *race)
{
    struct pf_judge_wish wishes[] = {
        {.together = true, .n = PRIORITIES, .seed = 1},
        {.together = true, .alternate = true, .n = PRIORITIES, .seed = 1}};
    struct pf_error e;
    *o =
        (struct pf_order_together){.race = *race, .name = pf_mem_format("%s.together", race->name)};
    o->race.name = o->name;
    o->runs = (struct pf_judge_runs){.how = how, .race = &o->race, .hold_from = PF_NONE};
    if (pf_judge_runs_add(&o->runs, wishes, 2, &e) != PF_OK)
        return false;
    for (unsigned i = 0; i < PRIORITIES; i++) {
        const struct pf_judge_run *at = o->runs.at.at;
        size_t again = o->runs.at.len;
        if (!differ(&at[i], &at[PRIORITIES + i]))
            continue;
        struct pf_judge_wish wish = {.together = true, .n = 1, .seed = 1 + i};
        if (pf_judge_runs_add(&o->runs, &wish, 1, &e) != PF_OK)
            return false;
        at = o->runs.at.at; /* the list may have moved */
        o->primary = &at[i];
        o->alternate = &at[PRIORITIES + i];
        o->fails = *o->primary->failure || *o->alternate->failure;
        return is_usable(&at[again]) && !*at[again].failure == !*at[i].failure &&
               pf_judge_runs_same(&at[i], &at[again]);
    }
    return false;
}

void pf_order_together_release(struct pf_order_together *o)
{
    pf_judge_runs_clear(&o->runs);
    free(o->name);
}
