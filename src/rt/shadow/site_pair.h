/*
 * site_pair.h - one site id for two sites.
 *
 * Fields of one granule are often accessed in the same epoch from different sites. Such accesses
 * become one access record, whose site id says for each byte which site it was.
 *
 * Model:   a site pair (first, mask, second): the bytes of mask were accessed from `first`, the
 *          others from `second`. Both may be pairs again (a nested pair). Equal pairs have the same
 *          id. Site ids have 24 bits:
 *
 *               23 22 21                  0
 *              +--+-----------------------+
 *              | 0|  calling context, site|   stack.h: a plain id
 *              +--+--+--------------------+
 *              | 1| 0|  index of the pair |   site_pair.h
 *              +--+--+--------------------+
 *              | 1| 1|  index of the block|   site_per_byte.h: for granules with many sites
 *              +--+--+--------------------+
 *
 * Memory:  one table; pairs are never freed.
 * Threads: any; lookup is lock-free, one lock for new pairs.
 * Errors:  functions return 0 when the table is full: the accesses then stay two records.
 */
#ifndef PF_RT_SITE_PAIR_H
#define PF_RT_SITE_PAIR_H

#include "pf_shadow.h"
#include "thread_shadow.h"
#include <stdbool.h>
#include <stdint.h>

#define PF_SITE_PAIRS_MAX (PF_ID_SITE_PAIR / 2) /* higher ids are site-per-byte blocks */

bool pf_site_pair_init(void); /* false: no address space */
/* The id of the pair. 0 if first or second is 0 (unknown), or if the table is full. */
uint32_t pf_site_pair_make(uint32_t first, unsigned mask, uint32_t second);
/* The same, but returns 0 for nested pairs once there are pf_site_pair_nested_max of them: most
 * would never be used again. */
uint32_t pf_site_pair_make_limited(uint32_t first, unsigned mask, uint32_t second);
extern uint32_t pf_site_pair_nested_max;
/* The plain id of one byte (0..7) of a granule that was accessed from `id`. */
uint32_t pf_site_pair_at(uint32_t id, unsigned byte);

/* The key of a pair in a thread's cache of recent pairs (thread_shadow.h), and its entry. */
#define PF_SITE_PAIR_HASH 0x9e3779b97f4a7c15ull
static inline uint64_t pf_site_pair_word(uint32_t first, unsigned mask, uint32_t second)
{
    return first | (uint64_t)second << PF_ID_BITS | (uint64_t)mask << 2 * PF_ID_BITS;
}
static inline unsigned pf_site_pair_slot(uint64_t pair)
{
    return (unsigned)(pair * PF_SITE_PAIR_HASH >> (64 - PF_SITE_PAIR_CACHE_BITS));
}
/* The id of the pair if it is in the cache; else 0. */
static inline uint32_t pf_site_pair_cached(const struct pf_site_pair_cache *c, uint32_t first,
                                           unsigned mask, uint32_t second)
{
    uint64_t pair = pf_site_pair_word(first, mask, second);
    const volatile struct pf_site_pair_cache *v = c; /* a signal handler may change it meanwhile */
    unsigned i = pf_site_pair_slot(pair);
    uint64_t before = v->pair[i];
    uint32_t id = v->id[i];
    return __builtin_expect(before == pair && v->pair[i] == pair, 1) ? id : 0;
}
void pf_site_pair_cache_put(struct pf_site_pair_cache *c, uint32_t first, unsigned mask,
                            uint32_t second, uint32_t id);

void pf_site_pair_lock(void); /* around fork */
void pf_site_pair_unlock(void);

#endif
