/*
 * intern_tables.h - the interning tables of a trace under construction; private to src/trace.
 */
#ifndef PF_TRACE_TABLES_H
#define PF_TRACE_TABLES_H

#include "trace.h"

/* What an entry's key means; places use PF_TABLE_PLACE + generation. LOOKED: a set, with so many blocks; REACHED: one of its
 * places that came later. */
enum {
    PF_TABLE_NAME,
    PF_TABLE_ROLE,
    PF_TABLE_SITE,
    PF_TABLE_LOOKED,
    PF_TABLE_REACHED,
    PF_TABLE_PLACE
};

struct pf_entry {
    uint64_t hash, a, b;
    uint32_t kind, value;
};
struct pf_block_range {
    uint64_t addr, size;
    uint32_t number;
};
struct pf_raw_item {
    uint32_t name, place; /* either may be PF_NONE */
};
/* The "generation" of places that stand for ranges of addresses, whatever lies there. */
#define PF_BLOCK_RANGE (UINT32_MAX - PF_TABLE_PLACE)
#define PF_REACH_AGAIN UINT32_MAX /* as nitems before sealing: item0 is the earlier set */
/* What was added to a set later, for all that refer to it. */
struct pf_growth {
    uint32_t set, item0, nitems;
};
struct pf_object {
    uint64_t addr;
    uint32_t role, number;
};

struct pf_trace_tables {
    uint32_t *slots;
    size_t cap;
    PF_VEC(struct pf_entry) entries;
    PF_VEC(struct pf_block_range) blocks; /* by address, disjoint */
    PF_VEC(struct pf_raw_item) raw; /* reach items before sealing */
    PF_VEC(struct pf_growth) growths; /* of sets, before sealing */
    bool grows; /* the newest of them is added to */
    PF_VEC(struct pf_object) objects;
    uint32_t nblocks, variables;
};

pf_vec_u32 *pf_trace_role(struct pf_trace *t, enum pf_role role);
void pf_trace_find_orders(struct pf_trace *t);
void pf_trace_look_inside(struct pf_trace *t);
uint32_t pf_trace_lookup(const struct pf_trace *t, enum pf_role role, uint32_t name);

#endif
