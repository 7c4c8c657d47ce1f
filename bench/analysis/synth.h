/*
 * synth.h - generates large traces for benchmarks: threads that run transactions over shared data.
 *
 * Model:   a fixed set of functions; each takes one lock, works on the data of that lock, and
 *          sometimes accesses other data: thread-local, read-mostly, flags that pass work on, and
 *          a few unprotected variables. A random scheduler switches between threads. The same seed
 *          gives the same trace. Sites are lines of the functions.
 */
#ifndef PF_BENCH_SYNTH_H
#define PF_BENCH_SYNTH_H

#include "trace.h"

struct pf_synth_shape {
    uint32_t threads, variables, locks, functions;
    uint64_t events;
    uint32_t slice; /* mean number of events between two switches */
};
extern const struct pf_synth_shape pf_synth_default;

void pf_synth(struct pf_trace *t, const struct pf_synth_shape *s, uint64_t seed);

#endif
