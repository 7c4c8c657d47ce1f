/*
 * sample_state.h - the pairs that earlier executions of the program saw, and what this one leaves.
 *
 * Model:   docs/format/state.md. STATE/pairs/PROGRAM-HASH/ holds one merged file, `base`, and a file for
 *          each execution that is not merged yet. A pair is n-frequent when the last n executions
 *          all saw it. Reading merges in memory, in the order in which the executions ended.
 * Memory:  pages of its own, given back before _load and _save return.
 * Threads: _load at the start, _save at the end, one caller.
 * Errors:  files that are not as they should be are named on stderr, or in the log where nothing is to be said, and renamed `bad-…`; a folder that
 *          cannot be used is named once, and the execution stands alone.
 */
#ifndef PF_RT_SAMPLE_STATE_H
#define PF_RT_SAMPLE_STATE_H

#include "function_pairs.h"

/* The pairs that the last n executions all saw, with the calls counted so far; -> how many pairs there
 * are in all. */
uint32_t pf_state_load(struct pf_pairs *out, uint32_t n);
/* What this execution saw: counts beyond `earlier` are added. An execution that saw no pair is none. */
void pf_state_save(const struct pf_pairs *seen);

#endif
