/*
 * memory_error.h - accesses of memory that is nobody's: found, and told as findings of the run.
 *
 * Model:   an access is looked at when it is about to happen, by its thread: compiled code's when every event is
 *          handed over (pf_direct.watching, or a trace), those of interposed functions always. A finding is told
 *          once for each place in the program; the program goes on.
 * Memory:  the pool of reports.
 * Threads: the target's one kernel thread.
 * Errors:  what cannot be written is counted (limits.h).
 *
 * pf_memory_check is called where vector registers are alive, and keeps them.
 */
#ifndef PF_RT_MEMORY_ERROR_H
#define PF_RT_MEMORY_ERROR_H

#include "red_zone.h"

/* id 0: the site of the function that runs. */
void pf_memory_error(uintptr_t addr, size_t size, bool write, uint32_t id, uint32_t site);
static inline void pf_memory_check(uintptr_t addr, size_t size, bool write, uint32_t id,
                                   uint32_t site)
{
    if (__builtin_expect(pf_heap_watch(addr, size) != 0, 0))
        pf_memory_error(addr, size, write, id, site);
}
/* From compiled code: an access that is made from the variable at `base` goes out of it. */
void pf_event_outside(uintptr_t addr, uint32_t site, uint64_t size, uintptr_t base, uint64_t limit);
/* The block was freed before. Nested. */
void pf_memory_freed_twice(uintptr_t block, uint32_t id);

#endif
