/*
 * check_knowledge.h - the knowledge of a check: the results of its tasks that later tasks need.
 *
 * Model:   a small folder of a check: a journal, one document with all findings, and the behaviours
 *          seen. Clips and logs are left out. The journal has the same effect on the next steps as
 *          the journals of all tasks together: it has the first round, one batch for each policy
 *          with the summed gains, the last systematic search, and the recordings aimed at findings.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_FLEET_CHECK_KNOWLEDGE_H
#define PF_FLEET_CHECK_KNOWLEDGE_H

#include "check_folder.h"

/* Writes the knowledge of the check in `folder` to the folder `to`. Only steps for which `wanted`
 * returns true count. */
PF_MUST_USE pf_status pf_check_knowledge_write(const char *folder, const char *to,
                                               bool (*wanted)(void *arg, uint64_t step), void *arg,
                                               struct pf_error *e);
/* The number of the step that holds the findings of the knowledge. No task uses it. */
#define PF_KNOWLEDGE_STEP 1

#endif
