/*
 * predicted_finding.h - what an analysis found, as findings for people.
 *
 * Memory:  findings live in the job's pool.
 */
#ifndef PF_CLI_PREDICT_FINDING_H
#define PF_CLI_PREDICT_FINDING_H

#include "analysis.h"
#include "deadlock/lock_graph.h"
#include "finding.h"
#include "held_locks.h"
#include "pecan/pecan.h"
#include "pool.h"
#include "textbuf.h"

#define PF_PREDICT_ANALYSES 16

/* Of a witnessed race, when clips are asked for. */
struct pf_predict_clip {
    const char *path;
    bool happened;   /* there is a clip */
    const char *why; /* else: what was in the way */
};

/* What one command line asks for, and what came out. */
struct pf_predict_job {
    const char *path, *atomic; /* atomic: functions that are regions, NULL: none */
    uint64_t began, limit_ms; /* of pf_now_ms; a limit of 0: none */
    struct pf_trace t;
    const struct pf_analysis *analyses[PF_PREDICT_ANALYSES];
    struct pf_result results[PF_PREDICT_ANALYSES];
    struct pf_predict_clip *clips[PF_PREDICT_ANALYSES]; /* of each race; NULL: not asked for */
    size_t unreached; /* witnesses that a run did not follow to the race */
    size_t n;
    pf_patterns patterns; /* empty: no search for patterns */
    struct pf_anomalies anomalies;
    bool deadlocks; /* asked for */
    struct pf_cycles cycles;
    struct pf_pool pool;
    struct pf_held_locks *held; /* of the pool; NULL: not made yet */
    struct pf_flow *flow; /* likewise (schedule_step.h) */
};

/* The user's own patterns, beside the built-in ones. An exit status; what is wrong is said. */
int pf_predict_patterns(const char *verb, struct pf_predict_job *j, const char *path);

/* Race r of analysis k. */
void pf_predict_race(struct pf_predict_job *j, size_t k, const struct pf_race *r,
                     struct pf_finding *f);
void pf_predict_anomaly(struct pf_predict_job *j, const struct pf_anomaly *a, struct pf_finding *f);
void pf_predict_cycle(struct pf_predict_job *j, const struct pf_cycle *c, struct pf_finding *f);

/* Where event i stands in the source; without a site, in the trace. */
struct pf_trail pf_predict_trail(struct pf_predict_job *j, uint32_t i);
/* The acquires whose locks the thread of event i holds there. */
uint32_t pf_predict_held(struct pf_predict_job *j, uint32_t i, const uint32_t **acquires);

/* Was everything asked for looked at to its end? What was not is "unknown", never "nothing". */
bool pf_predict_decided(const struct pf_predict_job *j);
/* The document up to and with the bracket that opens `findings`. */
void pf_predict_json_head(struct pf_text *t, int argc, char **argv, bool complete);
/* What comes behind all lists: how much was looked at, and the end of the document. */
void pf_predict_json_tail(struct pf_text *t, const struct pf_predict_job *j, uint64_t candidates,
                          uint64_t refuted, uint64_t undecided);

#endif
