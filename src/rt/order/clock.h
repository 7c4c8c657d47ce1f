/*
 * clock.h - vector clocks as plain arrays: the last epoch of each slot that has been seen.
 *
 * Model:   a total map slot -> uint32, 0 where absent; join is the pointwise maximum.
 * Memory:  the caller's; _new takes it from the store.
 * Threads: no locks inside; the caller serialises writers.
 */
#ifndef PF_RT_CLOCK_H
#define PF_RT_CLOCK_H

#include <stdint.h>

/* A new clock of full length, all zero; NULL without memory. _free sets the pointer to NULL. */
uint32_t *pf_clock_new(void);
void pf_clock_free(uint32_t **c);

/* dst[i] := max(dst[i], src[i]) for i < n; true if anything grew. */
static inline int pf_clock_join(uint32_t *dst, const uint32_t *src, uint32_t n)
{
    uint32_t grew = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = src[i] > dst[i] ? src[i] : dst[i];
        grew |= m ^ dst[i];
        dst[i] = m;
    }
    return grew != 0;
}

static inline void pf_clock_copy(uint32_t *dst, const uint32_t *src, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        dst[i] = src[i];
}

/* The same for arrays that are aligned to 8 and have room for an even number of entries: if n is
 * odd, one entry more is copied. */
static inline void pf_clock_copy_even(uint32_t *dst, const uint32_t *src, uint32_t n)
{
    uint64_t *to = (uint64_t *)dst;
    const uint64_t *from = (const uint64_t *)src;
#pragma clang loop unroll(disable) vectorize(disable)
    for (uint32_t i = 0; 2 * i < n; i++)
        to[i] = from[i];
}

#endif
