/*
 * check_load.h - what checks have left in their folders, as findings for reports.
 *
 * Model:   logs of free runs, then documents of the other steps, then the reports of other tools: of findings with
 *          one fingerprint the first one's stacks are kept, and those of free runs know most. Of several checks
 *          of one command, those of another build than the last one's are left out: they tell of a program that
 *          is gone.
 * Memory:  the pool of the findings.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_CLI_CHECK_LOAD_H
#define PF_CLI_CHECK_LOAD_H

#include "check_folder.h"
#include "findings.h"

/* One check. */
PF_MUST_USE pf_status pf_check_load(struct pf_findings *f, const char *folder, struct pf_error *e);
/* All checks of a state folder; fine when there are none. */
PF_MUST_USE pf_status pf_check_load_all(struct pf_findings *f, const char *state,
                                        struct pf_error *e);

/* How a check ended, in the file `end` of its folder; without it, it was cut off. */
#define PF_CHECK_END "end"
#define PF_CHECK_END_DONE "done"   /* the chain came to its end, or the time was up */
#define PF_CHECK_END_EARLY "early" /* the time was up in the first round */
#define PF_CHECK_END_SIGNAL "signal"

#endif
