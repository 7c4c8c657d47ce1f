/*
 * candidates_to_try.h - what is put to the test: findings that are not sure yet, each with its schedules.
 *
 * Model:   a candidate has one schedule at first, or several (two analyses found it). When the run along it goes
 *          another way, the next one is taken: of those there are, else the engine of maximal causality is asked for
 *          one with the same events, else the search for other events of the same code. No schedule is
 *          tried twice, and at most PF_WAYS are.
 * Memory:  release gives all back; findings live in the job's pool.
 * Errors:  a file of candidates that cannot be used: a message with the file and the reason.
 */
#ifndef PF_CLI_HATCH_CANDIDATES_H
#define PF_CLI_HATCH_CANDIDATES_H

#include "predicted_finding.h"
#include "status.h"
#include "try_one.h"

#define PF_WAYS 6

struct pf_candidate {
    struct pf_finding f;
    PF_VEC(struct pf_hatch) ways; /* their orders are owned */
    size_t way, tried; /* the one that is tried, or has happened; how many were */
    uint32_t pattern; /* of the job's; PF_NONE: not found by pattern */
    uint32_t margin; /* that the engine was asked with; 0: not yet */
    bool searched; /* for other events */
    struct pf_hatch_result result;
    char *clip;
};

struct pf_candidates {
    PF_VEC(struct pf_candidate) at;
    const char *known; /* ids that need no try, a line each; NULL: none */
};

void pf_candidates_release(struct pf_candidates *c);
/* What the job's analyses found. */
void pf_candidates_predicted(struct pf_candidates *c, struct pf_predict_job *j);
/* One more, or one more schedule of one that is there. The order of `way` is copied. */
void pf_candidates_add(struct pf_candidates *c, const struct pf_finding *f,
                       const struct pf_hatch *way, uint32_t pattern);
/* Those that did not happen get their next schedule, where there is one; how many have one. */
size_t pf_candidates_next(struct pf_candidates *c, struct pf_predict_job *j, struct pf_stop *stop);

#endif
