/*
 * runtime_access.h - memory accesses of interposed functions and of the allocator, and changes in
 * the use of memory: allocated, freed, mapped, unmapped.
 *
 * Model:   as for compiled code: a race is reported when an access conflicts with an earlier access
 *          that did not happen before it.
 * Memory:  heap blocks are described in the block plane (heap_block.c).
 * Threads: any. Accesses and frees are called by the thread that makes them. `id` and `where` are
 *          site ids (stack.h).
 * Errors:  a block that cannot be registered is unknown from then on.
 */
#ifndef PF_RT_RUNTIME_ACCESS_H
#define PF_RT_RUNTIME_ACCESS_H

#include "thread.h"

void pf_runtime_read(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);
void pf_runtime_write(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);

/* The memory is fresh (malloc, mmap, a new stack): drops all access records and sync objects in
 * it. */
void pf_memory_new(const volatile void *addr, size_t size);
/* The same for a range that returns to the system (munmap, MADV_DONTNEED): also returns its shadow
 * pages. */
void pf_memory_unmapped(const volatile void *addr, size_t size);
/* Drops the access records of those pages of the range that the system has taken back. Returns true
 * if these were all pages of the range. */
bool pf_memory_drop_returned(const volatile void *addr, size_t size);
/* A write of a large range. Only parts whose shadow is in use are checked and updated, so memory
 * that was never accessed costs neither time nor shadow memory. */
void pf_memory_write_used(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);

/* Heap blocks, identified by their first address. pf_block_new is called after the real malloc.
 * pf_block_free is called before the real free: it checks the free as a write of the whole block
 * and marks the block as freed. Frees of unknown blocks are ignored. */
struct pf_block {
    uintptr_t addr;
    size_t size;
    uint32_t where; /* site id of the allocation */
    uint32_t thread;
    bool freed; /* freed, and not allocated again yet */
};
void pf_block_init(void);
void pf_block_lock_all(void); /* around fork */
void pf_block_unlock_all(void);
/* A block is about to be allocated or freed here: prefetches its shadow. */
void pf_block_prefetch(const void *addr);
void pf_block_new(struct pf_thread *t, void *addr, size_t size, uint32_t where);
/* A block that realloc freed and allocated again at the same address: its first `kept` bytes keep
 * their access records, in which the free counts as a write. */
void pf_block_reuse(struct pf_thread *t, void *addr, size_t size, size_t kept, uint32_t where);
void pf_block_free(struct pf_thread *t, void *addr, uint32_t where);
/* Finds the block that contains addr, for reports. Returns false if there is none. Freed blocks are
 * found if no live block contains addr. */
bool pf_block_find(const volatile void *addr, struct pf_block *out);
/* Finds the live block that contains addr, faster. Only while pf_rt.events. */
bool pf_block_find_live(uintptr_t addr, struct pf_block *out);
/* The same for addresses that can only be in large blocks, which have their own mappings. */
bool pf_block_find_large(uintptr_t addr, struct pf_block *out);
/* Where (site id) and by which thread the block at addr was freed; false if it was not freed. Only
 * while pf_rt.events. */
bool pf_block_freed_by(uintptr_t addr, uint32_t *where, uint32_t *thread);
/* The size that pf_block_new got for the live block at addr; 0 if there is none. */
size_t pf_block_size(const void *addr);

#endif
