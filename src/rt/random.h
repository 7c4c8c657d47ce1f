/*
 * random.h - a generator of random numbers (splitmix64): the same seed gives the same numbers.
 */
#ifndef PF_RT_RANDOM_H
#define PF_RT_RANDOM_H

#include <stdint.h>

#define PF_RANDOM_STEP 0x9e3779b97f4a7c15u

/* The state after n numbers. */
static inline uint64_t pf_random_skip(uint64_t state, uint64_t n)
{
    return state + n * PF_RANDOM_STEP;
}

static inline uint64_t pf_random_next(uint64_t *state)
{
    uint64_t z = *state += PF_RANDOM_STEP;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
