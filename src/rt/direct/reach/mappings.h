/*
 * mappings.h - the mapped memory of the process: where each mapping begins and ends, and of which file it is.
 *
 * Model:   /proc/self/maps, read again when a system call has changed mappings since. The kernel joins
 *          neighbours; what was mapped by one call of the program is told apart again. Memory of the
 *          runtime (outside of PF_APP_RANGES) is left out.
 * Memory:  a table of its own; an area is valid until the next call.
 * Threads: the target's one kernel thread.
 * Errors:  where /proc cannot be read, or has more mappings than the table, pf_mappings_known says false: the
 *          caller must not conclude anything from an address that is not found.
 */
#ifndef PF_RT_MAPPINGS_H
#define PF_RT_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

struct pf_mapping {
    uint64_t lo, hi;
    bool writable, file; /* file: mapped from one */
    char name[48];       /* the last part of the file's path, "[heap]", or empty */
};

const struct pf_mapping *pf_mapping_find(uint64_t addr); /* NULL: not mapped, or not known */
bool pf_mappings_known(void);
uint64_t pf_mappings_epoch(void); /* another one: mappings may have changed */

/* The part of the area that was mapped together with addr. */
void pf_mapping_part(const struct pf_mapping *a, uint64_t addr, uint64_t *lo, uint64_t *hi);

/* After a system call: mappings may have changed. */
void pf_mappings_after_syscall(long number, const long a[6], long result);

/* Image, heap and mappings as far as they reach, once they were asked for: nothing of the program is elsewhere. */
#define PF_MAPPING_BOUNDS 3u
extern struct pf_address_bounds {
    uint64_t lo, hi; /* lo == hi: nothing */
} pf_mapping_bounds[PF_MAPPING_BOUNDS],
    pf_mapping_hull; /* around: all of them, and what is between */

static inline bool pf_mappings_hull_holds(uint64_t p)
{
    return p - pf_mapping_hull.lo < pf_mapping_hull.hi - pf_mapping_hull.lo;
}
static inline bool pf_mappings_may_hold(uint64_t p)
{
    if (!pf_mappings_hull_holds(p)) /* nearly all that are no addresses */
        return false;
    for (unsigned i = 0; i < PF_MAPPING_BOUNDS; i++)
        if (p - pf_mapping_bounds[i].lo < pf_mapping_bounds[i].hi - pf_mapping_bounds[i].lo)
            return true;
    return false;
}

#endif
