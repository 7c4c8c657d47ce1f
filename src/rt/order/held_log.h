/*
 * held_log.h - which locks a slot held in each of its epochs, in few bits.
 *
 * Model:   a map epoch -> lockset, total over the epochs appended so far. The newest chunk of
 *          epochs is an array. A full chunk is packed: nothing is stored if all its values are
 *          equal; otherwise each value is stored as its difference from the smallest one, or as its
 *          index in a list of the chunk's values, whichever takes fewer bits.
 * Memory:  one mapping per log, committed as it is used: 2 bits per epoch in a program with three
 *          locksets, 7 where a hundred locks are taken at random, 0 where no lock is taken. Chunks
 *          that no report can name are discarded (_discard), unless the owner keeps them (_keep).
 * Threads: one writer; readers at any time, for epochs that they know to be appended and that are
 *          not discarded. _discard may run at the same time, one call at a time.
 * Errors:  init returns false if the mapping cannot be created.
 */
#ifndef PF_RT_HELD_LOG_H
#define PF_RT_HELD_LOG_H

#include "pf_shadow.h"
#include <stdbool.h>
#include <stdint.h>

#define PF_HELD_LOG_CHUNK 1024u /* epochs of a chunk */

struct pf_held_log {
    uint32_t *open;   /* the values of the newest chunk */
    /* by chunk: 0: not yet; value << 1 | 1: all equal; else index in `packed`, << 1. The highest
     * bit says that the chunk is kept. */
    uint32_t *sealed;
    uint64_t *packed;
    uint32_t used; /* words of `packed`; word 0 is never used */
    bool keep; /* the newest chunk is to be kept */
    /* For _discard. examined: the number of chunks that it has examined. discardable: the first
     * word of `packed` that it has not discarded yet but may; 0: none so far. */
    uint32_t examined, discardable;
};

bool pf_held_log_init(struct pf_held_log *l);
/* For _put: clk begins a chunk. */
void pf_held_log_seal(struct pf_held_log *l, uint32_t clk);
/* Epoch clk has begun, or continues and has no access records so far; its lockset is `set`. clk is
 * the same as in the last _put, or one more; in the first one it is arbitrary. */
static inline void pf_held_log_put(struct pf_held_log *l, uint32_t clk, uint32_t set)
{
    if (__builtin_expect(clk % PF_HELD_LOG_CHUNK == 0, 0))
        pf_held_log_seal(l, clk);
    /* A reader that sees this value must also see that the previous chunk was sealed. */
    __atomic_store_n(&l->open[clk % PF_HELD_LOG_CHUNK], set, __ATOMIC_RELEASE);
}
uint32_t pf_held_log_get(const struct pf_held_log *l, uint32_t clk);
/* The lockset of epoch clk, which has been put, is needed for ever. By the writer. */
void pf_held_log_keep(struct pf_held_log *l, uint32_t clk);
/* The locksets of epochs up to clk are needed no more, except in chunks that are kept: gives
 * their pages back to the kernel. */
void pf_held_log_discard(struct pf_held_log *l, uint32_t clk);
/* Empties the log and gives its pages back to the kernel. There must be no readers. */
void pf_held_log_clear(struct pf_held_log *l);

#endif
