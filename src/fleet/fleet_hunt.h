/*
 * fleet_hunt.h - the search of pf hunt as tasks of a fleet.
 *
 * Model:   tasks run in waves. The first wave is one task, which tries the inputs given. Each task
 *          of a later wave gets the journal of all waves before it, and its part of the open runs
 *          (hunt_open.h). It returns its new journal, and the runs that it has left open. The hunt
 *          ends when no run is open, or at a limit.
 */
#ifndef PF_FLEET_HUNT_H
#define PF_FLEET_HUNT_H

#include "findings.h"
#include "fleet.h"

struct pf_fleet_hunt {
    const char *const *options; /* of pf hunt, for every task */
    size_t noptions;
    char *const *words; /* the program and its arguments */
    size_t nwords;
    const char *program; /* its path */
    uint64_t time_ms, runs; /* limits of the whole hunt; runs 0: none */
    bool collect;
    bool finished; /* result: nothing is left to try */
    uint64_t made; /* result: the number of runs */
    uint64_t inputs, sites, branches; /* result: of all sessions in the state folder */
};

/* Runs the search. The findings of all tasks are added to `found`, their summaries (`hunt` of the
 * JSON document) to the array `summaries`. */
PF_MUST_USE pf_status pf_fleet_hunt_run(struct pf_fleet *f, struct pf_fleet_hunt *h,
                                        struct pf_findings *found, json_t *summaries,
                                        struct pf_error *e);

#endif
