/*
 * mappings.h - the mapped memory of the process: where each mapping begins and ends, and of which file it is.
 *
 * Model:   /proc/self/maps, read again when a system call has changed mappings since. The kernel joins
 *          neighbours; what was mapped by one call of the program is told apart again. Memory of the
 *          runtime (outside of PF_APP_RANGES) is left out.
 * Memory:  a table of its own; an area is valid until the next call.
 * Threads: the target's one kernel thread.
 * Errors:  where /proc cannot be read, or has more mappings than the table, pf_areas_known says false: the
 *          caller must not conclude anything from an address that is not found.
 */
#ifndef PF_RT_AREAS_H
#define PF_RT_AREAS_H

#include <stdbool.h>
#include <stdint.h>

struct pf_area {
    uint64_t lo, hi;
    bool writable, file; /* file: mapped from one */
    char name[48];       /* the last part of the file's path, "[heap]", or empty */
};

const struct pf_area *pf_area_find(uint64_t addr); /* NULL: not mapped, or not known */
bool pf_areas_known(void);
uint64_t pf_areas_epoch(void); /* another one: mappings may have changed */

/* The part of the area that was mapped together with addr. */
void pf_area_part(const struct pf_area *a, uint64_t addr, uint64_t *lo, uint64_t *hi);

/* After a system call: mappings may have changed. */
void pf_areas_called(long number, const long a[6], long result);

/* Image, heap and mappings as far as they reach, once they were asked for: nothing of the program is elsewhere. */
#define PF_SPANS 3u
extern struct pf_span {
    uint64_t lo, hi; /* lo == hi: nothing */
} pf_area_spans[PF_SPANS], pf_area_around; /* around: all of them, and what is between */

static inline bool pf_areas_around(uint64_t p)
{
    return p - pf_area_around.lo < pf_area_around.hi - pf_area_around.lo;
}
static inline bool pf_areas_span(uint64_t p)
{
    if (!pf_areas_around(p)) /* nearly all that are no addresses */
        return false;
    for (unsigned i = 0; i < PF_SPANS; i++)
        if (p - pf_area_spans[i].lo < pf_area_spans[i].hi - pf_area_spans[i].lo)
            return true;
    return false;
}

#endif
