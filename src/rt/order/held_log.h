/*
 * held_log.h - which locks a slot held in each of its epochs, in few bits.
 *
 * Model:   a map epoch -> lockset, total over the epochs appended so far. The newest chunk of
 *          epochs is an array; when it is full it is packed: nothing at all if it has one value,
 *          else each value as its distance from the smallest one, or as its place in a list of the
 *          chunk's values, whichever takes fewer bits.
 * Memory:  one mapping a log, committed as it is used: 2 bits an epoch in a program with three
 *          locksets, 7 where a hundred locks are taken at random, none where no lock is.
 * Threads: one writer; readers at any time, for epochs they know to be appended.
 * Errors:  init is false when the mapping cannot be had.
 */
#ifndef PF_RT_HELDLOG_H
#define PF_RT_HELDLOG_H

#include "pf_shadow.h"
#include <stdbool.h>
#include <stdint.h>

#define PF_HELDLOG_CHUNK 1024u

struct pf_heldlog {
    uint32_t *open;   /* the values of the newest chunk */
    uint32_t *sealed; /* by chunk: 0 not yet; value << 1 | 1; else where it stands in `packed` */
    uint64_t *packed;
    uint32_t used; /* words of `packed`; the first is never used */
};

bool pf_heldlog_init(struct pf_heldlog *l);
/* Epoch clk began, or goes on without statements so far: its locks are `set`. clk is that of the last call
 * or the one after it; the first is any. */
void pf_heldlog_seal(struct pf_heldlog *l, uint32_t clk); /* of _put: a chunk begins with clk */
static inline void pf_heldlog_put(struct pf_heldlog *l, uint32_t clk, uint32_t set)
{
    if (__builtin_expect(clk % PF_HELDLOG_CHUNK == 0, 0))
        pf_heldlog_seal(l, clk);
    /* After the chunk before it was sealed, for readers. */
    __atomic_store_n(&l->open[clk % PF_HELDLOG_CHUNK], set, __ATOMIC_RELEASE);
}
uint32_t pf_heldlog_get(const struct pf_heldlog *l, uint32_t clk);
/* As after init; the pages go back. Nobody reads. */
void pf_heldlog_clear(struct pf_heldlog *l);

#endif
