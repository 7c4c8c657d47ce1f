/*
 * encode.h - a question to the engine as formulas for Z3: the paper's encoding and an exact one.
 * For tests and benchmarks only.
 *
 * Model:   events [lo, hi) of a trace of reads, writes, atomics, locks, fork, join and branches.
 *          One integer per event is its position. Paper: Algorithm 2 of RDIT with the reads on
 *          which a and b depend; a race is "same position". Exact: in addition, one boolean per
 *          event states whether the event is included (docs/analysis/model.md).
 */
#ifndef PF_TEST_Z3_ENCODE_H
#define PF_TEST_Z3_ENCODE_H

#include "trace.h"

enum pf_z3_encoding { PF_Z3_PAPER, PF_Z3_EXACT };

/* Returns 1 for a race, 0 for none, -1 for unknown. `timeout` is in milliseconds. */
int pf_z3_ask(const struct pf_trace *t, enum pf_z3_encoding encoding, uint32_t lo, uint32_t hi,
              uint32_t a, uint32_t b, unsigned timeout);

#endif
