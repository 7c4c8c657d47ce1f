/*
 * candidates_to_try.h - findings that are not confirmed yet, each with the schedules to try.
 *
 * Model:   a candidate starts with one schedule, or with several if several analyses found it. When
 *          the run diverges from a schedule, the next one is tried: first those that are already
 *          known, then one from the maximal-causality engine with the same events, then schedules
 *          with other events of the same code. No schedule is tried twice, and no further
 *          ones are searched for once there are PF_SCHEDULES_MAX.
 * Memory:  release frees everything; findings are allocated in the job's pool.
 * Errors:  out of memory ends the process.
 */
#ifndef PF_CONFIRM_CANDIDATES_TO_TRY_H
#define PF_CONFIRM_CANDIDATES_TO_TRY_H

#include "predicted_finding.h"
#include "status.h"
#include "try_one.h"

#define PF_SCHEDULES_MAX 6

struct pf_candidate {
    struct pf_finding f;
    PF_VEC(struct pf_try_schedule) schedules; /* each owns its order */
    /* index of the schedule being tried, or that succeeded; number of schedules tried */
    size_t current, tried;
    uint32_t pattern; /* index of the job's pattern; PF_NONE: not found by a pattern */
    uint32_t margin; /* largest margin that the solver was asked with; 0: none yet */
    bool searched; /* other events were searched for */
    /* a race that happened in the recording: its place in the results of the job */
    bool is_observed;
    size_t observed_analysis, observed_race;
    bool is_shown_by_recording; /* the clip is the recording (shown_by_recording.h) */
    struct pf_try_result result;
    char *clip;
};

struct pf_candidates {
    PF_VEC(struct pf_candidate) at;
    const char *known; /* ids that need no try, one per line; NULL: none */
};

void pf_candidates_release(struct pf_candidates *c);
/* The candidate with this id; NULL: none. */
struct pf_candidate *pf_candidates_find(const struct pf_candidates *c, uint64_t id);
/* Adds what the job's analyses predict; with_observed: also the races that they observed, without a
 * schedule. */
void pf_candidates_add_predicted(struct pf_candidates *c, struct pf_predict_job *j,
                                 bool with_observed);
/* Adds a candidate, or a further schedule of a known one. The order of `schedule` is copied. */
void pf_candidates_add(struct pf_candidates *c, const struct pf_finding *f,
                       const struct pf_try_schedule *schedule, uint32_t pattern);
/* Advances each candidate that did not happen to its next schedule. Returns the number of
 * candidates that have one. */
size_t pf_candidates_next_schedules(struct pf_candidates *c, struct pf_predict_job *j,
                                    struct pf_stop *stop);

#endif
