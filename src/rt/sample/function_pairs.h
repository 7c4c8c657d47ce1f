/*
 * function_pairs.h - pairs of functions that were seen to run at the same time, and how often: the books of
 * AtexRace (Guo, Cai, Yang, ESEC/FSE 2017, Algorithm 2).
 *
 * Model:   a map from an unordered pair of functions to the number of calls at which it was seen.
 *          A pair that is not in the map is new: it is sampled. One that is in the map is sampled
 *          in bursts: with the rate b/p, the first b of every p calls. From the AGED-th burst on the
 *          period is ten times as long, and again, until it has reached the floor:
 *
 *              calls    0 ... 10p            ... 110p                ...
 *              bursts   b of p | b of 10p          | b of 100p, if the floor allows
 *
 *          Functions are named by 64 bits that say name, file and code (pf_function_name), so a pair
 *          with a function that was changed is new again.
 * Memory:  open addressing in pages from the kernel; grows by doubling. Outgrown tables are left to those
 *          who read them.
 * Threads: one writer; others may read while it writes (_each: a pair is seen or not, counts are whole).
 * Errors:  without memory nothing is added (false): such pairs stay new.
 */
#ifndef PF_RT_PAIRS_H
#define PF_RT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_pair {
    uint64_t key;     /* 0: free */
    uint32_t count;   /* calls, those of earlier executions too */
    uint32_t earlier; /* how many of them were in earlier executions */
};

struct pf_pairs {
    struct pf_pair *at;
    uint32_t n, size; /* size is 0 or a power of two */
};

/* The pair of two functions, never 0; the same for (b, a). */
static inline uint64_t pf_pair_key(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b, mixed = (a ^ b) * 0x9fb21c651e98df25ull;
    sum = (sum ^ sum >> 29) * 0xbf58476d1ce4e5b9ull;
    uint64_t key = sum ^ mixed ^ mixed >> 32;
    return key ? key : 1;
}
/* What a function is called in a key: its name, the file's name without folders, the hash of its code. */
uint64_t pf_function_name(const char *name, const char *file, uint64_t body);

struct pf_pair *pf_pairs_find(const struct pf_pairs *m, uint64_t key); /* NULL: not there */
/* Adds a pair that is not there. NULL: no memory. */
struct pf_pair *pf_pairs_add(struct pf_pairs *m, uint64_t key, uint32_t count, uint32_t earlier);
void pf_pairs_each(const struct pf_pairs *m, void (*f)(const struct pf_pair *, void *), void *arg);
void pf_pairs_release(struct pf_pairs *m);

struct pf_rate {
    uint32_t burst, period;
    uint32_t floor; /* the longest period */
};
/* Is the call number `count` (from 0) of a pair in a burst? *left: how many calls, from this one on, have the
 * same answer. */
bool pf_rate_bursts(const struct pf_rate *r, uint32_t count, uint32_t *left);

/* A call of the function `f` while others run others[0..n), n <= 64: is it sampled? The coldest of its pairs
 * decides: its count, 0 for a new one, is in a burst, maybe its first. `before` holds what earlier executions left;
 * `own` gets `weight` more for each pair that is not new. *wake: the others whose pair decided so. *left: as above. */
enum pf_pairs_say { PF_PAIRS_PASS, PF_PAIRS_BURST, PF_PAIRS_FIRST_BURST };
enum pf_pairs_say pf_pairs_call(struct pf_pairs *own, const struct pf_pairs *before,
                                const struct pf_rate *r, uint64_t f, const uint64_t *others,
                                unsigned n, uint32_t weight, uint64_t *wake, uint32_t *left);
/* f and other run at the same time at `weight` calls of functions that they called: nothing is asked. */
void pf_pairs_lasting(struct pf_pairs *own, const struct pf_pairs *before, uint64_t f,
                      uint64_t other, uint32_t weight);

#endif
