/*
 * state_read.h - everything that a state folder holds, as findings.
 *
 * Model:   the logs of pf run below the folder, and what pf suite keeps in its database, and what pf
 *          check keeps in its folders.
 * Errors:  as findings.h and suite_db.h.
 */
#ifndef PF_CLI_STATE_READ_H
#define PF_CLI_STATE_READ_H

#include "findings.h"

#define PF_DEFAULT_STATE ".photofinish"

PF_MUST_USE pf_status pf_state_read(struct pf_findings *f, const char *folder, struct pf_error *e);
/* The finding whose id begins with `word`; PF_BAD when there is none, or more than one. */
PF_MUST_USE pf_status pf_state_find(const struct pf_findings *f, const char *word,
                                    const struct pf_finding **out, struct pf_error *e);

#endif
