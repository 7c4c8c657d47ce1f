/*
 * judge_on_fleet.h - `pf judge --on`: judges races as tasks of a fleet.
 *
 * Memory:  verdicts belong to `judged`, which must live as long as the items.
 * Errors:  prints messages; returns an exit status.
 */
#ifndef PF_CLI_JUDGE_ON_FLEET_H
#define PF_CLI_JUDGE_ON_FLEET_H

#include "findings.h"
#include "fleet.h"
#include "judge_findings.h"

struct pf_judge_fleet {
    const struct pf_fleet_options *options;
    const char *state, *folder; /* folder: absolute, for the clips of the evidence */
    pf_judge_items *items; /* races that tasks have met while judging are added at the end */
    int argc; /* the command line */
    char **argv;
    int first; /* its first word that is not an option */
    struct pf_fleet fleet; /* to be concluded and released after the report */
    bool finished;
    size_t met; /* races that were added */
};

/* Judges the items; what the tasks returned is added to `judged`. */
int pf_judge_on_fleet(struct pf_judge_fleet *j, struct pf_findings *judged);

/* The program of races without a clip, in the pool: the command of the first process that is known,
 * or of the document, if there is one. NULL: unknown. */
char **pf_judge_program(const struct pf_findings *all, const char *document, struct pf_pool *pool);

#endif
