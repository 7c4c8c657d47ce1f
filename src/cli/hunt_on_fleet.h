/*
 * hunt_on_fleet.h - `pf hunt --on`: runs the search as tasks of a fleet, and reports.
 *
 * Errors:  prints messages; returns an exit status.
 */
#ifndef PF_CLI_HUNT_ON_FLEET_H
#define PF_CLI_HUNT_ON_FLEET_H

#include "fleet.h"

struct pf_hunt_on_fleet {
    const struct pf_fleet_options *options;
    const char *state, *json; /* json NULL: none is written */
    int argc; /* the command line */
    char **argv;
    int first; /* its first word that is not an option: the program */
    uint64_t time_ms, runs;
};

int pf_hunt_on_fleet(struct pf_hunt_on_fleet *h);

#endif
