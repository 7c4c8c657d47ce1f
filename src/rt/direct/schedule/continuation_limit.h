/*
 * continuation_limit.h - the time limit of a continuation, in fair time (src/clip/fair_time.h): it
 * does not depend on what else runs on the machine.
 *
 * Threads: the trunk, which has only one.
 */
#ifndef PF_RT_CONTINUATION_LIMIT_H
#define PF_RT_CONTINUATION_LIMIT_H

#include "fair_time.h"

struct pf_continuation_limit {
    struct pf_fair_time time;
    uint64_t most_ms;
};

void pf_continuation_limit_begin(struct pf_continuation_limit *l, uint64_t most_ns);
/* The nanoseconds that are left for the process; 0: none. */
uint64_t pf_continuation_limit_left(struct pf_continuation_limit *l, long pid);

#endif
