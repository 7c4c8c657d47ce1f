/*
 * judge_runs.h - the runs of one race: continuations in both orders with their results.
 *
 * Model:   runs are added in groups; each group starts from the recording again. Runs of the
 *          primary and of the alternate order with the same number use the same policy.
 * Memory:  pf_judge_runs_clear frees everything and removes the clips, except those that were
 *          moved.
 */
#ifndef PF_JUDGE_JUDGE_RUNS_H
#define PF_JUDGE_JUDGE_RUNS_H

#include "judge.h"
#include "run_output.h"

/* The events of a run, which are obtained by a replay. */
struct pf_run_trace {
    struct pf_trace t;
    struct pf_judge_clock *clock; /* of the race */
    bool tried, loaded;
};

struct pf_judge_run {
    struct pf_order_run run;
    struct pf_run_trace *trace; /* see pf_judge_run_trace */
    struct pf_run_output output;
    char *clip;
    bool has_twin; /* its twin has run (flip_back.h), and has not decided anything */
    enum pf_run_failure failed;
    size_t requirement; /* of PF_RUN_REQUIREMENT: the index of the violated one */
    char failure[300]; /* the same as text; "": it did not fail */
};

struct pf_judge_runs {
    const struct pf_judge_settings *how;
    const struct pf_judge_case *race;
    uint32_t hold_from; /* as in both_orders.h */
    uint64_t events; /* likewise */
    struct pf_memory_settings memory; /* likewise */
    PF_VEC(struct pf_judge_run) at;
    unsigned groups;
};

/* One kind of runs of a group. */
struct pf_judge_wish {
    bool alternate, recorded;
    /* nothing runs between the two accesses; after them, threads have fixed priorities. Runs with
     * the same seed then differ in nothing but the order. */
    bool together;
    bool other_clock; /* as in both_orders.h */
    unsigned n, seed; /* how many; the seed of the first one's policy */
    uint32_t nchoices; /* choices of memory contents, as in both_orders.h */
    uint8_t choice[PF_MEMORY_CHOICES];
};

PF_MUST_USE pf_status pf_judge_runs_add(struct pf_judge_runs *g, const struct pf_judge_wish *wishes,
                                        size_t n, struct pf_error *e);
void pf_judge_runs_clear(struct pf_judge_runs *g);
/* The trace of a run; NULL: it could not be replayed. It is loaded once and kept with the run. */
struct pf_trace *pf_judge_run_trace(const struct pf_judge_run *r);
/* Releases the trace if it is so large that replaying again is better than keeping it. */
void pf_judge_run_trace_done(const struct pf_judge_run *r);
/* True if both gave the same result: output, exit status or signal. */
bool pf_judge_runs_same(const struct pf_judge_run *a, const struct pf_judge_run *b);
/* True if a run of the primary order gave the same result as r; or, if the order of the lines
 * differs among the runs of the primary order, the same lines in another order. */
bool pf_judge_runs_in_control(const struct pf_judge_runs *g, const struct pf_judge_run *r);
/* How many runs of the control group have a result that no other of its runs has. If there are
 * many, more runs would give more such results. So a result that is not among them proves
 * nothing. */
unsigned pf_judge_runs_single(const struct pf_judge_runs *g);
/* True if a large part of `all` runs is single, and a new result means nothing. */
bool pf_judge_runs_vary(unsigned single, unsigned all);
/* The descriptors whose output alone makes the runs of the control group vary, as bits. Sets *all
 * to the bits of all descriptors with output. */
uint64_t pf_judge_runs_varying(const struct pf_judge_runs *g, uint64_t *all);
/* True if a run of this order failed in the same way as r. */
bool pf_judge_runs_failed(const struct pf_judge_runs *g, bool alternate,
                          const struct pf_judge_run *r);
unsigned pf_judge_runs_count(const struct pf_judge_runs *g, bool alternate);

#endif
