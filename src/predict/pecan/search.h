/*
 * search.h - pattern-directed search: which events could make the pattern, by locks and partial order
 * (PECAN, section 5).
 *
 * Model:   regions of the pattern are matched one by one with classes of units (work.h), variables with
 *          cells. A match must satisfy the mutation condition: nothing in the pattern's order is against
 *          partial order, and who interrupts a unit does not hold the lock that the unit holds all the
 *          time; events that are to follow each other share no lock. This is necessary, not
 *          sufficient: the caller generates a schedule and has the last word.
 *          One anomaly for a tuple of sites: the search goes on to others once one is accepted.
 * Cost:    linear in the trace up to here; then by the number of classes that share a cell. Cells with
 *          equal uses stand for each other. What a budget cuts off is counted.
 */
#ifndef PF_PECAN_SEARCH_H
#define PF_PECAN_SEARCH_H

#include "pattern.h"
#include "stop.h"
#include "units.h"

struct pf_pattern_search_result {
    uint64_t matches;  /* tuples of sites that satisfy the mutation condition */
    uint64_t accepted; /* of these, by the caller */
    uint64_t cut;      /* patterns whose search was ended by its budget */
    bool stopped;      /* not all patterns were searched to the end: it was stopped */
    uint64_t skipped;  /* alternatives by the same code that were not looked at: limits */
};

/* Calls f for matches, with the events in the pattern's order, until it says true for this tuple of
 * sites or too many of it were tried. */
void pf_pattern_search(const struct pf_units *w, const pf_patterns *patterns, struct pf_stop *stop,
               bool (*f)(void *arg, uint32_t pattern, const uint32_t *events), void *arg,
               struct pf_pattern_search_result *out);

#endif
