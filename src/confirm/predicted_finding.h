/*
 * predicted_finding.h - turns the results of analyses into findings.
 *
 * Memory:  findings are allocated in the job's pool.
 */
#ifndef PF_CONFIRM_PREDICTED_FINDING_H
#define PF_CONFIRM_PREDICTED_FINDING_H

#include "analysis.h"
#include "finding.h"
#include "findings.h"
#include "held_locks.h"
#include "pool.h"
#include "textbuf.h"

#define PF_PREDICT_ANALYSES 16

/* The clip of a witnessed race, if clips are requested. */
struct pf_witness_clip {
    const char *path;
    bool happened;   /* the race happened, and there is a clip */
    const char *why; /* otherwise: why it did not happen */
};

/* One prediction: its input, its settings and its results. */
struct pf_predict_job {
    const char *path, *atomic; /* atomic: functions that are regions; NULL: none */
    uint64_t began, limit_ms; /* start time, as pf_now_ms; limit 0: no limit */
    struct pf_trace t;
    const struct pf_analysis *analyses[PF_PREDICT_ANALYSES];
    struct pf_result results[PF_PREDICT_ANALYSES];
    struct pf_witness_clip *clips[PF_PREDICT_ANALYSES]; /* one per race; NULL: not requested */
    const char **harm[PF_PREDICT_ANALYSES]; /* one per race (observed_harm.h); NULL: not searched */
    bool named; /* the text names the analyses */
    bool verify; /* replay the recording; races that happened in it are then confirmed */
    bool shown; /* it did replay; otherwise `unshown` is the reason */
    char unshown[200];
    size_t unreached; /* witnesses that a run did not follow up to the race */
    size_t n;
    pf_patterns patterns; /* the built-in ones and the user's */
    struct pf_findings failures; /* what the replay of the recording showed (load_trace.h) */
    size_t suppressed; /* number of results that the options of the program suppress; removed */
    struct pf_pool pool;
    struct pf_held_locks *held; /* in the pool; NULL: not built yet */
    struct pf_last_writes *last_writes; /* likewise (schedule_step.c) */
    struct pf_lifetimes *lifetimes; /* likewise (event_names.c) */
};

/* Initialises the job, whose memory must be zero, and adds the built-in patterns. */
void pf_predict_job_init(struct pf_predict_job *j);
void pf_predict_job_release(struct pf_predict_job *j);
/* Chooses an analysis, unless it is chosen already. False: there are too many. */
bool pf_predict_job_add(struct pf_predict_job *j, const struct pf_analysis *a);
/* Runs the analyses that were chosen. If the recording was replayed, removes the results that match
 * suppressions of the program. */
void pf_predict_job_run(struct pf_predict_job *j, const struct pf_limits *limits);
/* Adds the user's patterns to the built-in ones. */
PF_MUST_USE pf_status pf_predict_job_read_patterns(struct pf_predict_job *j, const char *path,
                                                   struct pf_error *e);

/* Fills in the finding of race r of analysis k. */
void pf_predicted_race(struct pf_predict_job *j, size_t k, const struct pf_race *r,
                       struct pf_finding *f);
void pf_predicted_anomaly(struct pf_predict_job *j, const struct pf_anomaly *a,
                          struct pf_finding *f);
/* Fills in the accesses, the memory and the threads of the finding anew, from events of the trace,
 * one per access. */
void pf_predicted_accesses(struct pf_predict_job *j, struct pf_finding *f, const uint32_t *events);
void pf_predicted_cycle(struct pf_predict_job *j, const struct pf_cycle *c, struct pf_finding *f);

/* The stack of event i; a trace without stacks gives one frame for the position in the trace. */
struct pf_backtrace pf_predicted_stack(struct pf_predict_job *j, uint32_t i);
/* The stack with this number in j->t.recorded.stacks. */
struct pf_backtrace pf_recorded_backtrace(struct pf_predict_job *j, uint32_t stack);
/* The event that started the thread; PF_NONE: none is known. */
uint32_t pf_predicted_start(struct pf_predict_job *j, uint32_t thread);
/* Sets *acquires to the acquire events whose locks the thread of event i holds there, and
 * returns their number. */
uint32_t pf_predicted_held_locks(struct pf_predict_job *j, uint32_t i, const uint32_t **acquires);

/* True if every requested search was completed. If not, the result is "unknown", never "no
 * race". */
bool pf_predict_job_decided(const struct pf_predict_job *j);
/* Writes the document up to and including the bracket that opens `findings`. */
void pf_predict_json_head(struct pf_text *t, int argc, char **argv, bool complete);
/* Writes `explored` and the end of the document. */
void pf_predict_json_tail(struct pf_text *t, const struct pf_predict_job *j, uint64_t candidates,
                          uint64_t refuted, uint64_t undecided);

#endif
