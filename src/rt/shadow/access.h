/*
 * access.h - memory accesses that the runtime itself sees (interposed functions, the allocator),
 * and changes of what memory is.
 *
 * Model:   as for compiled code: a race is reported when an access conflicts with an earlier one
 *          that did not happen before it.
 * Threads: any. `id` names the calling context and site (stack.h: pf_stack_here).
 */
#ifndef PF_RT_ACCESS_H
#define PF_RT_ACCESS_H

#include "thread.h"

void pf_access_read(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);
void pf_access_write(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);

/* The memory is new (malloc, mmap, a fresh stack): nothing happened to it yet. Sync objects in it
 * are dropped too. */
void pf_memory_new(const volatile void *addr, size_t size);
/* Large ranges that may be given back to the system at once (munmap, MADV_DONTNEED). */
void pf_memory_gone(const volatile void *addr, size_t size);
/* The pages of this range that the system has back are gone; true if that was all of it. */
bool pf_memory_returned(const volatile void *addr, size_t size);
/* A write of a large range, checked where it has a history at all: what nobody has used costs
 * neither time nor memory. */
void pf_memory_end(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);

/* Heap blocks, by their first address. malloc: registered after the real call; free: checked as a
 * write of the whole block and marked, before the real call. Unknown blocks are ignored. */
struct pf_block {
    uintptr_t addr;
    size_t size;
    uint32_t where; /* access id of the allocation */
    uint32_t thread;
    bool freed;     /* and not handed out again yet */
};
void pf_block_init(void);
void pf_block_lock_all(void); /* around fork */
void pf_block_unlock_all(void);
/* A block begins or ends here in a moment: what is known of it comes nearer to the processor meanwhile. */
void pf_block_coming(const void *addr);
void pf_block_new(struct pf_thread *t, void *addr, size_t size, uint32_t where);
/* A block that was freed, by realloc, and stayed: its first `kept` bytes keep their history, in
 * which the free is a write. */
void pf_block_again(struct pf_thread *t, void *addr, size_t size, size_t kept, uint32_t where);
void pf_block_free(struct pf_thread *t, void *addr, uint32_t where);
/* The block that holds addr, for reports; false if none. */
bool pf_block_find(const volatile void *addr, struct pf_block *out);
/* The same for blocks that are not freed, quickly; while pf_rt.events. */
bool pf_block_holding(uintptr_t addr, struct pf_block *out);
/* The same where only large blocks can be: in mappings of their own. */
bool pf_block_large(uintptr_t addr, struct pf_block *out);
/* While pf_rt.events: where and by whom the block at addr was freed; false: it was not. */
bool pf_block_end(uintptr_t addr, uint32_t *where, uint32_t *thread);
/* The size given to pf_block_new, or 0. */
size_t pf_block_size(const void *addr);

#endif
