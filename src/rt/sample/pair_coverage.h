/*
 * pair_coverage.h - which sites of two functions were watched while both ran, and whether the two
 * functions share memory.
 *
 * Model:   a map. The entry of a pair of functions has two sets of sites: those of either function
 *          that were watched while another thread ran the other one. The entry of a function has
 *          the set of its sites that were watched while other threads ran: its *reachable* sites.
 *          A set has 64 bits; a site is the bit (index modulo 64). A pair is *covered* if its sets
 *          contain the reachable sites of both functions. If a further site of one of them is
 *          reached, the pair is no longer covered. Entries are kept between executions
 *          (sample_state.h).
 * Memory:  a table of fixed size, in pages from the kernel.
 * Threads: any, without locks. Entries are only added, sets and flags only grow.
 * Errors:  _add returns NULL when the table is full; such pairs are never covered.
 */
#ifndef PF_RT_PAIR_COVERAGE_H
#define PF_RT_PAIR_COVERAGE_H

#include "function_pairs.h"

#define PF_COVERAGE_SIZE (1u << 16) /* slots of the table */
#define PF_COVERAGE_MAX (PF_COVERAGE_SIZE / 4 * 3) /* entries */

enum pf_coverage_flags {
    PF_COVERAGE_SHARES = 1, /* both functions accessed the same granule */
    PF_COVERAGE_UNLOCKED = 2, /* and one of them wrote, and no lock was held in both accesses */
    PF_COVERAGE_SAVED = 3, /* the flags that are kept between executions */
    PF_COVERAGE_SEEN = 4, /* this execution has used the entry */
};
struct pf_coverage_entry {
    uint64_t key; /* 0: free */
    uint64_t sites[2]; /* of a function: only sites[0] */
    uint32_t flags;
    uint32_t unseen; /* executions since the last one that used the entry */
};
struct pf_pair_coverage {
    struct pf_coverage_entry *at; /* NULL: there is no memory for it */
    uint32_t n;
};

void pf_coverage_init(struct pf_pair_coverage *c);
void pf_coverage_release(struct pf_pair_coverage *c);

/* The key of a function's own entry, never 0. That of a pair is pf_function_pair_key. */
uint64_t pf_coverage_function_key(uint64_t f);
/* The index of f's set in the entry of the pair (f, g). */
static inline unsigned pf_coverage_side(uint64_t f, uint64_t g) { return f > g; }

/* NULL: there is none. */
struct pf_coverage_entry *pf_coverage_find(const struct pf_pair_coverage *c, uint64_t key);
/* Finds or adds it. */
struct pf_coverage_entry *pf_coverage_add(struct pf_pair_coverage *c, uint64_t key);
void pf_coverage_add_sites(struct pf_coverage_entry *e, unsigned side, uint64_t sites);
void pf_coverage_add_flags(struct pf_coverage_entry *e, uint32_t flags);

/* What is known about the pair (f, g). *covered: see above. has_sites: g is a function, not
 * "no function". */
enum pf_pair_kind pf_coverage_kind(const struct pf_pair_coverage *c, uint64_t f, uint64_t g,
                                   bool has_sites, bool *covered);

#endif
