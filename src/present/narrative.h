/*
 * narrative.h - a finding as a sequence of steps: threads that are created, locks that are taken,
 * accesses.
 *
 * Model:   one linear order that is consistent with what is known. For a race: the creations of the
 *          threads in their order, then what the first thread does, then the second. That order is
 *          possible because nothing orders the two accesses: each thread can do what must come
 *          before its own access without waiting for the other access. With `swapped` the two
 *          accesses are exchanged, which is equally possible. For any other anomaly the accesses
 *          are in the order in which they form it.
 * Memory:  from the caller's pool; strings belong to the finding.
 */
#ifndef PF_PRESENT_NARRATIVE_H
#define PF_PRESENT_NARRATIVE_H

#include "finding.h"
#include "pool.h"
#include "textbuf.h"

enum pf_narrative_step_kind { PF_NARRATIVE_CREATE, PF_NARRATIVE_LOCK, PF_NARRATIVE_ACCESS };

struct pf_narrative_step {
    enum pf_narrative_step_kind kind;
    uint32_t thread;
    uint32_t other;               /* CREATE: the new thread */
    const struct pf_lock *lock;   /* LOCK */
    const struct pf_access *access; /* the access that the step belongs to */
    size_t number;                /* index of that access in the finding */
    const struct pf_backtrace *stack;
};

struct pf_narrative {
    struct pf_narrative_step *at;
    size_t n;
};

struct pf_narrative pf_narrative_of(const struct pf_finding *f, bool swapped, struct pf_pool *pool);
/* Describes one step: "writes 8 bytes of 'tally'". */
void pf_narrative_step_text(struct pf_text *t, const struct pf_finding *f,
                            const struct pf_narrative_step *s);
/* Writes "the main thread", "thread T2" or "thread T2 'worker'". */
void pf_thread_text(struct pf_text *t, const struct pf_finding *f, uint32_t number);
/* Describes the memory that is accessed: the variable, or its kind. */
void pf_memory_text(struct pf_text *t, const struct pf_finding *f);
/* Index of the access that is listed first. In a race, source positions decide and not which
 * access happened first in this run, so that reports of different runs agree. In a memory error, it
 * is the wrong access. */
size_t pf_finding_first(const struct pf_finding *f);
/* Writes "data race on 'x' between f (a.c:1) and g (a.c:2)"; for other kinds "...: f (a.c:1), g
 * (a.c:2), f (a.c:3)". */
void pf_finding_title(struct pf_text *t, const struct pf_finding *f);

/* The words for the stage of a finding in texts, such as "a free run" for the stage `run`. JSON
 * documents contain the name of the stage, and that of the analysis. */
const char *pf_stage_words(const char *stage);

#endif
