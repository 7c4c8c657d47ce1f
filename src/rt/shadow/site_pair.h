/*
 * site_pair.h - one id for two: the fields of a granule are often accessed in the same epoch from
 * different places; such statements become one, whose id tells for each byte which place it was.
 *
 * Model:   a pair (first, mask, second): the bytes of mask belong to `first`, the others to
 *          `second`. Either may be a pair again. Equal pairs have the same id.
 * Memory:  one table; pairs stay.
 * Threads: any; lock-free look-up, one lock for new pairs.
 * Errors:  0 when the table is full: then the statements stay two.
 * See also: site_per_byte.h, where one granule has more places than pairs can tell of it in a
 * sensible way.
 */
#ifndef PF_RT_IDPAIR_H
#define PF_RT_IDPAIR_H

#include "pf_shadow.h"
#include <stdint.h>

#define PF_ID_SITE_PAIR (1u << (PF_ID_BITS - 1)) /* set in the ids of pairs; others are below it */
#define PF_SITE_PAIRS_MAX (PF_ID_SITE_PAIR / 2) /* the ids behind them name places */

void pf_site_pair_init(void);
uint32_t pf_site_pair_make(uint32_t first, unsigned mask, uint32_t second);
/* The same, but once there are some thousands of pairs of pairs the answer is 0 for these: most
 * would never be met again. */
uint32_t pf_site_pair_make_limited(uint32_t first, unsigned mask, uint32_t second);
extern uint32_t pf_site_pair_nested_max; /* so many */
/* The plain id behind `id` for one byte (0..7) of the granule. */
uint32_t pf_site_pair_at(uint32_t id, unsigned byte);

/* What a thread merged lately, so that it need not look it up: keyed by the pair as one word. */
#define PF_SITE_PAIR_CACHE_BITS 12
#define PF_SITE_PAIR_CACHE_SIZE (1 << PF_SITE_PAIR_CACHE_BITS)
struct pf_site_pair_cache {
    uint64_t pair[PF_SITE_PAIR_CACHE_SIZE];
    uint32_t id[PF_SITE_PAIR_CACHE_SIZE];
};
static inline uint64_t pf_site_pair_word(uint32_t first, unsigned mask, uint32_t second)
{
    return first | (uint64_t)second << 24 | (uint64_t)mask << 48;
}
static inline unsigned pf_site_pair_slot(uint64_t pair)
{
    return (unsigned)(pair * 0x9e3779b97f4a7c15ull >> (64 - PF_SITE_PAIR_CACHE_BITS));
}
/* The id that the thread put into its cache, 0 if it is not there any more. */
static inline uint32_t pf_site_pair_cached(const struct pf_site_pair_cache *c, uint32_t first,
                                           unsigned mask, uint32_t second)
{
    uint64_t pair = pf_site_pair_word(first, mask, second);
    const volatile struct pf_site_pair_cache *v =
        c; /* a signal's handler may change it meanwhile */
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
