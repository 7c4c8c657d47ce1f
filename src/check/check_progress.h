/*
 * check_progress.h - shows on standard error what a check does and has found, unless it is quiet:
 * on a terminal, a status line that is updated; on all outputs, a line for each step that has ended
 * with news (a finding is new, newly confirmed or newly harmful), and one for each that had
 * trouble. The status line has the number of schedules, of new behaviours per minute, and of open
 * targets: races that are not confirmed, recordings that are still to be searched
 * (pf_chain_count_open), and targets of the systematic search.
 */
#ifndef PF_CHECK_CHECK_PROGRESS_H
#define PF_CHECK_CHECK_PROGRESS_H

#include "check_loop.h"

#define PF_CHECK_RATE_SAMPLES 12
#define PF_CHECK_RATE_STEP_MS 5000

struct pf_check_progress {
    bool on, quiet, shown;
    /* how many behaviours there were at these times, for the rate of the last minute; a ring */
    struct {
        uint64_t ms, behaviours;
    } sample[PF_CHECK_RATE_SAMPLES];
    size_t samples;
};

void pf_check_progress_init(struct pf_check_progress *p, bool quiet);
/* Redraws the status line; `what` may be NULL. */
void pf_check_progress_show(struct pf_check_progress *p, const struct pf_check_work *w,
                            const struct pf_check_line *what, uint64_t spent_ms, uint64_t time_ms,
                            bool stopping);
void pf_check_progress_clear(struct pf_check_progress *p);
/* Reports what a step that has ended has found. */
void pf_check_progress_ended(struct pf_check_progress *p, const struct pf_check_work *w,
                             const struct pf_check_line *line, bool news);
/* Writes a description of the step: "running freely", "recording under pct:1,3". */
void pf_check_step_describe(char *to, size_t room, const struct pf_check_line *l);

#endif
