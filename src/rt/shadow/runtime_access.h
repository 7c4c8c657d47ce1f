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

struct pf_block;

/* What these operations do: checks in free mode, events in event mode (direct/trace/event_mode.c).
 * The inline functions below describe them. */
struct pf_memory_ops {
    void (*read)(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);
    void (*write)(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);
    /* An atomic operation of compiled code begins, and a fence; t is neither NULL nor nested. The
     * result of atomic_begin is passed to __pf_atomic_end. */
    void *(*atomic_begin)(struct pf_thread *t, void *addr, uint32_t packed, uint32_t site);
    void (*fence)(struct pf_thread *t, uint32_t order, uint32_t site);
    void (*memory_new)(const volatile void *addr, size_t size);
    void (*memory_allocated)(struct pf_thread *t, const volatile void *addr, size_t size,
                             uint32_t where);
    void (*memory_unmapped)(const volatile void *addr, size_t size);
    bool (*block_init)(void); /* false: no address space */
    void (*block_prefetch)(const void *addr);
    void (*block_reuse)(struct pf_thread *t, void *addr, size_t size, size_t kept, uint32_t where,
                        bool write);
    size_t (*block_free)(struct pf_thread *t, void *addr, uint32_t where, bool mark);
    bool (*block_find)(const volatile void *addr, struct pf_block *out);
    size_t (*block_size)(const void *addr);
};
extern struct pf_memory_ops pf_memory_ops; /* free mode's, unless replaced at start */

static inline void pf_runtime_read(struct pf_thread *t, const volatile void *addr, size_t size,
                                   uint32_t id)
{
    pf_memory_ops.read(t, addr, size, id);
}
static inline void pf_runtime_write(struct pf_thread *t, const volatile void *addr, size_t size,
                                    uint32_t id)
{
    pf_memory_ops.write(t, addr, size, id);
}

/* Event mode's atomic_begin: calls the hook of the same name, and the hook atomic_end later. */
void *pf_atomic_begin_event(struct pf_thread *t, void *addr, uint32_t packed, uint32_t site);

/* The memory is fresh (malloc, mmap, a new stack): drops all access records and sync objects in
 * it. */
static inline void pf_memory_new(const volatile void *addr, size_t size)
{
    pf_memory_ops.memory_new(addr, size);
}
/* The same for memory that t allocates at the site id `where`. The allocation counts as a write of
 * the memory, which must be ordered before its uses. */
static inline void pf_memory_allocated(struct pf_thread *t, const volatile void *addr, size_t size,
                                       uint32_t where)
{
    pf_memory_ops.memory_allocated(t, addr, size, where);
}
/* The same for a range that returns to the system (munmap, MADV_DONTNEED): also returns its shadow
 * pages. */
static inline void pf_memory_unmapped(const volatile void *addr, size_t size)
{
    pf_memory_ops.memory_unmapped(addr, size);
}
/* The block was freed by t at the site id `where`, and stays unused: every later access to it is
 * reported, until pf_memory_new. Free mode only. */
void pf_memory_mark_freed(struct pf_thread *t, const volatile void *addr, size_t size,
                          uint32_t where);
/* An object was loaded at [lo, hi) (hooks.h): what was there before has no history. */
void pf_shadow_module_loaded(uintptr_t lo, uintptr_t hi);
/* Drops the access records of those pages of the range that the system has taken back. Returns true
 * if these were all pages of the range. */
bool pf_memory_drop_returned(const volatile void *addr, size_t size);
/* A write of a large range. Only parts whose shadow is in use are checked and updated, so memory
 * that was never accessed costs neither time nor shadow memory. */
void pf_memory_write_used(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id);

/* Heap blocks, identified by their first address. pf_block_new is called after the real malloc.
 * pf_block_free is called before the real free: it checks the free as a write of the whole block
 * and marks the block as freed. It returns the size of the block; 0: the block is unknown. `mark`:
 * uses of the block that come later are reported as well, until the memory is allocated again. */
struct pf_block {
    uintptr_t addr;
    size_t size;
    uint32_t where; /* site id of the allocation */
    uint32_t thread;
    bool freed; /* freed, and not allocated again yet */
};
void pf_block_lock_all(void); /* around fork */
void pf_block_unlock_all(void);
/* A block is about to be allocated or freed here: prefetches its shadow. */
static inline void pf_block_prefetch(const void *addr) { pf_memory_ops.block_prefetch(addr); }
/* A block that realloc freed and allocated again at the same address: its first `kept` bytes keep
 * their access records. The free was checked as a write, and its record is among them. */
static inline void pf_block_reuse(struct pf_thread *t, void *addr, size_t size, size_t kept,
                                  uint32_t where, bool write)
{
    pf_memory_ops.block_reuse(t, addr, size, kept, where, write);
}
/* `write`: the allocation counts as a write of the block, which must be ordered before its uses. */
static inline void pf_block_new(struct pf_thread *t, void *addr, size_t size, uint32_t where,
                                bool write)
{
    pf_block_reuse(t, addr, size, 0, where, write);
}
static inline size_t pf_block_free(struct pf_thread *t, void *addr, uint32_t where, bool mark)
{
    return pf_memory_ops.block_free(t, addr, where, mark);
}
/* The block was freed with `mark`, but is still in use: realloc did not move it. Only in free
 * mode. */
void pf_shadow_not_freed(struct pf_thread *t, uintptr_t addr, size_t size, uint32_t where);
/* Finds the block that contains addr, for reports. Returns false if there is none. Freed blocks are
 * found if no live block contains addr. */
static inline bool pf_block_find(const volatile void *addr, struct pf_block *out)
{
    return pf_memory_ops.block_find(addr, out);
}
/* The size that pf_block_new got for the live block at addr; 0 if there is none. */
static inline size_t pf_block_size(const void *addr) { return pf_memory_ops.block_size(addr); }

#endif
