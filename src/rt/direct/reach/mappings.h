/*
 * mappings.h - the memory mappings of the process: bounds, protection, and the mapped file.
 *
 * Model:   the contents of /proc/self/maps, read again after a system call that changed mappings.
 *          The kernel merges adjacent mappings; pf_mapping_part tells apart what separate calls of
 *          the program mapped. Memory of the runtime (outside of PF_APP_RANGES) is not included.
 * Memory:  a static table; a pointer to a mapping is valid until the next call.
 * Threads: the target's one kernel thread.
 * Errors:  if /proc cannot be read, or there are more mappings than table entries,
 *          pf_mappings_known returns false. The caller must then not conclude anything from an
 *          address that is not found.
 */
#ifndef PF_RT_MAPPINGS_H
#define PF_RT_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

struct pf_mapping {
    uint64_t lo, hi;
    bool writable, file; /* file: mapped from a file */
    bool shared;         /* with MAP_SHARED */
    char name[48];       /* last component of the file's path, "[heap]", or empty */
};

const struct pf_mapping *pf_mapping_find(uint64_t addr); /* NULL: not mapped, or unknown */
const struct pf_mapping *pf_mapping_above(uint64_t addr); /* the first one at or above addr */
bool pf_mappings_known(void);
uint64_t pf_mappings_epoch(void); /* changes whenever mappings may have changed */

/* The part of mapping a that was mapped by the same call as addr. */
void pf_mapping_part(const struct pf_mapping *a, uint64_t addr, uint64_t *lo, uint64_t *hi);

/* Call after each system call, with its result: it may have changed mappings. */
void pf_mappings_after_syscall(long number, const long a[6], long result);

/* The used parts of the three address ranges of a program: image, heap, mappings. Valid once
 * mappings were read. The program has no memory outside of them. */
#define PF_MAPPING_BOUNDS 3u
extern struct pf_address_bounds {
    uint64_t lo, hi; /* lo == hi: empty */
} pf_mapping_bounds[PF_MAPPING_BOUNDS],
    pf_mapping_hull; /* hull: smallest range that contains all of them */

static inline bool pf_mappings_hull_holds(uint64_t p)
{
    return p - pf_mapping_hull.lo < pf_mapping_hull.hi - pf_mapping_hull.lo;
}
static inline bool pf_mappings_may_hold(uint64_t p)
{
    if (!pf_mappings_hull_holds(p)) /* rejects nearly all words that are not addresses */
        return false;
    for (unsigned i = 0; i < PF_MAPPING_BOUNDS; i++)
        if (p - pf_mapping_bounds[i].lo < pf_mapping_bounds[i].hi - pf_mapping_bounds[i].lo)
            return true;
    return false;
}

#endif
