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
    pf_judge_items *items; /* other races that tasks saw while judging are added at the end */
    int argc; /* the command line */
    char **argv;
    int first; /* its first word that is not an option */
    uint64_t until_ms; /* when the judging ends (pf_now_ms); 0: it has no time limit */
    struct pf_fleet fleet; /* the caller ends and releases it after the report */
    bool finished;
    size_t met; /* races that were added */
};

/* Judges the items, and adds the findings that the tasks returned to `judged`. */
int pf_judge_on_fleet(struct pf_judge_fleet *j, struct pf_findings *judged);

/* The command of the program, for races without a clip: that of the first process that is known, or
 * that of the document, if there is one. NULL: unknown. It is allocated in the pool. */
char **pf_judge_program(const struct pf_findings *all, const char *document, struct pf_pool *pool);

#endif
