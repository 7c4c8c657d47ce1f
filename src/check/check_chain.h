/*
 * check_chain.h - decides the next step of a check: the order of the steps, cheap ones first.
 *
 * Model:   the chain works in rounds. In each round every program gets a free run, then a recording
 *          under a schedule that no earlier round had, then the predictions from that recording are
 *          tried. After that, each race that was seen but is not confirmed is searched for in the
 *          recordings, and gets a recording directed at it. The chain ends after the requested
 *          number of rounds, or after PF_CHAIN_IDLE_ROUNDS consecutive rounds that found nothing
 *          new.
 * Memory:  the chain owns its tables; steps are plain data.
 * Threads: one. No I/O: the caller reports which steps ended, and the chain returns which to start.
 */
#ifndef PF_CHECK_CHECK_CHAIN_H
#define PF_CHECK_CHECK_CHAIN_H

#include "check_folder.h"

#define PF_CHAIN_IDLE_ROUNDS 10 /* consecutive rounds */
#define PF_CHAIN_TRIES 8  /* most recordings directed at one finding */

/* A race that is not confirmed yet. */
struct pf_chain_target {
    uint64_t finding;
    uint64_t count; /* how often it was seen */
    size_t test; /* a test that has seen it; PF_CHAIN_ANY: unknown */
    char positions[160]; /* FILE:LINE:COLUMN,FILE:LINE:COLUMN */
};
#define PF_CHAIN_ANY SIZE_MAX

struct pf_chain_test;
struct pf_chain_tried;
struct pf_chain_aimed;

struct pf_chain {
    size_t ntests;
    struct pf_chain_test *tests;
    uint64_t rounds; /* requested; 0: no limit */
    const char *sample; /* sampling policy of all runs; NULL: alternate */
    uint64_t budget_ms;
    uint64_t round, idle_rounds;
    bool news; /* this round found something new */
    bool cut; /* a step of the first round was skipped, or cut off by the end of the budget */
    bool started, skipped; /* a step of this round has ended; one was skipped */
    bool over; /* every step of a round was skipped */
    /* running steps; how many of them belong to the first part of the round */
    size_t running, ordinary;
    struct pf_chain_tried *tried;
    size_t ntried, captried;
    struct pf_chain_aimed *aimed; /* recordings directed at a finding, to be searched for races */
    size_t naimed, capaimed;
};

/* One step to be started: kind, test, round, clip, finding and schedule of the line are set. */
#define pf_chain_unit pf_check_line

PF_MUST_USE pf_status pf_chain_init(struct pf_chain *c, const struct pf_check_settings *settings,
                                    struct pf_error *e);
void pf_chain_release(struct pf_chain *c);

/* Returns the next step in *unit and counts it as running. False: no step can start now (others
 * must end first), or the chain has ended. `targets` are the unconfirmed races, most wanted
 * first. */
bool pf_chain_next(struct pf_chain *c, const struct pf_chain_target *targets, size_t n,
                   struct pf_chain_unit *unit);
/* Reports that a step has ended. `clip`: it has produced a recording. `news`: a finding is new,
 * or newly confirmed. */
void pf_chain_ended(struct pf_chain *c, const struct pf_check_line *unit, bool clip, bool news);
/* Reports that the step is not started, because it cannot end within the budget. A round in which
 * every step is skipped ends the chain. */
void pf_chain_skip(struct pf_chain *c, const struct pf_chain_unit *unit);
/* Repeats the effect of a step that an earlier process has ended, from the journal. */
void pf_chain_restore(struct pf_chain *c, const struct pf_check_line *line, bool clip);
/* True if the step was cut off by a signal or the end of the budget; --continue repeats it. */
bool pf_check_line_cut(const struct pf_check_line *line);
/* True if every program has completed its first round; otherwise the result is incomplete. */
bool pf_chain_first_round_done(const struct pf_chain *c);
/* The number of recordings directed at the finding. */
unsigned pf_chain_tries(const struct pf_chain *c, uint64_t finding);

#endif
