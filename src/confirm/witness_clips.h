/*
 * witness_clips.h - `pf predict --clips`: the witness of each race run once, and kept as a clip.
 *
 * Model:   a witness is a schedule of events of the recording (analysis.h). The program is run along it, as pf
 *          hatch does (try_all.h); a clip is kept only when the two accesses then really followed each other.
 *          Where they do not in one order (the program may end with the first), the other is tried.
 * Memory:  paths and reasons live in the job's pool.
 * Errors:  complains and returns an exit status. A witness that could not be run keeps its race, without a clip.
 */
#ifndef PF_CLI_PREDICT_CLIPS_H
#define PF_CLI_PREDICT_CLIPS_H

#include "predicted_finding.h"

/* Sets j->clips and their counts; `folder` is made if need be. */
int pf_predict_clips(struct pf_predict_job *j, const char *folder);
/* Of race i of analysis k; NULL: no clips were asked for, or it claims no witness. */
const struct pf_predict_clip *pf_predict_clip(const struct pf_predict_job *j, size_t k, size_t i);

#endif
