/*
 * witness_clips.h - `pf predict --clips`: runs the witness of each race once and keeps it as a
 * clip.
 *
 * Model:   a witness is a schedule of events of the recording (analysis.h). The program is run
 *          along it, as in pf hatch (try_all.h); a clip is kept only if the two accesses were then
 *          adjacent. If they were not, the other order of the two is tried (the program may have
 *          ended with the first access).
 * Memory:  paths and reasons are allocated in the job's pool.
 * Errors:  the status, with the message in *e. A race whose witness could not be run is
 *          kept, without a clip.
 */
#ifndef PF_CONFIRM_WITNESS_CLIPS_H
#define PF_CONFIRM_WITNESS_CLIPS_H

#include "predicted_finding.h"

/* Sets j->clips and j->unreached; creates `folder` if necessary. */
PF_MUST_USE pf_status pf_witness_clips_make(struct pf_predict_job *j, const char *folder,
                                            struct pf_error *e);
/* The clip of race i of analysis k; NULL: clips were not requested, or the analysis gives no
 * witnesses. */
const struct pf_witness_clip *pf_witness_clip(const struct pf_predict_job *j, size_t k, size_t i);

#endif
