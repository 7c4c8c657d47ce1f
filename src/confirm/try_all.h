/*
 * try_all.h - all candidates of a recording tried: together where they begin alike (try_shared.h), the
 * rest one by one, several at a time.
 *
 * Model:   tries run in processes of their own and write their results into shared memory. An interrupt
 *          (search_stop.h) or the limit ends what runs; what was not decided until then is unknown.
 * Memory:  candidates and names are the caller's; results live until release.
 * Errors:  run complains and returns an exit status.
 */
#ifndef PF_CLI_HATCH_RUN_H
#define PF_CLI_HATCH_RUN_H

#include "try_one.h"
#include <sys/types.h>

struct pf_hatch_item {
    const struct pf_hatch *h;
    const char *clip; /* where it goes if it happened */
    struct pf_hatch_result *result; /* set by run, until release */
    pid_t pid; /* 0: not running */
};

struct pf_hatch_run {
    const struct pf_trace *t;
    const struct pf_clip *recording;
    const char *folder; /* for the clips: made if need be */
    unsigned long jobs;
    uint64_t limit_ms; /* for all of it; 0: none */
    bool apart; /* each from the beginning */
    bool harm_unasked; /* whether it happens is enough */
    int input; /* of run: the recording's standard input; -1: none */
    struct pf_hatch_item *items;
    size_t n;
    struct pf_hatch_result *results;
    uint64_t began; /* 0: with the first run */
};

int pf_hatch_run(struct pf_hatch_run *r);
/* Takes the results; the items are the caller's. */
void pf_hatch_run_release(struct pf_hatch_run *r);
/* Interrupted, or the time is up: nothing more is tried. */
bool pf_hatch_run_over(const struct pf_hatch_run *r);

static inline bool pf_hatch_happened(const struct pf_hatch_result *x)
{
    return x->verdict == PF_HATCHED_REAL || x->verdict == PF_HATCHED_ERROR;
}

#endif
