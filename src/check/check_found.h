/*
 * check_found.h - the findings of a running check so far: for progress messages, and to decide the
 * next step.
 *
 * Model:   the merged findings of all steps (findings.h), and for each the program that has seen
 *          it. The findings of a step are first written into the check's folder (found/N.json) and
 *          then read from there, as any later reader does.
 * Memory:  its own pool.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_CHECK_CHECK_FOUND_H
#define PF_CHECK_CHECK_FOUND_H

#include "check_chain.h"
#include "findings.h"
#include "program_options.h"
#include "suppress.h"
#include "vector.h"

struct pf_check_found {
    struct pf_findings all;
    PF_VEC(size_t) origins; /* in the order of `all`: the test that has seen it first */
    PF_VEC(struct pf_chain_target) targets, races; /* as in struct pf_chain_wanted */
    size_t confirmed, harmful, observed; /* counts */
    size_t unjudged; /* confirmed races that are not judged */
    size_t unjudged_test; /* a test that has seen one of them */
    /* for steps in directed mode; in free runs, the runtime applies them */
    struct pf_suppressions suppressions;
    /* per test, as its free runs have logged them */
    PF_VEC(struct pf_program_options) options;
};

void pf_check_found_init(struct pf_check_found *f);
void pf_check_found_release(struct pf_check_found *f);

/* Reads a suppressions file. Matching findings are dropped. */
PF_MUST_USE pf_status pf_check_found_read_suppressions(struct pf_check_found *f, const char *path,
                                                       struct pf_error *e);
/* Adds the findings of a step to `f`. *news: a finding is new, newly confirmed or newly harmful.
 * The counts of the line are filled in. */
PF_MUST_USE pf_status pf_check_found_take(struct pf_check_found *f,
                                          const struct pf_check_folder *folder,
                                          struct pf_check_line *line, bool *news,
                                          struct pf_error *e);
/* Adds the reports of another tool as candidates. */
PF_MUST_USE pf_status pf_check_found_foreign(struct pf_check_found *f, const char *path,
                                             struct pf_error *e);
/* Reads the findings of all these steps again from the folder, to continue a check. */
PF_MUST_USE pf_status pf_check_found_reload(struct pf_check_found *f,
                                            const struct pf_check_folder *folder,
                                            const struct pf_check_lines *lines, struct pf_error *e);
/* The exit status if there are findings: the option `exitcode` of the first program whose free run
 * has logged it, otherwise PF_EXIT_FOUND. 0: findings do not change the exit status. */
int pf_check_found_status(const struct pf_check_found *f);
/* Writes the ids of confirmed findings, one per line, for pf hatch --known. */
PF_MUST_USE pf_status pf_check_found_write_known(const struct pf_check_found *f, const char *path,
                                                 struct pf_error *e);

/* True if a step of this kind writes a document of findings. */
bool pf_check_has_document(const struct pf_check_line *line);

#endif
