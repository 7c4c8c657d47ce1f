/*
 * order_together.h - compares runs in which nothing happens between the two accesses.
 *
 * Model:   both threads run until their accesses are next; up to there, the runs of both orders are
 *          the same. Then the two accesses happen in one of the orders. After them, threads have
 *          fixed priorities, which are the same in both runs. So the runs differ in nothing but the
 *          order, and if they print different things, the order is the cause. Several priorities
 *          are tried. This also works if the order changes which code runs afterwards.
 * Memory:  release frees the runs and removes their clips, except those that were moved.
 */
#ifndef PF_JUDGE_ORDER_TOGETHER_H
#define PF_JUDGE_ORDER_TOGETHER_H

#include "judge_runs.h"

struct pf_order_together {
    struct pf_judge_case race;
    struct pf_judge_runs runs;
    char *name;
    /* the runs that differ: */
    const struct pf_judge_run *primary, *alternate;
    bool fails; /* one of them fails */
};

/* True if the results of the two orders differ: only one of the runs fails, or they print different
 * things, and not only the same lines in another order. A second run of the primary order must
 * agree with the first one. Release in any case. */
bool pf_order_together_differs(struct pf_order_together *o, const struct pf_judge_settings *how,
                               const struct pf_judge_case *race);
void pf_order_together_release(struct pf_order_together *o);

#endif
