/*
 * units.h - the units of work of a trace, with equal units grouped into classes.
 *
 * Model:   a unit is an atomic region: an outermost critical section, or a region that the program
 *          marked. It ends where the thread forks or joins another, waits or notifies. An access
 *          outside all regions is a unit by itself. Of equal accesses in a unit (cell, site, locks)
 *          only the first and the last are kept: the ones in between give no further opportunity to
 *          interrupt the unit. A check and the act that depends on it (check_act.h) are also a
 *          unit, of just these two accesses. Units of a thread with equal accesses are
 *          instances of one class.
 * Memory:  one entry per kept access of each class; four words per instance.
 */
#ifndef PF_PECAN_UNITS_H
#define PF_PECAN_UNITS_H

#include "hash_map.h"
#include "partial_order.h"
#include "stop.h"

/* A kept access of a unit. */
struct pf_unit_access {
    uint32_t event, cell, site, held;
    uint32_t same; /* the class's next access to this cell; PF_NONE: none */
    /* the number of the marked region around it, among those of its unit, from 1; 0: none */
    uint32_t mark;
    bool reads, writes, atomic;
};

struct pf_unit_class {
    uint32_t thread;
    uint32_t first, n; /* range of accesses */
    uint32_t instance; /* its newest instance; the others are chained */
    uint32_t outer;    /* the set of the one lock that is held throughout; 0: none */
    bool region;       /* not just a single access outside all regions */
    bool pair;         /* a check and its act */
    /* number of earlier classes whose accesses are made by the same code, at most 255 */
    uint8_t code_rank;
};
struct pf_unit_instance {
    uint32_t begin, end; /* first and last event */
    uint32_t older;      /* the next older instance; PF_NONE: none */
    bool pair;           /* only these two events belong to it */
    uint32_t marks;      /* how many marked regions are around its begin */
};
/* How many uses of a cell are searched if the same code makes their accesses to it (patterns with
 * one variable). */
#define PF_CELL_RANK_MAX 4
/* How many uses of a cell are searched if the same code makes all accesses of their classes (other
 * patterns). */
#define PF_CLASS_RANK_MAX 16
/* One class uses one cell. */
struct pf_cell_use {
    uint32_t class;
    uint32_t entry; /* the class's first access to the cell */
    uint32_t next;  /* next use of the cell, PF_NONE: none */
    /* number of earlier uses of the cell in which the same code makes the accesses to the cell */
    uint8_t cell_rank;
    /* number of earlier uses of the cell by classes in which the same code makes all accesses */
    uint8_t class_rank;
};

struct pf_units {
    const struct pf_partial_order *g;
    PF_VEC(struct pf_unit_class) classes;
    PF_VEC(struct pf_unit_access) accesses;
    PF_VEC(struct pf_unit_instance) instances;
    PF_VEC(struct pf_cell_use) uses;
    /* checks and their acts: instances, those of a thread in the order of their acts */
    pf_vec_u32 pairs;
    /* per event: the outermost marked region around it, from 1; 0: none; NULL: there are none */
    uint32_t *marked_region;
    uint32_t *use_at; /* per cell: first use, PF_NONE if none */
    struct pf_hash_map by_hash; /* indices into `classes` */
    /* uses of cells beyond both limits, and checks and acts that were not fully examined */
    uint64_t skipped;
};

/* A stop (may be NULL) leaves out the rest of the trace. */
void pf_units_init(struct pf_units *w, const struct pf_partial_order *g, struct pf_stop *stop);
void pf_units_release(struct pf_units *w);
typedef PF_VEC(struct pf_unit_access) pf_unit_accesses;
/* The pair whose act is one of the thread's events from `begin` to `end`; NULL: none. Of several,
 * one with the earliest check. */
const struct pf_unit_instance *pf_units_pair_acting(const struct pf_units *w, uint32_t begin,
                                                    uint32_t end);
/* Collects the accesses of an instance, in the order of its class; clears `out` first. */
void pf_units_read_instance(const struct pf_units *w, const struct pf_unit_instance *i,
                            pf_unit_accesses *out);

#endif
