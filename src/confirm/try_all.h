/*
 * try_all.h - tries all candidates of a recording: those with a common prefix together
 * (try_shared.h), the rest one by one, several in parallel. Interleavings of inferred regions that
 * happened are then compared with the serial orders (serial_orders.h); and for each failure it is
 * determined whether it belongs to the candidate (harm_cause.h).
 *
 * Model:   tries run in processes of their own and write their results into shared memory. A signal
 *          (search_stop.h) or the time limit stops the running ones; candidates undecided by then
 *          are unknown. The clip of every candidate that happened is then replayed from scratch
 *          (verify_clip.h); the time for that is reserved within the limit.
 * Memory:  candidates and names belong to the caller; results live until release.
 * Errors:  pf_try_all returns the status, with the message in *e.
 */
#ifndef PF_CONFIRM_TRY_ALL_H
#define PF_CONFIRM_TRY_ALL_H

#include "try_one.h"

struct pf_try_item {
    const struct pf_try_schedule *h;
    const char *clip; /* path of the clip, written if it happens */
    struct pf_try_result *result; /* set by pf_try_all, valid until release */
    /* set by pf_try_all: it was tried alone; its result is final; its clip was replayed */
    bool tried, decided, replayed;
    /* done or not needed: the comparison with the serial orders of its regions (serial_orders.h);
     * the search for the cause of its failure (harm_cause.h) */
    bool compared, examined;
};

struct pf_try_all {
    const struct pf_trace *t;
    const struct pf_clip *recording;
    const char *folder; /* for the clips; must exist */
    unsigned jobs;
    uint64_t limit_ms; /* for all tries; 0: none */
    bool one_by_one; /* run each candidate separately, from the beginning */
    /* set by pf_try_all: it now searches for the causes of failures, and compares with the serial
     * orders */
    bool comparing;
    bool skip_harm; /* only find out whether the candidates happen */
    int input; /* set by pf_try_all: the standard input of the tries; -1: none */
    char input_path[40];
    struct pf_try_item *items;
    size_t n;
    struct pf_try_result *results;
    uint64_t began; /* start time; 0: set by pf_try_all */
    uint64_t replay_ms; /* about how long one replay takes; 0: unknown */
    size_t started; /* candidates of a shared run whose results are not known yet */
};

PF_MUST_USE pf_status pf_try_all(struct pf_try_all *r, struct pf_error *e);
/* Frees the results; the items belong to the caller. */
void pf_try_all_release(struct pf_try_all *r);
/* True if a signal or the time limit stops further tries. */
bool pf_try_all_stopped(const struct pf_try_all *r);

static inline bool pf_try_happened(const struct pf_try_result *x)
{
    return x->verdict == PF_TRY_REAL || x->verdict == PF_TRY_ERROR;
}

#endif
