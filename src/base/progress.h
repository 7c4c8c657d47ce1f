/*
 * progress.h - one line on standard error that says how far things are; only on a terminal.
 *
 * Threads: one.
 */
#ifndef PF_CLI_PROGRESS_H
#define PF_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct pf_progress {
    bool on, shown;
    uint64_t began_ns, first; /* done before we began: says nothing about how fast we are */
};

void pf_progress_init(struct pf_progress *p, uint64_t done);
/* Draws the line anew. `what` is what is going on. */
void pf_progress_show(struct pf_progress *p, uint64_t done, uint64_t wanted, uint64_t findings,
                      uint64_t failed, const char *what);
/* Takes the line away, so that a message can be printed. */
void pf_progress_clear(struct pf_progress *p);

#endif
