/*
 * schedule_step.h - describes a schedule, or the recording, step by step: which thread did what,
 * with which value, and which thread the value came from.
 *
 * Model:   a schedule is the trace up to `start`, then the events of `order`. Following it gives
 *          the last write of each cell, and with it the value that a read sees. A thread that has
 *          read another value than in the trace may store other values from then on; those are left
 *          unknown. `from` of a step is the write by another thread that a read sees, or the holder
 *          of the lock that the thread waits for.
 * Memory:  from the job's pool. The table of writes is built once per trace in O(events);
 *          describing a schedule is linear in its length.
 */
#ifndef PF_CONFIRM_SCHEDULE_STEP_H
#define PF_CONFIRM_SCHEDULE_STEP_H

#include "predicted_finding.h"

struct pf_described_schedule {
    uint32_t start, norder;
    const uint32_t *order;
    const uint32_t *marked; /* the finding's events, in their order */
    unsigned n;
    bool marked_follow; /* they are not in `order` but follow it */
    bool stuck; /* they follow it, and wait for each other for ever (deadlock) */
};

/* Sets f->witness to the last steps of the schedule. */
void pf_schedule_steps_witness(struct pf_predict_job *j, struct pf_finding *f,
                               const struct pf_described_schedule *s);
/* Sets f->recorded to the events in their recorded order, each preceded by what the threads
 * involved did just before. */
void pf_schedule_steps_recorded(struct pf_predict_job *j, struct pf_finding *f,
                                const uint32_t *marked, unsigned n);

#endif
