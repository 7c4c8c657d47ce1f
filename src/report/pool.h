/*
 * pool.h - memory that is given back all at once.
 *
 * Model:   a list of chunks; the newest one is filled from its start.
 * Memory:  chunks come from `map` and go back through `unmap`: the runtime gives system calls, the
 *          tools malloc.
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
/* Everything handed out is gone; the pool can be used again. Twice is fine. */
void pf_pool_release(struct pf_pool *a);
/* Zeroed, aligned to 16. */
void *pf_pool_get(struct pf_pool *a, size_t size);
/* A copy of the n bytes at s with a 0 after them; NULL when out of memory. */
char *pf_pool_text(struct pf_pool *a, const char *s, size_t n);

#endif
