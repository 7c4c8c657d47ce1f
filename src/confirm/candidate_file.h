/*
 * candidate_file.h - candidates in a file, as `pf predict --json` writes them: with the recording
 * that they belong to and a schedule for each.
 *
 * Model:   in addition to the findings, the document has `recording`, `atomic` and `schedules`. A
 *          schedule has the finding's id, the events of the finding, and the order in which to run,
 *          as event numbers of the trace (docs/format/findings.schema.json). For an entry without
 *          an order, a schedule still has to be found.
 * Memory:  findings are allocated in the pool of `findings`, which must outlive the candidates.
 * Errors:  a message with the file, what was expected and where.
 */
#ifndef PF_CONFIRM_CANDIDATE_FILE_H
#define PF_CONFIRM_CANDIDATE_FILE_H

#include "candidates_to_try.h"
#include "findings.h"

/* True if the file is a JSON document rather than a recording. */
bool pf_candidate_file_detect(const char *path);

struct pf_candidate_file {
    struct pf_findings findings;
    const char *path, *recording, *atomic; /* atomic NULL: none */
    uint64_t events; /* number of events of the trace from which it was made */
    void *document; /* the parsed JSON */
};
PF_MUST_USE pf_status pf_candidate_file_open(struct pf_candidate_file *f, const char *path,
                                             struct pf_error *e);
/* Adds the file's candidates to `c`. The job must have its trace. Entries without a schedule get
 * one if one can be found. */
PF_MUST_USE pf_status pf_candidate_file_load(struct pf_candidate_file *f, struct pf_candidates *c,
                                             struct pf_predict_job *j, struct pf_error *e);
void pf_candidate_file_release(struct pf_candidate_file *f);

/* Writes the members of the document that pf_candidate_file_open needs. */
void pf_candidate_file_json(struct pf_text *t, struct pf_predict_job *j);

#endif
