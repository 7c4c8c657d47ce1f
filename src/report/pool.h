/*
 * pool.h - an arena: memory that is freed all at once.
 *
 * Model:   a list of chunks; the newest one is filled from its start.
 * Memory:  chunks are allocated by `map` and freed by `unmap`: system calls in the runtime, malloc
 *          in the tools.
 * Threads: no locks inside; one user at a time.
 * Errors:  pf_pool_get returns NULL when `map` does, and the pool stays usable.
 */
#ifndef PF_REPORT_POOL_H
#define PF_REPORT_POOL_H

#include <stddef.h>

struct pf_pool_chunk;

struct pf_pool {
    void *(*map)(size_t size);
    void (*unmap)(void *at, size_t size);
    struct pf_pool_chunk *chunks;
    char *at, *end;
};

void pf_pool_init(struct pf_pool *a, void *(*map)(size_t), void (*unmap)(void *, size_t));
/* Frees everything that was allocated; the pool can be used again. May be called twice. */
void pf_pool_release(struct pf_pool *a);
/* Returns zeroed memory, aligned to 16; NULL when out of memory. */
void *pf_pool_get(struct pf_pool *a, size_t size);
/* Returns a copy of the n bytes at s, followed by a 0; NULL when out of memory. */
char *pf_pool_text(struct pf_pool *a, const char *s, size_t n);

#endif
