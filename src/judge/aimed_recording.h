/*
 * aimed_recording.h - records a program so that the two accesses of a race are in the recording.
 *
 * Model:   the policy racefuzzer holds a thread before one of the accesses until another thread is
 *          before the other one. Even if they never meet, both accesses usually happen. Several
 *          seeds are tried.
 * Threads: the caller must be single-threaded.
 * Errors:  false, with a reason.
 */
#ifndef PF_JUDGE_AIMED_RECORDING_H
#define PF_JUDGE_AIMED_RECORDING_H

#include "finding.h"
#include <stddef.h>

/* Records `command` (NULL-terminated, without its environment) into the file. */
bool pf_aimed_recording(const struct pf_finding *f, char *const *command, const char *file,
                        uint64_t limit_ms, char *why, size_t room);

#endif
