/*
 * function_pairs.h - pairs of functions that were seen to run at the same time, and how often: the
 * state of AtexRace (Guo, Cai, Yang, ESEC/FSE 2017, Algorithm 2).
 *
 * Model:   a map from an unordered pair of functions to the number of calls at which it was seen. A
 *          pair that is not in the map is new: it is sampled. A pair in the map is sampled in
 *          bursts: with the rate b/p, the first b of every p calls. After k bursts (`repeat`) the
 *          period becomes ten times as long, and so on, up to `period_max`. k = 10:
 *
 *              calls    0 ... 10p            ... 110p                ...
 *              bursts   b of p | b of 10p          | b of 100p, up to period_max
 *
 *          What is known about the memory of the two functions changes this rate (pf_pair_kind).
 *          Functions are identified by a 64-bit hash of name, file and code (pf_function_hash), so
 *          a pair with a function that was changed is new again.
 * Memory:  open addressing in pages from the kernel; grows by doubling.
 * Threads: one writer. Others may call _each while it writes: they see a new pair or not, and the
 *          count before or after an increment. The table is replaced under the map's lock, which
 *          _each holds. The map must not be released before _each has returned.
 * Errors:  without memory nothing is added: such pairs stay new.
 */
#ifndef PF_RT_FUNCTION_PAIRS_H
#define PF_RT_FUNCTION_PAIRS_H

#include "spin.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_function_pair {
    uint64_t key;     /* 0: free */
    uint32_t count;   /* calls, including those of earlier executions */
    uint32_t earlier; /* how many of them come from earlier executions */
};

struct pf_function_pairs {
    struct pf_function_pair *at;
    uint32_t n, size; /* size is 0 or a power of two */
    uint64_t seed; /* of pf_function_pair_shift, in a map of earlier executions */
    struct pf_spin lock; /* held while `at` is replaced, and while another thread reads it */
};

/* The key of a pair, never 0; symmetric in a and b. */
static inline uint64_t pf_function_pair_key(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b, mixed = (a ^ b) * 0x9fb21c651e98df25ull;
    sum = (sum ^ sum >> 29) * 0xbf58476d1ce4e5b9ull;
    uint64_t key = sum ^ mixed ^ mixed >> 32;
    return key ? key : 1;
}
/* The hash that identifies a function: of its name, its file's name without folders, and the hash
 * of its code. */
uint64_t pf_function_hash(const char *name, const char *file, uint64_t body);

/* NULL: not in the map */
struct pf_function_pair *pf_function_pairs_find(const struct pf_function_pairs *m, uint64_t key);
/* Adds a pair that is not in the map. Returns NULL without memory. */
struct pf_function_pair *pf_function_pairs_add(struct pf_function_pairs *m, uint64_t key,
                                               uint32_t count, uint32_t earlier);
/* Adds to `sum` what `more` has seen in this execution. */
void pf_function_pairs_add_all(struct pf_function_pairs *sum, struct pf_function_pairs *more);
/* Calls f with a copy of each pair. f must not use m. */
void pf_function_pairs_each(struct pf_function_pairs *m,
                            void (*f)(const struct pf_function_pair *, void *), void *arg);
void pf_function_pairs_release(struct pf_function_pairs *m);

struct pf_burst_rate {
    uint32_t burst, period;
    uint32_t period_max; /* the period does not grow beyond it; LONGEST in the option */
    uint32_t repeat; /* bursts with one period, before the period grows */
};
/* Parses [BURST/PERIOD][:N[:LONGEST]]; parts that are missing leave *r and *n unchanged. Returns
 * false if the text is invalid. n: executions in a row that make a pair frequent, 1 to 255. */
bool pf_burst_rate_parse(const char *s, struct pf_burst_rate *r, uint32_t *n);
/* True if call number `count` (from 0) of a pair is in a burst. *left: for how many calls, from
 * this one on, the answer is the same. */
bool pf_burst_rate_samples(const struct pf_burst_rate *r, uint32_t count, uint32_t *left);
/* What is known about the memory of a pair (pair_coverage.h). */
enum pf_pair_kind {
    PF_PAIR_LOCKED, /* shared memory, but under a common lock; or nothing is known */
    PF_PAIR_UNLOCKED, /* shared memory without a common lock */
    PF_PAIR_APART, /* no shared memory was seen so far */
    PF_PAIR_RETIRED, /* covered, and not PF_PAIR_UNLOCKED */
};
/* How a pair of this kind is sampled: an unlocked pair does not age; one without shared memory
 * ages after each burst; a retired one has the longest period from the beginning. */
struct pf_burst_rate pf_pair_burst_rate(const struct pf_burst_rate *r, enum pf_pair_kind kind);

/* The count at which a pair of earlier executions, which counted `count` calls, begins in this one:
 * at another position in its period, chosen by `seed` and the pair. Without this, an execution that
 * makes fewer calls than a period has would meet no burst if the executions before it ended between
 * two bursts. */
uint32_t pf_function_pair_shift(const struct pf_burst_rate *r, uint32_t count, uint64_t key,
                                uint64_t seed);

/* A function that another thread runs, and what is known about its pair with f. */
struct pf_other_function {
    uint64_t hash;
    enum pf_pair_kind kind;
    bool covered; /* pair_coverage.h */
};
/* Decides whether a call of function `f` is sampled while other threads run others[0..n), n <=
 * PF_PAIR_OTHERS_MAX: it is if one of its pairs is in a burst. `before` holds the pairs of earlier
 * executions; in `own` each pair gets `weight` more calls; a new one gets 1, because it did not
 * exist during the skipped calls. A pair that is not covered begins each execution with a burst. A
 * retired pair is not new, even if it is not in `before`. *wake: a bit for each of the others whose
 * pair is in its first burst of this or of all executions; if no pair is, for each whose pair has
 * the result. *left: as in pf_burst_rate_samples, for the pair whose answer changes first. */
#define PF_PAIR_OTHERS_MAX 64 /* bits of *wake */
enum pf_pair_decision {
    PF_PAIR_SKIP,
    PF_PAIR_BURST,
    PF_PAIR_UNLOCKED_BURST, /* of a PF_PAIR_UNLOCKED */
    PF_PAIR_UNCOVERED_BURST, /* the first one of this execution, of a pair that is not covered */
    PF_PAIR_FIRST_BURST, /* of all executions */
    PF_PAIR_NEW, /* one of the pairs was never seen before */
};
enum pf_pair_decision pf_function_pairs_decide(struct pf_function_pairs *own,
                                               const struct pf_function_pairs *before,
                                               const struct pf_burst_rate *r, uint64_t f,
                                               const struct pf_other_function *others, unsigned n,
                                               uint32_t weight, uint64_t *wake, uint32_t *left);
/* Adds `weight` to the count of the pair (f, other). f is a thread's first function; the calls were
 * made below it. */
void pf_function_pairs_count(struct pf_function_pairs *own, const struct pf_function_pairs *before,
                             const struct pf_burst_rate *r, uint64_t f, uint64_t other,
                             uint32_t weight);

#endif
