/*
 * synth.h - large traces for measuring analyses: threads that run transactions over shared data.
 *
 * Model:   a fixed set of functions; each locks one of the locks, works on data of that lock, sometimes
 *          touches data of another kind: its thread's own, read-mostly, flags that hand work over, and
 *          a few variables that nobody protects. A random scheduler switches between threads. The
 *          same seed gives the same trace. Sites are lines of the functions.
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
