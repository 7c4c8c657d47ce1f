/*
 * sample_state.h - the function pairs that earlier executions of the program saw, and saving those
 * of this one.
 *
 * Model:   docs/format/state.md. STATE/pairs/PROGRAM-HASH/ holds one merged file, `base`, and a
 *          file for each execution that is not merged yet. A pair is n-frequent if the last n
 *          executions all saw it. Loading merges the files in memory, in the order in which the
 *          executions ended.
 *          The coverage of a pair or function is kept until PF_COVERAGE_UNSEEN_MAX executions in
 *          a row did not use it.
 * Memory:  mappings that are freed before _load and _save return.
 * Threads: _load at the start, _save at the end, one caller.
 * Errors:  an invalid file is reported on stderr, or in the findings log with the option `quiet`,
 *          and renamed to `bad-...`. An unusable folder is reported once, and the execution is
 *          sampled as if it were the first.
 */
#ifndef PF_RT_SAMPLE_STATE_H
#define PF_RT_SAMPLE_STATE_H

#include "pair_coverage.h"

#define PF_COVERAGE_UNSEEN_MAX 200u

/* Keeps the state in STATE/SUBFOLDER/PROGRAM-HASH instead of STATE/pairs/PROGRAM-HASH. Call it
 * before _load. */
void pf_sample_state_use(const char *subfolder);
/* Stores the pairs that the last n executions all saw in `out`, with the calls counted so far, and
 * adds the coverage of all executions to `coverage`, which may be without memory. Returns the
 * number of all known pairs. *executions: how many there were. */
uint32_t pf_sample_state_load(struct pf_function_pairs *out, uint32_t n,
                              struct pf_pair_coverage *coverage, uint64_t *executions);
/* Saves what this execution saw: the counts beyond `earlier`, and the entries of `coverage` with
 * PF_COVERAGE_SEEN. An execution that saw no pair saves nothing. exec: the process is about to
 * execute another program. */
void pf_sample_state_save(struct pf_function_pairs *seen, const struct pf_pair_coverage *coverage,
                          bool exec);
/* The exec that the file was saved for has failed: removes the file, so that the execution, which
 * goes on, counts once. */
void pf_sample_state_retract(void);

#endif
