/*
 * memory_ops.h - free mode's functions for the table in runtime_access.h.
 */
#ifndef PF_RT_MEMORY_OPS_H
#define PF_RT_MEMORY_OPS_H

#include "runtime_access.h"

/* check.c */
void pf_check_read(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);
void pf_check_write(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);
/* atomic.c */
void *pf_atomic_begin_checked(struct pf_thread *t, void *addr, uint32_t packed, uint32_t site);
void pf_fence_checked(struct pf_thread *t, uint32_t order, uint32_t site);
/* memory_range.c */
void pf_shadow_new(const volatile void *addr, size_t size);
/* The same for memory that t allocates at the site id `where`. The allocation counts as a write of
 * the memory. */
void pf_shadow_allocated(struct pf_thread *t, const volatile void *addr, size_t size,
                         uint32_t where);
/* t frees the block: checks this as a write of it, and marks its start as freed. */
void pf_shadow_free(struct pf_thread *t, void *addr, size_t size, uint32_t where);
void pf_shadow_unmapped(const volatile void *addr, size_t size);
/* heap_block.c */
bool pf_heap_block_init(void);
void pf_heap_block_prefetch(const void *addr);
void pf_heap_block_reuse(struct pf_thread *t, void *addr, size_t size, size_t kept, uint32_t where,
                         bool write);
size_t pf_heap_block_free(struct pf_thread *t, void *addr, uint32_t where, bool mark);
/* While sampling: unwatched code frees a block, which is not checked and leaves no records. Returns
 * false, with nothing done, unless it is a live block that its word alone describes. */
bool pf_heap_block_free_unwatched(void *addr);
bool pf_heap_block_find(const volatile void *addr, struct pf_block *out);
size_t pf_heap_block_size(const void *addr);

#endif
