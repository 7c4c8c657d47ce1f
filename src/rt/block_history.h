/*
 * block_history.h - the heap blocks while pf_rt.events: where each was allocated and freed (direct/memory/block_history.c).
 *
 * Model:   a cell of two words for every 32 bytes of memory, the least that malloc gives; that of a block
 *          is where it begins:
 *
 *              63                    40 39                               4 3    1 0
 *             +------------------------+----------------------------------+------+-+
 *             |         where          |               size               | low  |F|
 *             +------------------------+----------------------------------+------+-+
 *             |          end           |      thread      |    freed by   |   0    |
 *             +------------------------+------------------+---------------+--------+
 *              24 bits                  20 bits            20 bits
 *
 *          low: 1 + which 8 of the 32 bytes it begins with, 0: no block; F: it was freed, at `end`. A
 *          size or a number that does not fit is the largest that does.
 * Memory:  a plane that race statements do not need here.
 * Threads: the target's one kernel thread.
 *
 * Whoever allocates much touches little else: two words beside each other, found without a search. The
 * blocks of a free run (heap_block.c) have an index and records apart, which is smaller, and slower by two
 * cache misses at every free. An allocator of the program may have smaller blocks: of two in one cell the
 * newer one is known.
 *
 * Called from places where vector registers are alive: nothing here touches them.
 */
#ifndef PF_RT_HEAPBOOK_H
#define PF_RT_HEAPBOOK_H

#include "access.h"

/* A block begins or ends here in a moment. */
void pf_heapbook_coming(uintptr_t addr);
/* The first `kept` bytes are those of a block that was here before. */
void pf_heapbook_new(uintptr_t addr, size_t size, size_t kept, uint32_t where, uint32_t thread);
/* The size of the block that was freed; false: none is known there. */
bool pf_heapbook_free(uintptr_t addr, uint32_t where, uint32_t thread, size_t *size);
/* 0: none, or freed. */
size_t pf_heapbook_size(uintptr_t addr);
/* For reports: of the blocks that hold the address the one that is not freed, else the one that was last. */
bool pf_heapbook_find(uintptr_t addr, struct pf_block *out);

#endif
