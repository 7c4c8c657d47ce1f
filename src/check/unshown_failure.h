/*
 * unshown_failure.h - failures of the checked program that no replay has shown.
 *
 * Model:   the end of a recording or of a free run says that the program failed. If a
 *          replay has already shown this failure, as a finding with a stack, nothing is added. Two
 *          failures are the same if kind and signal are, and the stack, as far as it is known.
 * Memory:  from the pool of the findings.
 */
#ifndef PF_CHECK_UNSHOWN_FAILURE_H
#define PF_CHECK_UNSHOWN_FAILURE_H

#include "findings.h"

struct pf_unshown_failure {
    enum pf_kind kind;
    int signal; /* 0: it did not die of one */
    const char *stack; /* as in pf_clip_end.failure, without the thread; "": unknown */
    const char *clip; /* the recording; NULL: it was a free run */
    struct pf_finding *finding; /* made for it */
    struct pf_unshown_failure *next;
};

/* True if the crash of a free run is a free that a replay has shown to be the second one of its
 * block: the C library ends the program there, with SIGABRT. */
bool pf_crash_is_double_free(const struct pf_findings *f, const struct pf_finding *crash);
/* Adds a finding, unless there is one for this failure. `list` has the failures that were added
 * before. */
void pf_unshown_failure_add(struct pf_findings *f, struct pf_unshown_failure **list,
                            const struct pf_unshown_failure *x, const char *harm);

#endif
