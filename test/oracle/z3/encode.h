/*
 * encode.h - the question of the engine as formulas for Z3: the paper's own encoding and an exact one.
 * For tests and benchmarks only.
 *
 * Model:   events [lo, hi) of a trace of reads, writes, atomics, locks, fork, join and branches. One
 *          integer per event is its place. Paper: Algorithm 2 of RDIT with the reads that a and b
 *          depend on, race as "same place". Exact: besides, one boolean per event says whether it is
 *          included (docs/analysis/model.md).
 */
#ifndef PF_TEST_Z3_ENCODE_H
#define PF_TEST_Z3_ENCODE_H

#include "trace.h"

enum pf_z3_encoding { PF_Z3_PAPER, PF_Z3_EXACT };

/* 1 race, 0 none, -1 unknown or time-out (milliseconds). */
int pf_z3_ask(const struct pf_trace *t, enum pf_z3_encoding encoding, uint32_t lo, uint32_t hi,
              uint32_t a, uint32_t b, unsigned timeout);

#endif
