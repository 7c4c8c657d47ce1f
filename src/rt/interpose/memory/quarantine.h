/*
 * quarantine.h - freed heap blocks that are not returned to libc yet, in free mode (option
 * quarantine_size_mb), so that a use after free or a double free is reported while the block is in
 * the queue.
 *
 * Model:   a queue; when it holds too many bytes, the oldest blocks are returned to libc.
 * Memory:  one mapping for the queue.
 * Threads: any; one lock. Callers are nested.
 * Errors:  without memory blocks are returned at once.
 */
#ifndef PF_RT_QUARANTINE_H
#define PF_RT_QUARANTINE_H

#include "thread.h"

struct pf_freed_block {
    void *addr;
    size_t size;
    uint32_t where, thread; /* site id and thread number of the free */
};
/* Keeps a block that t has just freed, and returns the oldest ones to libc with `release`. False:
 * the block was not kept. */
bool pf_quarantine_add(struct pf_thread *t, struct pf_freed_block block, void (*release)(void *));
/* Finds a kept block by its first address. O(blocks). */
bool pf_quarantine_find(const void *addr, struct pf_freed_block *out);
/* The same, and removes it: the caller owns it again. */
bool pf_quarantine_take(const void *addr, struct pf_freed_block *out);

void pf_quarantine_lock(void); /* around fork */
void pf_quarantine_unlock(void);

#endif
