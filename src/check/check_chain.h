/*
 * check_chain.h - what a check does next: the order of the steps, cheap ones first.
 *
 * Model:   rounds. In each, every program has a free run, then a recording under a schedule that no round had
 *          before, then what the recording predicts is tried. When all that is done, each race that was
 *          seen and is not confirmed is looked for in the recordings, and gets a recording directed at it. The
 *          chain ends after as many rounds as were asked for, or when QUIET rounds in a row brought nothing.
 * Memory:  the chain owns its tables; units are plain data.
 * Threads: one. No I/O: told what ended, it says what to begin.
 */
#ifndef PF_CLI_CHECK_CHAIN_H
#define PF_CLI_CHECK_CHAIN_H

#include "check_folder.h"

#define PF_CHAIN_QUIET 10 /* rounds */
#define PF_CHAIN_TRIES 8  /* recordings directed at one finding, at most */

/* A race that is not confirmed. */
struct pf_chain_target {
    uint64_t finding;
    uint64_t count; /* how often it was seen */
    size_t test; /* that has seen it; PF_CHAIN_ANY: not known */
    char places[160]; /* FILE:LINE:COLUMN,FILE:LINE:COLUMN */
};
#define PF_CHAIN_ANY SIZE_MAX

struct pf_chain_test;
struct pf_chain_tried;
struct pf_chain_aimed;

struct pf_chain {
    size_t ntests;
    struct pf_chain_test *tests;
    uint64_t rounds; /* wanted; 0: no limit */
    const char *sample; /* of all runs; NULL: in turn */
    uint64_t budget_ms;
    uint64_t round, quiet;
    bool news; /* this round brought something */
    size_t underway, ordinary; /* steps; of these, of the first part of the round */
    struct pf_chain_tried *tried;
    size_t ntried, captried;
    struct pf_chain_aimed *aimed; /* recordings directed at a finding, to be looked at */
    size_t naimed, capaimed;
};

/* One step to be done: kind, test, round, clip, finding and schedule of the line are set. */
#define pf_chain_unit pf_check_line

PF_MUST_USE pf_status pf_chain_init(struct pf_chain *c, const struct pf_check_plan *plan,
                                    struct pf_error *e);
void pf_chain_release(struct pf_chain *c);

/* The next step, which is then underway. False: none now (something is underway that others wait for), or
 * none any more. `targets`: the races that are not confirmed, most wanted first. */
bool pf_chain_next(struct pf_chain *c, const struct pf_chain_target *targets, size_t n,
                   struct pf_chain_unit *unit);
/* It has ended. `clip`: its recording is there. `news`: a finding is new, or newly confirmed. */
void pf_chain_ended(struct pf_chain *c, const struct pf_check_line *unit, bool clip, bool news);
/* The same for a step of an earlier process, from the journal. */
void pf_chain_remember(struct pf_chain *c, const struct pf_check_line *line, bool clip);
/* Did every program have its first round? Else the result is incomplete. */
bool pf_chain_begun_all(const struct pf_chain *c);
/* How many recordings were directed at the finding. */
unsigned pf_chain_tries(const struct pf_chain *c, uint64_t finding);

#endif
