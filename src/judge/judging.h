/*
 * judging.h - what the parts of the judgement of one race share (judge.c, impossible_order.c).
 */
#ifndef PF_JUDGE_JUDGING_H
#define PF_JUDGE_JUDGING_H

#include "judge_runs.h"

struct pf_judging {
    const struct pf_judge_settings *how;
    struct pf_judge_settings lenient; /* *how without requirements that both orders violate */
    struct pf_judge_case own; /* a copy of the case; its `unsteady` may grow */
    const struct pf_judge_case *race; /* &own */
    struct pf_judge_runs g;
    struct pf_verdict *out;
    bool stuck; /* further runs of an order could not be made */
    bool repeated; /* the primary order was run again, to set `varies` */
    /* the output differs between runs of the primary order along the recorded schedule */
    bool varies;
    uint64_t polled; /* address of the variable whose polling orders the accesses; 0: none */
};

/* Sets the class and the reason. */
void pf_judging_decide(struct pf_judging *j, enum pf_judge_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The number of the event's thread in the recording. */
uint32_t pf_judging_thread(const struct pf_judging *j, uint32_t event);
const struct pf_judge_run *pf_judging_run(const struct pf_judging *j, size_t i);
/* True if it ran, with the accesses in the wanted order. */
bool pf_judging_usable(const struct pf_judge_run *r);
/* Makes the first runs of both orders: run 0 is the primary, run 1 the alternate order along the
 * recorded schedule. If the order could be reversed only under a random schedule, that run takes
 * the place of run 1. */
PF_MUST_USE pf_status pf_judging_run_orders(struct pf_judging *j, struct pf_error *e);
void pf_judging_choose_alternate(struct pf_judging *j);

#endif
