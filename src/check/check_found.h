/*
 * check_found.h - what a check has found so far, while it goes on: for progress, and for what to do next.
 *
 * Model:   the findings of all steps as one (findings.h); of each, which program has seen it. What a step
 *          made is first written into the check's folder (found/N.json), then taken from there, as any
 *          later reader does.
 * Memory:  its own pool.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_CLI_CHECK_FOUND_H
#define PF_CLI_CHECK_FOUND_H

#include "check_chain.h"
#include "findings.h"
#include "suppress.h"

struct pf_check_found {
    struct pf_findings all;
    struct pf_check_origin *origins; /* by the order of `all` */
    size_t norigins, caporigins;
    struct pf_chain_target *targets;
    size_t ntargets;
    size_t confirmed, harmful, observed; /* how many */
    struct pf_suppressions hidden;       /* free runs know them by themselves */
};

void pf_check_found_init(struct pf_check_found *f);
void pf_check_found_release(struct pf_check_found *f);

/* Findings that the file describes are not taken. */
PF_MUST_USE pf_status pf_check_found_hide(struct pf_check_found *f, const char *path,
                                          struct pf_error *e);
/* What the step left, into `f`. *news: a finding is new or newly confirmed. The line gets its counts. */
PF_MUST_USE pf_status pf_check_found_take(struct pf_check_found *f,
                                          const struct pf_check_folder *folder,
                                          struct pf_check_line *line, bool *news,
                                          struct pf_error *e);
/* The reports of another tool: candidates. */
PF_MUST_USE pf_status pf_check_found_foreign(struct pf_check_found *f, const char *path,
                                             struct pf_error *e);
/* The same from what the folder has: a check that goes on. */
PF_MUST_USE pf_status pf_check_found_again(struct pf_check_found *f,
                                           const struct pf_check_folder *folder,
                                           const struct pf_check_lines *lines, struct pf_error *e);
/* The ids of what is confirmed, one a line, for pf hatch --known. */
PF_MUST_USE pf_status pf_check_found_known(const struct pf_check_found *f, const char *path,
                                           struct pf_error *e);

#endif
