/*
 * suite_run.h - runs the executions of a campaign that are not done yet.
 *
 * Model:   an execution is one (round, test, policy). They run in that order, `jobs` in parallel,
 *          each under a supervisor. Failures and new findings are reported on standard error at
 *          once.
 * Errors:  PF_IO when the state cannot be written: running executions are then stopped and remain
 *          unfinished.
 */
#ifndef PF_SUITE_SUITE_RUN_H
#define PF_SUITE_SUITE_RUN_H

#include "launch.h"
#include "suite_db.h"

struct pf_suite_settings {
    const struct pf_suite_list *tests;
    const struct pf_campaign *campaign;
    struct pf_launch launch; /* its policy is set for each execution */
    uint64_t limit_ms, grace_ms;
};

struct pf_suite_result {
    uint64_t executions, failed; /* in this process */
    /* executions whose policy checks something; how many of these ran no instrumented process */
    uint64_t watched, empty;
    bool finished; /* no executions are left */
    int signal; /* the signal that stopped it; 0: none */
};

PF_MUST_USE pf_status pf_suite_execute(struct pf_suite_db *db, int64_t campaign,
                                       const struct pf_suite_settings *settings,
                                       struct pf_suite_result *result, struct pf_error *e);

/* Policies that measure the program and check nothing. */
#define PF_POLICY_NONE "none" /* the instrumented program, plain bodies only */
#define PF_POLICY_NATIVE "native" /* the program given by @native */

#endif
