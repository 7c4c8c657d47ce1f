/*
 * random_trace.h - consistent random traces, to compare analyses with oracles.
 *
 * Model:   a random scheduler runs a random program, and every event is recorded. The same seed
 *          gives the same trace.
 */
#ifndef PF_TEST_RANDOM_TRACE_H
#define PF_TEST_RANDOM_TRACE_H

#include "trace.h"

enum pf_random_feature {
    PF_RANDOM_BRANCH = 1,
    PF_RANDOM_RWLOCK = 2,
    PF_RANDOM_TRYLOCK = 4,
    PF_RANDOM_COND = 8,
    PF_RANDOM_BARRIER = 16,
    PF_RANDOM_ATOMIC = 32,
    PF_RANDOM_SIZES = 64,
    PF_RANDOM_MESSAGE = 128,
    PF_RANDOM_BLOCK = 256,
    PF_RANDOM_CALL = 512,
    PF_RANDOM_RECURSIVE = 1024,
    PF_RANDOM_FORK = 2048,
    PF_RANDOM_ALL = 4095,
    PF_RANDOM_SPIN = 8192, /* a lock made of an atomic variable */
    PF_RANDOM_REGION = 4096, /* marked atomic regions; only for patterns */
    PF_RANDOM_CALLBACK = 32768, /* with calls: events during a call are those of callbacks */
    PF_RANDOM_STRAY = 16384, /* code without events stores, too, even outside missing calls */
};

struct pf_random_shape {
    uint32_t threads, variables, locks, events, values;
    unsigned features;
};

uint64_t pf_random_next(uint64_t *state);
/* Initialises t with a new, sealed trace. */
void pf_random_trace(struct pf_trace *t, const struct pf_random_shape *shape, uint64_t seed);

#endif
