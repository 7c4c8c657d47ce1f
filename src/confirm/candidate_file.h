/*
 * candidate_file.h - candidates in a file: what `pf predict --json` writes, with the recording they are of and a
 * schedule for each.
 *
 * Model:   beside the findings, the document has `recording`, `atomic` and `schedules`: the findings' ids, the events
 *          that make them and the order to run, as numbers of events of the trace (docs/format/candidates.md).
 *          An entry without an order is one for which a schedule is still to be found.
 * Memory:  findings live in the pool of `findings`, which must outlive the candidates.
 * Errors:  a message with the file, what was expected and where.
 */
#ifndef PF_CLI_HATCH_FILE_H
#define PF_CLI_HATCH_FILE_H

#include "candidates_to_try.h"
#include "findings.h"

/* Is it a document, not a recording? */
bool pf_hatch_file_sniff(const char *path);

struct pf_hatch_file {
    struct pf_findings findings;
    const char *path, *recording, *atomic; /* atomic NULL: none */
    uint64_t events; /* of the trace it was made from */
    void *document; /* its JSON */
};
PF_MUST_USE pf_status pf_hatch_file_open(struct pf_hatch_file *f, const char *path,
                                         struct pf_error *e);
/* Once the job has its trace. What has no schedule gets one, where there is one. */
PF_MUST_USE pf_status pf_hatch_file_take(struct pf_hatch_file *f, struct pf_candidates *c,
                                         struct pf_predict_job *j, struct pf_error *e);
void pf_hatch_file_release(struct pf_hatch_file *f);

/* For the writer: the members of the document that this needs. */
void pf_hatch_file_json(struct pf_text *t, struct pf_predict_job *j);

#endif
