/*
 * region_end.h - where a region of a candidate begins, and where it ends in another run.
 *
 * Model:   a region is found again by its thread and the number of its first event: up to that
 *          event, the run has followed the recording. A critical section ends when the thread has
 *          released what it acquired in it, or where it waits, notifies, forks or joins. A check
 *          and its act end with the section of the act, or, if the act does not happen, where the
 *          thread leaves the function.
 */
#ifndef PF_CONFIRM_REGION_END_H
#define PF_CONFIRM_REGION_END_H

#include "pecan/search.h"

struct pf_region_span {
    uint32_t thread; /* number of the thread in recordings */
    uint32_t begin;  /* its first event in the trace; of a check: acquire of the lock around it */
    uint32_t end;    /* its last event in the trace; of an act: the release after it */
    uint32_t check, act; /* PF_NONE: a critical section or a single access */
    uint32_t activation; /* depth of the activation of check and act */
};

void pf_region_span_init(struct pf_region_span *s, const struct pf_trace *t,
                         const struct pf_match_region *r);
/* The last event of the region in `now`, another run; PF_NONE: the region is not in it. */
uint32_t pf_region_span_end(const struct pf_region_span *s, const struct pf_trace *t,
                            const struct pf_trace *now);
/* The event of `now` that corresponds to an event of `t`: the same thread, number and code;
 * PF_NONE: none. */
uint32_t pf_region_find_event(const struct pf_trace *t, uint32_t event, const struct pf_trace *now);

#endif
