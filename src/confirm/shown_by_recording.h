/*
 * shown_by_recording.h - races that happened in the recording itself, and that no try has shown.
 *
 * Model:   two accesses that the recorded run does not order are a race of that run, whether or not
 *          another schedule can make them adjacent: a schedule may be rejected because of what
 *          calls of code without events may do, and a try may diverge. The recording is the clip of
 *          such a race, once its replay has shown what was recorded.
 * Memory:  findings are allocated in the job's pool.
 */
#ifndef PF_CONFIRM_SHOWN_BY_RECORDING_H
#define PF_CONFIRM_SHOWN_BY_RECORDING_H

#include "candidates_to_try.h"

/* Adds the races that the job's analyses observed in the recording. Those that are candidates
 * already are marked. Call this after all other candidates were added. */
void pf_shown_by_recording_add(struct pf_candidates *c, struct pf_predict_job *j);
/* Completes the marked candidates that did not happen in a try: replays the recording once, and
 * searches for the harm of these races for at most harm_ms (0: no limit). Nothing is done if there
 * are none. `should_stop` is polled. */
void pf_shown_by_recording_confirm(struct pf_candidates *c, struct pf_predict_job *j,
                                   uint64_t harm_ms, bool (*should_stop)(void *), void *arg);

#endif
