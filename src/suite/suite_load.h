/*
 * suite_load.h - what a suite database says, for reports: findings with who saw them, executions, and
 * the curves over the number of executions.
 *
 * Memory:  findings and sums go into the pool of the findings; a curve is malloced.
 * Errors:  PF_IO, PF_BAD with the path of the database.
 */
#ifndef PF_CLI_SUITE_LOAD_H
#define PF_CLI_SUITE_LOAD_H

#include "findings.h"
#include "suite_db.h"

/* Adds to `f` what the campaign found (0: all campaigns), and the sums as f->suite. */
PF_MUST_USE pf_status pf_suite_load(struct pf_suite_db *db, int64_t campaign, struct pf_findings *f,
                                    struct pf_error *e);

/* One policy of a campaign, execution by execution in the order (round, test). All sums run from the
 * first execution on. */
struct pf_curve_point {
    uint64_t cpu_ns, wall_ns; /* of the executions so far that the reference has too */
    uint64_t base_cpu_ns, base_wall_ns; /* of the reference, the same executions */
    uint64_t distinct, total; /* findings, and sightings */
    uint64_t pairs, frequent; /* known after this execution; not sums */
};
struct pf_curve {
    char *policy;
    bool has_pairs;
    struct pf_curve_point *at;
    size_t n;
};
struct pf_curves {
    int64_t campaign; /* 0: there is none */
    char *list;
    char *reference; /* the policy that the overhead is over; NULL: none was measured */
    struct pf_curve *at;
    size_t n;
};

/* Of the campaign; 0: the last one that executed anything. */
PF_MUST_USE pf_status pf_curves_load(struct pf_suite_db *db, int64_t campaign, struct pf_curves *c,
                                     struct pf_error *e);
void pf_curves_release(struct pf_curves *c);
/* A table for people; nothing when there is no campaign. */
void pf_curves_text(struct pf_text *t, const struct pf_curves *c);
/* A picture: overhead, findings, and function pairs where they are known, over the executions. */
void pf_curves_svg(struct pf_text *t, const struct pf_curves *c);
/* Cumulative overhead over the reference in percent: of CPU time or of wall-clock time. */
double pf_curve_overhead(const struct pf_curve_point *p, bool wall);

#endif
