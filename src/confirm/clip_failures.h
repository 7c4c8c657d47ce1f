/*
 * clip_failures.h - failures that clips of candidates show, but that do not belong to a candidate
 * (harm_cause.h): each becomes a finding of its own, once.
 *
 * Model:   the clip is replayed, which shows the failure with its stack (load_trace.h). Clips that
 *          fail at the same place show the same failure, so only the first is replayed.
 * Memory:  release frees the list of places; findings belong to the document they are added to.
 */
#ifndef PF_CONFIRM_CLIP_FAILURES_H
#define PF_CONFIRM_CLIP_FAILURES_H

#include "clip.h"
#include "findings.h"
#include "vector.h"

struct pf_clip_failures {
    PF_VEC(char *) known; /* descriptions of failures that were added, or belong to a finding */
};

void pf_clip_failures_release(struct pf_clip_failures *c);
/* Notes that the failure of the clip belongs to a finding. False: it is known already, or the clip
 * cannot be read. */
bool pf_clip_failures_note(struct pf_clip_failures *c, const char *clip);
/* Adds the failures of the clip to `into`, as confirmed findings with this clip, unless they are
 * known. False: none was added. `limit_ms` for the replay; 0: none. */
bool pf_clip_failures_add(struct pf_clip_failures *c, struct pf_findings *into, const char *clip,
                          uint64_t limit_ms);

#endif
