/*
 * wrap_malloc.h - heap blocks, seen from the functions that hand them out and take them back.
 *
 * Model:   a block begins with no history, and its end counts as a write of all of it. What libc
 *          itself allocates and frees (its locks are not seen) begins and ends without a check.
 * Threads: any, known or not: memory from an unknown thread has no history either.
 */
#ifndef PF_RT_WRAP_MALLOC_H
#define PF_RT_WRAP_MALLOC_H

#include "wrap_libc.h"

/* The block p is the result of `native`, called from `caller`; returns p. NULL is fine. */
void *pf_heap_made(struct pf_func *native, void *p, size_t size, const void *caller);
/* `native` is about to give back p. NULL is fine. */
void pf_heap_ending(struct pf_func *native, void *p, const void *caller);

/* The allocator below them, the program's own where it brings one: not registered. align 0: as
 * malloc. */
void *pf_heap_raw(size_t size, size_t align);
void pf_heap_raw_free(struct pf_func *native, void *p, const void *caller);

#endif
