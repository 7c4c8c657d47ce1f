/*
 * block_history.h - in event mode: where each heap block was allocated and freed.
 *
 * Model:   a cell of two words for every 32 bytes of memory, the smallest block that malloc hands
 *          out. A block is described by the cell of its first byte:
 *
 *              63                    40 39                               4 3    1 0
 *             +------------------------+----------------------------------+------+-+
 *             |         where          |               size               | low  |F|
 *             +------------------------+----------------------------------+------+-+
 *             |          end           |      thread      |    freed by   |   0    |
 *             +------------------------+------------------+---------------+--------+
 *              24 bits                  20 bits            20 bits
 *
 *          where: site id of the allocation; low: 1 + which 8 of the 32 bytes the block begins
 *          with, 0: no block; F: the block was freed, at site id `end`. A size or a thread number
 *          that does not fit is stored as the largest value that does.
 * Memory:  the plane of overflow words, which is unused in event mode.
 * Threads: the target's one kernel thread.
 * Errors:  none. Allocators of the program may hand out smaller blocks: of two blocks in one cell
 *          only the newer one is known.
 *
 * Some programs do little but allocate, so speed matters here: the two words are adjacent and
 * found without a search. Blocks in free mode (heap_block.c) have an index and separate records,
 * which is smaller, but takes two more cache misses at every free.
 *
 * Called where vector registers are live: nothing here uses them.
 */
#ifndef PF_RT_BLOCK_HISTORY_H
#define PF_RT_BLOCK_HISTORY_H

#include "runtime_access.h"

/* A block is about to begin or end here: prefetches what _reuse and _free use. */
void pf_block_history_prefetch(const void *addr);
/* The first `kept` bytes belonged to a block that was here before (realloc in place). */
void pf_block_history_reuse(struct pf_thread *t, void *addr, size_t size, size_t kept,
                            uint32_t where, bool write);
/* Returns the size of the block; 0: no block is known at the address, or it is freed. */
size_t pf_block_history_free(struct pf_thread *t, void *addr, uint32_t where, bool mark);
/* 0: there is no block, or it is freed. */
size_t pf_block_history_size(const void *addr);
/* For reports: of the blocks that contain the address, the one that is not freed, else the last
 * one. */
bool pf_block_history_find(const volatile void *addr, struct pf_block *out);
/* Finds the live block that contains addr, faster. */
bool pf_block_find_live(uintptr_t addr, struct pf_block *out);
/* The same for addresses that can only be in large blocks, which have their own mappings. */
bool pf_block_find_large(uintptr_t addr, struct pf_block *out);
/* Where (site id) and by which thread the block at addr was freed; false if it was not freed. */
bool pf_block_freed_by(uintptr_t addr, uint32_t *where, uint32_t *thread);

#endif
