/*
 * state_read.h - reads everything in a state folder as findings.
 *
 * Model:   the logs of pf run, the database of pf suite, the folders of pf check, and the verdicts
 *          of pf judge. A verdict on a finding that the others do not contain is ignored, unless
 *          pf judge has met it in a run and the clip of that run exists.
 * Errors:  see findings.h and suite_db.h.
 */
#ifndef PF_PRESENT_STATE_READ_H
#define PF_PRESENT_STATE_READ_H

#include "findings.h"

#define PF_JUDGED_FILE                                                                             \
    "judged.json" /* in the state folder: the findings that pf judge has judged */

PF_MUST_USE pf_status pf_state_read(struct pf_findings *f, const char *folder, struct pf_error *e);
/* The finding whose id starts with `word`; PF_BAD if there is none, or more than one. */
PF_MUST_USE pf_status pf_state_find(const struct pf_findings *f, const char *word,
                                    const struct pf_finding **out, struct pf_error *e);

#endif
