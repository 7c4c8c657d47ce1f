/*
 * store.h - the runtime's own memory, separate from the target's heap.
 *
 * Model:   one large reserved region with a bump pointer. Blocks of power-of-two sizes, at least 64
 *          bytes, can be freed and are reused.
 * Memory:  a block is zero when it is first handed out, but not when it is reused.
 * Threads: any. The bump pointer is atomic and each free list has a lock; a registered
 *          thread caches a few small blocks.
 * Errors:  NULL when the region is used up, counted as PF_LIMIT_MEMORY.
 */
#ifndef PF_RT_STORE_H
#define PF_RT_STORE_H

#include "pf_event.h"
#include "spin.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool pf_store_init(void); /* false: no address space */
/* Zeroed memory that is never freed, aligned to 16. */
void *pf_store_alloc_permanent(size_t size);
/* A block of 64 << order bytes, contents undefined. Freed with the same order. */
void *pf_store_alloc(unsigned order);
void pf_store_free(void *block, unsigned order);
/* The calling thread ends: its cached blocks go to the free lists. */
void pf_store_flush_thread(void);

/* Blocks have a 32-bit handle: their offset from the start of the region in units of 64 bytes. */
#define PF_STORE_SHIFT 6
static inline uint32_t pf_store_handle(const void *block)
{
    return (uint32_t)(((uintptr_t)block - PF_STORE_BASE) >> PF_STORE_SHIFT);
}
static inline void *pf_store_at(uint32_t handle)
{
    return (void *)(PF_STORE_BASE + ((uint64_t)handle << PF_STORE_SHIFT));
}

void pf_store_lock_all(void); /* around fork */
void pf_store_unlock_all(void);

#endif
