/*
 * verify_clip.h - runs `pf replay CLIP` once, from scratch, and checks that it shows what the clip
 * recorded.
 *
 * Model:   a clip shows its finding if the replay does not diverge (every action of every thread is
 *          then the recorded one), and ends as the recording did: the same outcome and status, a
 *          failure at the same stack, and a memory error if the recording has one. Only then is the
 *          command printed for the user.
 * Memory:  a verification owns its strings between init and release.
 * Errors:  if the replay cannot be run, the clip counts as not reproduced, and `why` is the reason.
 */
#ifndef PF_CONFIRM_VERIFY_CLIP_H
#define PF_CONFIRM_VERIFY_CLIP_H

#include "supervisor.h"

struct pf_verify_clip {
    const char *clip;
    char *report; /* file for the report of the replay */
    char *argv[8];
    struct pf_command command; /* to be run in the background */
};

PF_MUST_USE pf_status pf_verify_clip_init(struct pf_verify_clip *v, const char *clip,
                                          struct pf_error *e);
/* Evaluates the run of `command`. False: the clip was not reproduced; `why` is the reason. */
bool pf_verify_clip_shown(const struct pf_verify_clip *v, const struct pf_supervisor_result *result,
                          char *why, size_t room);
void pf_verify_clip_release(struct pf_verify_clip *v);

/* All of this in one call; waits for the replay. `should_stop` is polled. */
bool pf_verify_clip(const char *clip, bool (*should_stop)(void *), void *arg, char *why,
                    size_t room);

#define PF_VERIFY_LIMIT_MS 60000 /* for one replay */

#endif
