/*
 * check_progress.h - what a check does and has found, on standard error: one line that changes on a terminal, a
 * line for each new finding elsewhere.
 */
#ifndef PF_CLI_CHECK_PROGRESS_H
#define PF_CLI_CHECK_PROGRESS_H

#include "check_loop.h"

struct pf_check_progress {
    bool on, quiet, shown;
    size_t told, confirmed; /* findings that were told; confirmed then */
};

void pf_check_progress_init(struct pf_check_progress *p, bool quiet);
/* Draws the line anew; `what` may be NULL. */
void pf_check_progress_show(struct pf_check_progress *p, const struct pf_check_work *w,
                            const struct pf_check_line *what, uint64_t spent_ms, uint64_t time_ms,
                            bool stopping);
void pf_check_progress_clear(struct pf_check_progress *p);
/* A step has ended: what it brought. */
void pf_check_progress_ended(struct pf_check_progress *p, const struct pf_check_work *w,
                             const struct pf_check_line *line, bool news);
/* "running freely", "recording under pct:1,3": into `to`. */
void pf_check_step_words(char *to, size_t room, const struct pf_check_line *l);

#endif
