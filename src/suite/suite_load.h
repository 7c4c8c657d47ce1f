/*
 * suite_load.h - reads a suite database for reports: findings with the tests that saw them,
 * executions, and curves over the number of executions.
 *
 * Memory:  findings and summaries are allocated in the pool of the findings; curves are malloced.
 * Errors:  PF_IO, PF_BAD with the path of the database.
 */
#ifndef PF_SUITE_SUITE_LOAD_H
#define PF_SUITE_SUITE_LOAD_H

#include "findings.h"
#include "suite_db.h"

/* Adds the findings of the campaign (0: of all campaigns) to `f`, and the summary as f->suite. */
PF_MUST_USE pf_status pf_suite_load(struct pf_suite_db *db, int64_t campaign, struct pf_findings *f,
                                    struct pf_error *e);

/* One policy of a campaign, execution by execution in the order (round, test). Values are sums
 * over all executions so far, unless noted. */
struct pf_curve_point {
    uint64_t cpu_ns, wall_ns; /* only executions that the reference has, too */
    uint64_t base_cpu_ns, base_wall_ns; /* the reference's time for the same executions */
    uint64_t distinct, total; /* different findings, and sightings */
    uint64_t pairs, frequent; /* after this execution; not sums */
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
    char *reference; /* the policy that overhead is relative to; NULL: none was measured */
    struct pf_curve *at;
    size_t n;
};

/* Loads the curves of the campaign; 0: of the last one that executed anything. */
PF_MUST_USE pf_status pf_curves_load(struct pf_suite_db *db, int64_t campaign, struct pf_curves *c,
                                     struct pf_error *e);
void pf_curves_release(struct pf_curves *c);
/* Writes a table; nothing if there is no campaign. */
void pf_curves_text(struct pf_text *t, const struct pf_curves *c);
/* Writes an SVG image: overhead, findings, and function pairs if known, over the executions. */
void pf_curves_svg(struct pf_text *t, const struct pf_curves *c);
/* Cumulative overhead over the reference in percent, of CPU time or of wall-clock time. */
double pf_curve_overhead(const struct pf_curve_point *p, bool wall);

#endif
