/*
 * fleet_suite.h - the executions of a campaign as tasks of a fleet.
 *
 * Model:   a task runs some tests of one round under all policies, with a database of its own on
 *          the node, and returns its executions (suite_transfer.h). A task gets as many
 *          tests as take PF_FLEET_TARGET_MS, by the times in the database. A test without a time is
 *          assumed to take as long as the others. If no time is known, a task gets a few tests. The
 *          function pairs of the sampling policy are sent with a task, and new ones return with its
 *          result (fleet_pairs.h).
 */
#ifndef PF_FLEET_SUITE_H
#define PF_FLEET_SUITE_H

#include "fleet.h"
#include "suite_run.h"

struct pf_fleet_suite {
    const struct pf_suite_settings *settings;
    bool any; /* as given to pf suite */
    struct pf_suite_db *db;
    int64_t campaign;
    struct pf_suite_result *result;
};

/* Runs the executions that are not done. result->finished: all are done. */
PF_MUST_USE pf_status pf_fleet_suite_run(struct pf_fleet *f, const struct pf_fleet_suite *suite,
                                         struct pf_error *e);
/* Merges the results that are there. */
PF_MUST_USE pf_status pf_fleet_suite_collect(struct pf_fleet *f, const struct pf_fleet_suite *suite,
                                             uint64_t *merged, struct pf_error *e);

#endif
