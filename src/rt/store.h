/*
 * store.h - the runtime's own memory, apart from the target's.
 *
 * Model:   one large reserved region, bumped; blocks of power-of-two sizes (64 bytes and up) can be
 *          given back and are reused.
 * Memory:  all blocks are zero when handed out first; reused ones are not.
 * Threads: any; the bump is atomic, each free list has a lock; a thread that the runtime knows keeps a
 *          few small blocks for itself.
 * Errors:  NULL when the region is used up, counted as PF_LIMIT_MEMORY.
 */
#ifndef PF_RT_STORE_H
#define PF_RT_STORE_H

#include "spin.h"
#include <stddef.h>
#include <stdint.h>

void pf_store_init(void);
/* Zeroed, for ever. Aligned to 16. */
void *pf_store_keep(size_t size);
/* A block of 64 << order bytes, contents undefined. */
void *pf_store_take(unsigned order);
void pf_store_give(void *block, unsigned order);
/* The calling thread ends: what it kept for itself is everybody's. */
void pf_store_flush(void);

/* Blocks have a 32-bit name: their distance from the start of the region in 64-byte units. */
#define PF_STORE_BASE 0x160000000000ull
#define PF_STORE_SIZE (1ull << 36)
static inline uint32_t pf_store_name(const void *block)
{
    return (uint32_t)(((uintptr_t)block - PF_STORE_BASE) >> 6);
}
static inline void *pf_store_at(uint32_t name)
{
    return (void *)(PF_STORE_BASE + ((uint64_t)name << 6));
}

void pf_store_lock_all(void); /* around fork */
void pf_store_unlock_all(void);

#endif
