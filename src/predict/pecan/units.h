/*
 * work.h - the units of work of a trace, those that look alike counted as one.
 *
 * Model:   a unit is an atomic region: an outermost critical section, or a region that the program
 *          marked, cut where the thread starts or joins another, waits or notifies; an access outside
 *          of all is a unit of its own. Of equal accesses in a unit (cell, site, locks) only the first
 *          and the last count: what lies between can be interrupted nowhere else. A check and the act that
 *          it decides about (check_act.h) are a unit too, of just these two. Units of a thread
 *          with equal accesses are instances of one class.
 * Memory:  one entry for each access that counts, of each class; three words an instance.
 */
#ifndef PF_PECAN_WORK_H
#define PF_PECAN_WORK_H

#include "partial_order.h"

struct pf_unit_access {
    uint32_t event, cell, site, held;
    uint32_t same; /* the next entry of the class with this cell; PF_NONE: none */
    bool reads, writes, atomic;
};

struct pf_unit_class {
    uint32_t thread;
    uint32_t first, n; /* of entries */
    uint32_t instance; /* newest one; chained */
    uint32_t outer;    /* lockset that is held from the beginning to the end; 0: none */
    bool region;       /* more than a single access outside of everything */
    bool pair;         /* a check and its act */
    uint8_t like;      /* classes before it whose accesses are by the same code; 255: or more */
};
struct pf_unit_instance {
    uint32_t begin, end; /* first and last event */
    uint32_t older;      /* PF_NONE: none */
    bool pair;           /* of the events between only these two count */
};
#define PF_CELL_RANK_MAX 4 /* uses of a cell by the same code that are looked at */
#define PF_CLASS_RANK_MAX                                                                               \
    16 /* the same where other cells matter, too: by the same code in the same unit */
struct pf_cell_use { /* a class uses a cell */
    uint32_t class, entry, next;
    uint8_t alike; /* uses of the cell before it whose accesses of the cell are by the same code */
    uint8_t like; /* uses of the cell before it by classes whose accesses are by the same code */
};

struct pf_units {
    const struct pf_partial_order *g;
    PF_VEC(struct pf_unit_class) classes;
    PF_VEC(struct pf_unit_access) entries;
    PF_VEC(struct pf_unit_instance) instances;
    PF_VEC(struct pf_cell_use) uses;
    uint32_t *use_at; /* per cell: first use, PF_NONE if none */
    uint32_t *slots; /* hash of classes */
    size_t cap;
};

void pf_units_init(struct pf_units *w, const struct pf_partial_order *g);
void pf_units_release(struct pf_units *w);
/* The entries of another instance of the class, in the same order; `out` is cleared first. */
typedef PF_VEC(struct pf_unit_access) pf_unit_accesses;
void pf_units_read_instance(const struct pf_units *w, const struct pf_unit_instance *i, pf_unit_accesses *out);

#endif
