/*
 * lock_removal.h - records the program of a clip again, without one lock operation: what if this
 * lock were not taken?
 *
 * Model:   the run has the arguments, environment, folder, standard input and scheduling policy of
 *          the clip. The lock operation at FILE:LINE and the unlock that belongs to it do nothing
 *          (src/rt/interpose/lock/removed_lock.h). The new recording remembers that, so that every
 *          replay and every run that follows it removes the operation as well.
 * Threads: the caller must be single-threaded.
 * Errors:  PF_BAD if the operation was never performed; PF_IO if the program could not be recorded.
 */
#ifndef PF_JUDGE_LOCK_REMOVAL_H
#define PF_JUDGE_LOCK_REMOVAL_H

#include "clip.h"

/* lock: FILE:LINE; file: the recording to be written, an absolute path; fair_ms: as of a command
 * (command.h). */
PF_MUST_USE pf_status pf_lock_removal_record(const struct pf_clip *clip, const char *lock,
                                             const char *file, uint64_t fair_ms,
                                             struct pf_error *e);

#endif
