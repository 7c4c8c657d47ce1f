/*
 * check_load.h - reads the results of checks from their folders as findings, for reports.
 *
 * Model:   the logs of free runs are read first, then the documents of the other steps, then the
 *          reports of other tools: of findings with the same fingerprint the stacks of the first
 *          one are kept, and those of free runs are the most complete. A check is left out if any
 *          later check of the same command has another build: its program was replaced. (Of builds
 *          A, B, A, the first check is left out.)
 * Memory:  allocated in the pool of the findings.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_CHECK_CHECK_LOAD_H
#define PF_CHECK_CHECK_LOAD_H

#include "check_folder.h"
#include "findings.h"

/* Adds the results of one check. */
PF_MUST_USE pf_status pf_check_load(struct pf_findings *f, const char *folder, struct pf_error *e);
/* Adds the results of all checks of a state folder, which may have none. */
PF_MUST_USE pf_status pf_check_load_all(struct pf_findings *f, const char *state,
                                        struct pf_error *e);

#endif
