/*
 * thread_shadow.h - the part of a thread's state that belongs to shadow memory.
 */
#ifndef PF_RT_THREAD_SHADOW_H
#define PF_RT_THREAD_SHADOW_H

#include <stdint.h>

/* A cache of recent site pairs (site_pair.h). The key is the pair as one word: first, second << 24,
 * mask << 48. */
#define PF_SITE_PAIR_CACHE_BITS 12
#define PF_SITE_PAIR_CACHE_SIZE (1 << PF_SITE_PAIR_CACHE_BITS)
struct pf_site_pair_cache {
    uint64_t pair[PF_SITE_PAIR_CACHE_SIZE];
    uint32_t id[PF_SITE_PAIR_CACHE_SIZE];
};

#endif
