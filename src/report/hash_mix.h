/*
 * hash_mix.h - mixes 64-bit words into a hash, for hash tables and for comparing states.
 *
 * Model:   two functions. pf_hash_mix spreads every bit of the word over the result; it may be used
 *          for a few words. pf_hash_chain is cheaper and meant for long sequences: it spreads a
 *          word over the result only together with the words that follow. Neither is stored in
 *          files, except where a format says so (docs/format); strings are hashed by fnv.h.
 */
#ifndef PF_REPORT_HASH_MIX_H
#define PF_REPORT_HASH_MIX_H

#include <stdint.h>

#define PF_HASH_FACTOR 0x9e3779b97f4a7c15ull

static inline uint64_t pf_hash_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * PF_HASH_FACTOR;
    return h ^ h >> 29;
}

static inline uint64_t pf_hash_chain(uint64_t h, uint64_t word)
{
    return ((h << 23 | h >> 41) ^ word) * PF_HASH_FACTOR;
}

#endif
