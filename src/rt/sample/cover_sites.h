/*
 * cover_sites.h - records which sites a sampled call reaches, and with which functions of other
 * threads it shares memory.
 *
 * Model:   while a thread *covers*, its key matches no access record, so every check takes the slow
 *          path, which calls pf_hooks.access_covered before it applies the access. The site is
 *          added to the reachable sites of its function, and to the pairs with the functions that
 *          the other threads ran when the thread began to cover (pair_coverage.h). The records of
 *          other threads in the cell say which functions accessed the same memory, and under which
 *          locks. The thread stops when PF_COVER_REPEATS checks in a row have found no new site, so
 *          a loop soon takes the fast path again.
 * Memory:  a struct pf_cover for each thread.
 * Threads: each thread for itself; the coverage is shared.
 */
#ifndef PF_RT_COVER_SITES_H
#define PF_RT_COVER_SITES_H

#include "pair_coverage.h"
#include "thread.h"

#define PF_COVER_REPEATS 32 /* checks in a row */

struct pf_cover {
    uint32_t left; /* checks without a new site before the thread stops */
    uint32_t generation; /* how often it has begun */
    uint32_t n;          /* of the functions that other threads ran then: their hashes */
    uint64_t other[PF_PAIR_OTHERS_MAX];
    struct {
        uint64_t sites; /* found since it began; bit: index modulo 64 (pair_coverage.h) */
        uint32_t generation;
    } of[]; /* indexed by function */
};

/* hashes: of functions, indexed by number; 0: not computed. */
void pf_cover_start(struct pf_pair_coverage *coverage, const uint64_t *hashes);
struct pf_cover *pf_cover_new(void); /* NULL: no memory */
void pf_cover_free(struct pf_cover *c);
/* The calling thread begins to cover its accesses; others[0..n): what the other threads run. */
void pf_cover_begin(struct pf_thread *t, const uint64_t *others, unsigned n);
void pf_cover_stop(struct pf_thread *t);

#endif
