/*
 * locksets.h - interned sets of held locks.
 *
 * Model:   a set is a sorted list of words lock * 2 + (held shared). Set 0 is empty. Two sets meet
 *          when they hold a common lock that not both hold shared: such accesses exclude each other.
 * Memory:  sets live until release. Cost: O(set) to change, amortised O(1) to compare (cached).
 */
#ifndef PF_PREDICT_LOCKSET_H
#define PF_PREDICT_LOCKSET_H

#include "trace.h"

struct pf_lockset_range {
    uint32_t first, len;
    uint64_t hash;
};
struct pf_locksets {
    PF_VEC(struct pf_lockset_range) sets;
    pf_vec_u32 words;
    uint32_t *slots;
    size_t cap;
    struct {
        uint64_t key;
        uint32_t value;
    } *cache; /* results of meet and intersect */
    uint32_t *held; /* current set of each thread */
};

void pf_locksets_init(struct pf_locksets *x, const struct pf_trace *t);
void pf_locksets_release(struct pf_locksets *x);
/* Follows the event; held[] of its thread is the set after it. */
void pf_locksets_step(struct pf_locksets *x, const struct pf_event *e);
uint32_t pf_lockset_of(struct pf_locksets *x, const uint32_t *words, uint32_t n);
bool pf_lockset_meet(struct pf_locksets *x, uint32_t a, uint32_t b);
/* The locks of both; `exclusive`: of b only those that it does not hold shared. */
uint32_t pf_lockset_common(struct pf_locksets *x, uint32_t a, uint32_t b, bool exclusive);

#endif
