/*
 * region_rules.h - how strong the evidence is that a region of a match is meant to be atomic.
 *
 * Model:   a region that the user named (a mark, --atomic, a pattern of the user's own) is atomic.
 *          All others are inferred from locks; only the regions that another event of the match
 *          interrupts need evidence:
 *          - a lock guards a variable if it is held at nearly all writes of the variable. Writes of
 *            the interrupting code, and those before and after the variable is shared, do not
 *            count. A critical section is evidence only for variables that its lock guards. A
 *            variable on the stack of the region's thread is guarded only if another thread writes
 *            it with the lock: the region may have made it, for another thread to write.
 *          - accesses in two inner sections of a lock that the interrupting event also holds
 *            belong to two regions, unless the value of the first access flows into, or decides
 *            about, the last one (check_act.h).
 *          Without such evidence the region is weak: the match is an error only if the program
 *          fails. A match of atomic accesses to one variable (counters, retry loops, seqlocks) is
 *          dropped: code uses atomics where accesses need no common region.
 * Memory:  one entry per cell, thread, site and lockset of the writes of shared cells, and one per
 *          acquire of a lock.
 */
#ifndef PF_PECAN_REGION_RULES_H
#define PF_PECAN_REGION_RULES_H

#include "pattern.h"
#include "units.h"

enum pf_region_evidence {
    PF_EVIDENCE_NONE,     /* the match is dropped */
    PF_EVIDENCE_WEAK,     /* an error only if the program fails */
    PF_EVIDENCE_INFERRED, /* an error if no serial order of the regions gives the same result */
    PF_EVIDENCE_NAMED,    /* the user's region, or a race: an error */
};

struct pf_write_group { /* writes of one cell by equal code */
    uint32_t thread, site, held;
    uint32_t n;
    uint32_t next; /* the next group of the cell; PF_NONE: none */
};
struct pf_acquire {
    uint32_t thread, lock;
    uint32_t pos; /* its index in by_thread of partial_order.h */
};
struct pf_region_rules {
    const struct pf_units *w;
    PF_VEC(struct pf_acquire) acquires; /* sorted by thread, lock, position */
    PF_VEC(struct pf_write_group) groups;
    uint32_t *group_at; /* per cell: first group, PF_NONE if none */
};

void pf_region_rules_init(struct pf_region_rules *r, const struct pf_units *w);
void pf_region_rules_release(struct pf_region_rules *r);
/* The evidence for a match: `class` per region, `entry` per event (indices into the units), and its
 * events. */
enum pf_region_evidence pf_region_rules_weigh(const struct pf_region_rules *r,
                                              const struct pf_pattern *p, const uint32_t *class,
                                              const uint32_t *entry, const uint32_t *events);

#endif
