/*
 * hunt_on_fleet.h - `pf hunt --on`: runs the search as tasks of a fleet. Also writes the report
 * of every hunt.
 *
 * Errors:  prints messages; returns an exit status.
 */
#ifndef PF_CLI_HUNT_ON_FLEET_H
#define PF_CLI_HUNT_ON_FLEET_H

#include "findings.h"
#include "fleet.h"

struct pf_hunt_on_fleet {
    const struct pf_fleet_options *options;
    const char *state, *json; /* json NULL: none is written */
    const char *export, *inputs; /* --export, --input; NULL: not given */
    int argc; /* the command line */
    char **argv;
    int first; /* its first word that is not an option: the program */
    uint64_t time_ms, runs;
};

int pf_hunt_on_fleet(struct pf_hunt_on_fleet *h);
/* Prints the report of a hunt, with or without a fleet, and writes its JSON document to `file`, if
 * that is not NULL. `hunt` is the object that describes the hunt in the document. */
int pf_hunt_write_report(struct pf_findings *found, const json_t *hunt, const char *file, int argc,
                         char **argv);

#endif
