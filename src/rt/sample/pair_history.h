/*
 * pair_history.h - what the AtexRace policies have in common: the function pairs of earlier
 * executions and of threads that have ended, and saving them at the end of the process.
 *
 * Model:   `before` holds the n-frequent pairs of earlier executions, `seen` the pairs of threads
 *          that have ended. The policy owns the pairs of running threads. `coverage` is that of
 *          all executions; a policy that has it calls pf_coverage_init before _start.
 * Threads: `before` is constant after _start; `lock` protects `seen` and the policy's list of
 *          running threads.
 * Errors:  without memory `hashes` is NULL: then the policy samples every call.
 */
#ifndef PF_RT_PAIR_HISTORY_H
#define PF_RT_PAIR_HISTORY_H

#include "findings_log.h"
#include "function_pairs.h"
#include "module.h"
#include "pair_coverage.h"

struct pf_pair_history {
    struct pf_burst_rate rate;
    uint32_t frequent_n; /* n: executions in a row that make a pair frequent */
    uint32_t known_pairs; /* of all earlier executions, frequent or not */
    uint64_t *hashes; /* of functions, indexed by number; 0: not computed yet */
    bool other_thread_seen; /* at some time two threads ran at once */
    struct pf_function_pairs before;
    struct pf_pair_coverage coverage;
    struct pf_spin lock;
    struct pf_function_pairs seen;
};

/* Loads the pairs, and the coverage, from STATE/SUBFOLDER (sample_state.h). */
void pf_pair_history_start(struct pf_pair_history *h, const char *subfolder);
/* The process ends: saves `all`, the pairs of all threads of this execution, and releases it. */
void pf_pair_history_finish(struct pf_pair_history *h, struct pf_function_pairs *all,
                            struct pf_sample_numbers *out, bool exec);
/* In the child of fork: forgets what was seen so far, which the parent saves. */
void pf_pair_history_forked(struct pf_pair_history *h);

/* The hash of f, computed by `compute` at first. */
static inline uint64_t pf_pair_history_hash(struct pf_pair_history *h, struct pf_func *f,
                                            uint64_t (*compute)(struct pf_func *))
{
    uint64_t hash = __atomic_load_n(&h->hashes[f->number], __ATOMIC_RELAXED);
    if (__builtin_expect(!hash, 0)) {
        hash = compute(f);
        __atomic_store_n(&h->hashes[f->number], hash, __ATOMIC_RELAXED);
    }
    return hash;
}

#endif
