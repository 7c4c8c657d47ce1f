/*
 * wrap_malloc.h - heap blocks, as seen by the functions that allocate and free them.
 *
 * Model:   a new block has no history; freeing it counts as a write of all of it. Blocks that libc
 *          itself allocates and frees are not checked, because its locks are not seen.
 * Threads: any, registered or not: memory from an unregistered thread has no history either.
 */
#ifndef PF_RT_WRAP_MALLOC_H
#define PF_RT_WRAP_MALLOC_H

#include "wrap_libc.h"

/* `native`, called from `caller`, has allocated the block p; returns p. p may be NULL. */
void *pf_heap_allocated(struct pf_func *native, void *p, size_t size, const void *caller);
/* `native` is about to free p, which may be NULL. */
void pf_heap_freeing(struct pf_func *native, void *p, const void *caller);

/* The underlying allocator, which is the program's own if it defines one. Blocks are not registered
 * by _raw. align 0: as for malloc. */
void *pf_heap_raw(size_t size, size_t align);
void pf_heap_raw_free(struct pf_func *native, void *p, const void *caller);

#endif
