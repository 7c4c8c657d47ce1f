/*
 * search.h - pattern-directed search: finds events that could match a pattern, by locks and partial
 * order (PECAN, section 5).
 *
 * Model:   the regions of the pattern are matched one by one with classes of units (units.h), its
 *          variables with cells. A match must satisfy the mutation condition: the pattern's order
 *          does not contradict partial order; an event that interrupts a unit does not hold the
 *          lock that the unit holds throughout; events that must follow each other directly have no
 *          common lock. The condition is necessary but not sufficient: the caller generates a
 *          schedule and decides. There is one anomaly per tuple of sites: once the caller accepts
 *          one, the search continues with other tuples. Matches without any evidence that their
 *          regions are meant to be atomic (region_rules.h) are dropped.
 * Cost:    linear in the trace for the preparation, then depends on the number of classes that
 *          share a cell. Of cells with equal uses, only a few are searched. Everything that a limit
 *          cuts off is counted.
 */
#ifndef PF_PECAN_SEARCH_H
#define PF_PECAN_SEARCH_H

#include "pattern.h"
#include "region_rules.h"
#include "stop.h"
#include "units.h"

struct pf_pattern_search_result {
    uint64_t matches;  /* tuples of sites that satisfy the mutation condition */
    uint64_t accepted; /* tuples that the caller accepted */
    uint64_t cut;      /* patterns whose search exceeded its budget */
    bool stopped;      /* the search was stopped before all patterns were searched completely */
    uint64_t skipped; /* alternatives by the same code that were not examined, because of limits */
    /* tuples without an accepted match, of which the caller could not decide at least one */
    uint64_t undecided;
};

/* What the caller of the search says about a match. */
enum pf_match_answer { PF_MATCH_REJECTED, PF_MATCH_UNDECIDED, PF_MATCH_ACCEPTED };

/* The events of one thread that a region of a match covers. */
struct pf_match_region {
    uint32_t begin, end; /* first and last event */
    bool pair; /* a check and its act */
};
struct pf_pattern_match {
    uint32_t pattern;
    uint32_t event[PF_PATTERN_MAX]; /* in the pattern's order */
    enum pf_region_evidence evidence;
    struct pf_match_region region[2]; /* the pattern's first two regions */
};

/* Calls f for each match, with the events in the pattern's order. Stops calling it for a tuple of
 * sites once f has accepted one, or once too many of its matches were tried. */
void pf_pattern_search(const struct pf_units *w, const pf_patterns *patterns, struct pf_stop *stop,
                       enum pf_match_answer (*f)(void *arg, const struct pf_pattern_match *match),
                       void *arg, struct pf_pattern_search_result *out);

#endif
