/*
 * narrative.h - a finding as a sequence of steps: who starts whom, which locks are taken, who touches what.
 *
 * Model:   one linear order that agrees with all that is known. For a race: the threads' creations in
 *          their order, then what the first thread does, then the second. That is a possible order because
 *          nothing orders the two accesses: whatever comes before one of them cannot come after the
 *          other. With `swapped` the two accesses change places, which is as possible. Any other anomaly
 *          tells its accesses in the order that makes it one.
 * Memory:  the caller's pool; strings are the finding's.
 */
#ifndef PF_CLI_STORY_H
#define PF_CLI_STORY_H

#include "finding.h"
#include "pool.h"
#include "textbuf.h"

enum pf_step_kind { PF_STEP_CREATE, PF_STEP_LOCK, PF_STEP_ACCESS };

struct pf_step {
    enum pf_step_kind kind;
    uint32_t thread;
    uint32_t other;               /* CREATE: the new thread */
    const struct pf_lock *lock;   /* LOCK */
    const struct pf_access *access; /* the access it belongs to; ACCESS: itself */
    size_t number;                /* of that access in the finding */
    const struct pf_trail *trail;
};

struct pf_story {
    struct pf_step *at;
    size_t n;
};

/* n is 0 when out of memory. */
struct pf_story pf_story_of(const struct pf_finding *f, bool swapped, struct pf_pool *pool);
/* One step in words: "writes 8 bytes, tally". */
void pf_step_text(struct pf_text *t, const struct pf_finding *f, const struct pf_step *s);
/* "the main thread", "thread T2", "thread T2 'worker'" */
void pf_thread_text(struct pf_text *t, const struct pf_finding *f, uint32_t number);
/* What the accesses touch: the variable, or the memory. */
void pf_memory_text(struct pf_text *t, const struct pf_finding *f);
/* Which of the two accesses of a race stands first: by place, not by which came first in this run, so
 * that reports of different runs agree. */
size_t pf_finding_first(const struct pf_finding *f);
/* "data race on 'x' between f (a.c:1) and g (a.c:2)"; others: "...: f (a.c:1), g (a.c:2), f (a.c:3)" */
void pf_finding_title(struct pf_text *t, const struct pf_finding *f);

#endif
