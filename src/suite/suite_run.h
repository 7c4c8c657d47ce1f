/*
 * suite_run.h - executes what is left of a campaign.
 *
 * Model:   an execution is one (round, test, policy); they run in that order, `jobs` at a time, each
 *          under a keeper. Messages about failures and new findings go to standard error at once.
 * Errors:  PF_IO when the state cannot be written: what runs is then ended and stays unfinished.
 */
#ifndef PF_CLI_SUITE_RUN_H
#define PF_CLI_SUITE_RUN_H

#include "launch.h"
#include "suite_db.h"

struct pf_suite_plan {
    const struct pf_suite_list *tests;
    const struct pf_campaign *campaign;
    struct pf_launch launch; /* its policy is set for each execution */
    uint64_t limit_ms, grace_ms;
    bool quiet; /* no messages about single executions */
};

struct pf_suite_result {
    uint64_t executions, failed; /* by this process */
    bool finished;               /* nothing is left to do */
    int signal;                  /* that ended it early; 0: none */
};

PF_MUST_USE pf_status pf_suite_execute(struct pf_suite_db *db, int64_t campaign,
                                       const struct pf_suite_plan *plan,
                                       struct pf_suite_result *result, struct pf_error *e);

/* Policies that time the program and watch nothing. */
#define PF_POLICY_NONE "none"     /* the instrumented program, plain bodies only */
#define PF_POLICY_NATIVE "native" /* the program of @native */

#endif
