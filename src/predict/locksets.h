/*
 * locksets.h - interned sets of held locks.
 *
 * Model:   a set is a sorted list of words, lock * 2 + (1 if held shared). Set 0 is empty. Two sets
 *          exclude each other if they contain a common lock that at least one of them holds
 *          exclusively; two accesses under such sets cannot happen at the same time.
 * Memory:  sets live until release.
 * Cost:    O(set) to change a set, amortised O(1) to compare two sets (results are cached).
 */
#ifndef PF_PREDICT_LOCKSETS_H
#define PF_PREDICT_LOCKSETS_H

#include "hash_map.h"
#include "trace.h"

struct pf_lockset_words {
    uint32_t first, len;
};
struct pf_locksets {
    PF_VEC(struct pf_lockset_words) sets;
    pf_vec_u32 words;
    struct pf_hash_map by_hash; /* of the words: numbers of sets */
    struct {
        uint64_t key;
        uint32_t value;
    } *cache; /* results of exclude and intersect */
    uint32_t *held; /* current set of each thread */
};

void pf_locksets_init(struct pf_locksets *x, const struct pf_trace *t);
void pf_locksets_release(struct pf_locksets *x);
/* Updates held[] of the event's thread to the set after the event. */
void pf_locksets_step(struct pf_locksets *x, const struct pf_event *e);
/* The number of the set with these n words, which must be sorted. */
uint32_t pf_locksets_intern(struct pf_locksets *x, const uint32_t *words, uint32_t n);
/* True if the two sets exclude each other. */
bool pf_locksets_exclude(struct pf_locksets *x, uint32_t a, uint32_t b);
/* The locks that are in both sets. `exclusive`: ignores locks that b holds shared. */
uint32_t pf_locksets_intersect(struct pf_locksets *x, uint32_t a, uint32_t b, bool exclusive);

#endif
