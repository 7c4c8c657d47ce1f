/*
 * recorded_stdin.h - the standard input of a recorded run, for further runs of the same program.
 *
 * Model:   the bytes that the recording read from descriptor 0, followed by end of file, even where
 *          the recording would have waited for more.
 * Memory:  the caller closes the descriptor.
 */
#ifndef PF_CONFIRM_RECORDED_STDIN_H
#define PF_CONFIRM_RECORDED_STDIN_H

#include "clip.h"

/* Returns an in-memory file, positioned at its start; -1: the recording read nothing, or the
 * file cannot be created. */
int pf_recorded_stdin_open(const struct pf_clip *recording);

#endif
