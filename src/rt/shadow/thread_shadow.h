/*
 * thread_shadow.h - the part of a thread's state that belongs to shadow memory: caches, and the
 * clocks of its fences.
 */
#ifndef PF_RT_THREAD_SHADOW_H
#define PF_RT_THREAD_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* A cache of recent site pairs (site_pair.h). The key is the pair as one word: first, second << 24,
 * mask << 48. */
#define PF_SITE_PAIR_CACHE_BITS 12
#define PF_SITE_PAIR_CACHE_SIZE (1 << PF_SITE_PAIR_CACHE_BITS)
struct pf_site_pair_cache {
    uint64_t pair[PF_SITE_PAIR_CACHE_SIZE];
    uint32_t id[PF_SITE_PAIR_CACHE_SIZE];
};

/* A cache of read sets that the thread has an access record in (cell.c). The set `ref` is
 * immutable, so the entry is valid as long as the epoch of the record is current. */
#define PF_READ_SET_CACHE_SIZE 64
struct pf_read_set_entry {
    uint64_t ref, record;
};

/* A cache of recent additions to read sets (access_set.c): from + with = to. */
#define PF_READ_SET_MEMO_BITS 6
#define PF_READ_SET_MEMO_HASH 0x9e3779b97f4a7c15ull
#define PF_READ_SET_MEMO_SHIFT 7
struct pf_read_set_memo {
    uint64_t from, with, to;
};

/* A cache of ids for loops in which 2 to 4 sites access consecutive bytes in turn (check_miss.c).
 * The key is the sites and the calling context `node`; id[i] is the id of a granule whose first
 * byte belongs to site i. */
#define PF_INTERLEAVED_CACHE_SIZE 8
struct pf_interleaved_sites {
    uint64_t two, others; /* the sites, in the form in which compiled code passes them */
    uint32_t node, id[4];
};

/* A cache entry of an atomic variable: the thread has already acquired the clock of the atomic at
 * `addr`, as of this version of its stripe (atomic.c). */
#define PF_ATOMIC_CACHE_SIZE 256
struct pf_atomic_cache_entry {
    uintptr_t addr;
    uint32_t version;
    /* store handle of its object, valid while the stripe's count of dropped objects is `dropped`;
     * 0: unknown */
    uint32_t sync;
    uint32_t dropped;
    bool acquired; /* true: joined into the thread's clock; false: into pending_acquire only */
};

struct pf_thread_shadow {
    struct pf_site_pair_cache site_pairs;
    /* indexed by the low bits of the reference */
    struct pf_read_set_entry read_set_cache[PF_READ_SET_CACHE_SIZE];
    struct pf_interleaved_sites interleaved[PF_INTERLEAVED_CACHE_SIZE];
    struct pf_atomic_cache_entry atomic_cache[PF_ATOMIC_CACHE_SIZE];
    /* clocks seen by relaxed loads, joined into the thread's clock by the next acquire fence; NULL:
     * none */
    uint32_t *pending_acquire;
    uint32_t *release_fence; /* the clock at the last release fence; NULL: none */
    struct pf_read_set_memo *memo; /* NULL: none yet */
    /* access_set.c: the debt, which each read set that is made increases and each use decreases;
     * tries while it is at its maximum */
    uint32_t set_debt, set_tries;
    struct pf_ended_variable *ended; /* ended_scope.c; NULL: none yet */
    uint32_t nended;
    /* while a use of freed memory is reported: the free, as a write of its epoch; 0: unknown */
    uint64_t reported_free;
};

#endif
