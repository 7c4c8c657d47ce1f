/*
 * recorded_stdin.h - the standard input of a recorded run, for runs that are to be like it.
 *
 * Model:   what the recording read from descriptor 0, byte after byte; then the end of the file, also where the
 *          recording would have waited for more.
 * Memory:  the descriptor is the caller's to close.
 */
#ifndef PF_CLI_HATCH_INPUT_H
#define PF_CLI_HATCH_INPUT_H

#include "clip.h"

/* A file in memory, at its beginning; -1: the recording read nothing there, or it cannot be had. */
int pf_hatch_input(const struct pf_clip *recording);

#endif
