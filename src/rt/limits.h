/*
 * limits.h - counts what the runtime loses at its limits. Losses are never hidden: a count above
 * zero makes the result of the run "incomplete".
 *
 * Threads: any, lock-free.
 */
#ifndef PF_RT_LIMITS_H
#define PF_RT_LIMITS_H

#include <stdint.h>

enum pf_limit {
#define PF_LIMIT(name, one, many, text) PF_LIMIT_##name,
#include "limits.def"
#undef PF_LIMIT
    PF_LIMITS
};

extern uint64_t pf_limit_count[PF_LIMITS];
extern const struct pf_limit_text {
    const char *one, *many; /* for a count of 1; for other counts */
} pf_limit_text[PF_LIMITS];

static inline void pf_limit_hit(enum pf_limit l)
{
    __atomic_fetch_add(&pf_limit_count[l], 1, __ATOMIC_RELAXED);
}

#endif
