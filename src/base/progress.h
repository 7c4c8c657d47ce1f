/*
 * progress.h - a progress line on standard error, shown only on a terminal.
 *
 * Threads: one.
 */
#ifndef PF_BASE_PROGRESS_H
#define PF_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct pf_progress {
    bool on, shown;
    /* `first`: units done before the start; excluded from the estimate of the remaining time */
    uint64_t began_ns, first;
};

void pf_progress_init(struct pf_progress *p, uint64_t done);
/* Redraws the line. `what` describes the current work. */
void pf_progress_show(struct pf_progress *p, uint64_t done, uint64_t wanted, uint64_t findings,
                      uint64_t failed, const char *what);
/* Removes the line, so that a message can be printed. */
void pf_progress_clear(struct pf_progress *p);

#endif
