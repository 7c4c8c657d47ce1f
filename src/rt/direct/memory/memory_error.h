/*
 * memory_error.h - reports accesses to memory that must not be accessed, as findings of the run.
 *
 * Model:   an access is checked just before it happens, by its thread. Accesses of compiled code
 *          are checked when every event is reported (pf_direct.watching, or a trace), those of
 *          interposed functions always. A finding is reported once for each stack id; the program
 *          continues.
 * Memory:  the pool of reports.
 * Threads: the target's one kernel thread.
 * Errors:  findings that cannot be written are counted (limits.h).
 *
 * pf_memory_check is called while vector registers are live, and preserves them.
 */
#ifndef PF_RT_MEMORY_ERROR_H
#define PF_RT_MEMORY_ERROR_H

#include "red_zone.h"

/* Reports the access. id 0: computed from `site` of the running function. */
void pf_memory_error(uintptr_t addr, size_t size, bool write, uint32_t id, uint32_t site);
static inline void pf_memory_check(uintptr_t addr, size_t size, bool write, uint32_t id,
                                   uint32_t site)
{
    if (__builtin_expect(pf_red_zone_find(addr, size) != 0, 0))
        pf_memory_error(addr, size, write, id, site);
}
/* Called by compiled code: an access derived from the variable at `base`, `limit` bytes long, is
 * outside of it. */
void pf_memory_outside_variable(uintptr_t addr, uint32_t site, uint64_t size, uintptr_t base,
                                uint64_t limit);
/* Reports a block that was already freed. Call nested (pf_nest). */
void pf_memory_double_free(uintptr_t block, uint32_t id);

#endif
