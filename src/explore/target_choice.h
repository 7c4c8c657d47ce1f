/*
 * target_choice.h - the targets of one execution: which other writes its operations could read.
 *
 * Model:   for each access of an operation that reads, every write to the cell is a candidate.
 *          Three kinds of writes are left out: those that come after the operation, those that are
 *          certainly overwritten before it, and those after which the operation would block.
 * Cost:    O(threads * log writes) for a candidate.
 */
#ifndef PF_EXPLORE_TARGET_CHOICE_H
#define PF_EXPLORE_TARGET_CHOICE_H

#include "target_search.h"

/* Generates the targets of one execution. */
struct pf_choice {
    struct pf_search *s;
    struct pf_execution *x;
    uint32_t node, depth;
    uint64_t execution;
    uint32_t *past;    /* per thread: how many nodes come before the node, whatever it reads */
    uint32_t *sources; /* the combination */
    uint32_t choice;   /* of a notification (execution.h) */
    uint32_t made;     /* combinations of the operation so far; in a scan, of the candidate */
    uint32_t examined; /* candidates of the scan so far */
};

/* True if the node reads something. */
bool pf_choice_reads(const struct pf_execution *x, uint32_t node);
/* Adds all targets of the node to the search. */
void pf_choice_all(struct pf_choice *c, uint32_t node);
/* Adds targets with pairs of sites that no target had before. */
void pf_choice_scan(struct pf_choice *c);

/* True if it is known that the node, with the chosen sources, is only one more iteration of a loop
 * that waits. */
bool pf_choice_only_waits(const struct pf_choice *c);

/* target_search.c: adds a target to the queue, and a reference to its execution. */
void pf_search_push(struct pf_search *s, struct pf_target t);
/* True if the search is to stop now. */
bool pf_search_stops(const struct pf_search *s);

#endif
