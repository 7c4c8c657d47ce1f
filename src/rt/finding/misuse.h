/*
 * misuse.h - findings that are not races: locks and threads used in a wrong way, and locks taken in
 * an order that can deadlock.
 *
 * Model:   a list of operations. The first operation is the error; the others are earlier
 *          operations that explain it. For a cycle of locks, each operation is one acquisition.
 * Memory:  the finding is built in the pool of reporter.c and released after it was written.
 * Threads: any; the caller is inside the runtime (pf_nest).
 * Errors:  as in reporter.h. In directed mode nothing is reported.
 */
#ifndef PF_RT_MISUSE_H
#define PF_RT_MISUSE_H

#include "finding.h"
#include "pool.h"
#include "thread.h"

#define PF_MISUSE_STEPS 20 /* operations of one finding */

struct pf_misuse {
    enum pf_kind kind;
    const char *suspicious; /* why it does not count; NULL: it counts */
    const char *harm; /* more about what is wrong, one sentence; NULL: nothing */
    uintptr_t object; /* the lock; 0: none */
    uint32_t subject; /* 1 + number of the thread that the finding is about; 0: none */
    uint64_t count; /* 0 means 1 */
    size_t n;
    struct pf_misuse_step {
        uint32_t thread; /* its number */
        enum pf_op op;
        uint32_t id; /* site id */
        const struct pf_func *function; /* not NULL: it is shown in place of the stack of id */
        uintptr_t addr;
        size_t size;
        /* the lock that the thread holds meanwhile, and where it was taken; 0: does not matter */
        uintptr_t held;
        uint32_t held_at;
        bool held_first; /* held_at is the first acquisition of the lock by any thread */
    } at[PF_MISUSE_STEPS];
};

/* Reports it, once for each fingerprint. */
void pf_misuse_found(const struct pf_misuse *m);

/* Reports a cycle in the order of locks (lock_order.h). */
struct pf_lock_cycle;
void pf_lock_cycle_found(const struct pf_lock_cycle *cycle);

/* NULL if the pool is out of memory. The caller holds the report lock. */
struct pf_finding *pf_misuse_build(struct pf_pool *pool, const struct pf_misuse *m);

#endif
