/*
 * schedule_step.h - a schedule, or the recording, told step by step: who did what, with which value, and where the
 * value came from.
 *
 * Model:   a schedule is the trace up to `start`, then the events of `order`. Along it the last write of each cell
 *          is known, so is what a read sees. A thread that has seen another value than it did in the trace may
 *          store other values from there on: those are not told. `from` of a step is the write of another
 *          thread that a read sees, or who holds the lock that a thread waits for.
 * Memory:  the job's pool. What is known of writes is made once for a trace, O(events); a schedule costs its length.
 * Errors:  out of memory: there are no steps.
 */
#ifndef PF_CLI_PREDICT_MOMENT_H
#define PF_CLI_PREDICT_MOMENT_H

#include "predicted_finding.h"

struct pf_told {
    uint32_t start, norder;
    const uint32_t *order;
    const uint32_t *marked; /* the events of the finding, in their order */
    unsigned n;
    bool apart; /* they are not in `order` but come behind it */
    bool stuck; /* they wait for each other behind it, for ever */
};

/* The last steps of the schedule become f->witness. */
void pf_moments_schedule(struct pf_predict_job *j, struct pf_finding *f, const struct pf_told *s);
/* The events as the recording has them, each with what its threads did just before, become f->recorded. */
void pf_moments_recorded(struct pf_predict_job *j, struct pf_finding *f, const uint32_t *marked,
                         unsigned n);

#endif
