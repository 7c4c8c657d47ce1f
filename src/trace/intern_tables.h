/*
 * intern_tables.h - the tables that a trace needs while it is built; private to src/trace.
 *
 * Model:   one hash table maps (kind, a, b) to a number; see the enum for the kinds.
 * Memory:  owned by the trace, freed by pf_trace_release.
 */
#ifndef PF_INTERN_TABLES_H
#define PF_INTERN_TABLES_H

#include "hash_map.h"
#include "trace.h"

/* The kinds of keys. Places use PF_TABLE_PLACE + generation. REFRESHED: (reach set, number of
 * blocks) for which pf_trace_reach_refresh has run. REACHED: (reach set, place) that a refresh has
 * added. */
enum {
    PF_TABLE_NAME,
    PF_TABLE_ROLE,
    PF_TABLE_SITE,
    PF_TABLE_REFRESHED,
    PF_TABLE_REACHED,
    PF_TABLE_PLACE
};

struct pf_intern_entry {
    uint64_t a, b;
    uint32_t kind, value;
};
struct pf_block_range {
    uint64_t addr, size;
    uint32_t number;
};
struct pf_reach_raw_item {
    uint32_t name, place; /* either may be PF_NONE */
};
/* The "generation" of places that stand for an address range, independent of blocks. */
#define PF_BLOCK_RANGE (UINT32_MAX - PF_TABLE_PLACE)
/* value of nitems before sealing: this set equals set item0 */
#define PF_REACH_SAME_AS UINT32_MAX
/* Items added later to a set, and so to every set that equals it. */
struct pf_reach_growth {
    uint32_t set, item0, nitems;
};
struct pf_located_object {
    uint64_t addr;
    uint32_t role, number;
};

struct pf_trace_tables {
    struct pf_hash_map by_hash; /* of (kind, a, b): indices into `entries` */
    PF_VEC(struct pf_intern_entry) entries;
    PF_VEC(struct pf_block_range) blocks; /* sorted by address, disjoint */
    PF_VEC(struct pf_reach_raw_item) raw; /* items of reach sets before sealing */
    PF_VEC(struct pf_reach_growth) growths; /* additions to reach sets before sealing */
    bool extending; /* new items go to the newest entry of `growths`, not to the newest set */
    PF_VEC(struct pf_located_object) objects;
    uint32_t nblocks, variables;
};

pf_vec_u32 *pf_trace_role(struct pf_trace *t, enum pf_role role);
/* The item of an object (struct pf_reach). */
uint32_t pf_trace_object_item(const struct pf_trace *t, enum pf_role role, uint32_t number);
void pf_trace_add_call_uses(struct pf_trace *t);
uint32_t pf_trace_role_find(const struct pf_trace *t, enum pf_role role, uint32_t name);

#endif
