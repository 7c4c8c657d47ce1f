/*
 * check_chain.h - decides the next step of a check: the order of the steps, cheap ones first.
 *
 * Model:   the chain works in rounds. In the first round every program gets a recording and a free
 *          run, then the predictions from the recording are tried. If runs are short (see
 *          explore_slices.h), a few schedules of a systematic search come before them. In later
 *          rounds it gets a free run and a batch: many schedules under one policy, with seeds that
 *          no earlier batch had. The policies share the batches (policy_shares.h). Besides the
 *          batches, slices of a systematic search run from the first round on (explore_slices.h).
 *          Recordings of batches and slices that failed in a new way, or showed new behaviours or
 *          new races, are searched for predictions, and these are tried. The same holds for the
 *          recordings of forked children.
 *          After that, if races were seen but are not confirmed, the recording of each program that
 *          was last searched for predictions is also searched for races that happened in it. Then
 *          each such race gets a recording aimed at it, which is searched in the same way. A
 *          program that cannot be run from a checkpoint (a server), or whose forked children are
 *          searched, gets one recording instead of a batch. With --hunt, a round ends with a slice
 *          of a hunt for races that need another input. The chain ends after the requested number
 *          of rounds. If none was requested, it ends when all programs are explored completely and
 *          no hunt has inputs left to try. It also ends after a round in which every step was
 *          skipped.
 * Memory:  the chain owns its tables; steps are plain data.
 * Threads: one. No I/O: the caller reports which steps ended, and the chain returns which to start.
 */
#ifndef PF_CHECK_CHECK_CHAIN_H
#define PF_CHECK_CHECK_CHAIN_H

#include "check_folder.h"
#include "vector.h"

#define PF_CHAIN_TRIES 8 /* most recordings aimed at one finding */
#define PF_CHAIN_BATCH_MOST 128 /* most schedules of a batch; a round uses as many seeds */
/* The search of a longer recording for predictions may need all of the time. It comes after steps
 * that confirm races, and gets at most half of the time that is left. */
#define PF_CHAIN_LONG_EVENTS 1000000

/* A race to aim at. */
struct pf_chain_target {
    uint64_t finding;
    uint64_t count; /* how often it was seen */
    size_t test; /* a test that has seen it; PF_CHAIN_ANY: unknown */
    char positions[160]; /* FILE:LINE:COLUMN,FILE:LINE:COLUMN */
};
#define PF_CHAIN_ANY SIZE_MAX

/* What the findings ask for. */
struct pf_chain_wanted {
    const struct pf_chain_target *targets; /* races that are not confirmed, most wanted first */
    size_t ntargets;
    const struct pf_chain_target
        *races; /* all races, also confirmed ones: batches may be aimed at them */
    size_t nraces;
    size_t unjudged; /* confirmed races that are not judged */
    size_t unjudged_test; /* a test that has seen one of them */
};

struct pf_chain_test;
struct pf_chain_tried {
    uint64_t finding, round;
    unsigned tries; /* recordings that have ended */
    unsigned begun; /* the number of the last one that was begun */
    unsigned in_round; /* how many were begun in `round` */
};

/* A recording to be searched: its step, and the path of the forked child, or "". */
struct pf_chain_recording {
    size_t test;
    uint64_t step;
    char child[sizeof((struct pf_check_line *)0)->child];
};
typedef PF_VEC(struct pf_chain_recording) pf_vec_to_search;

struct pf_chain {
    size_t ntests;
    struct pf_chain_test *tests;
    uint64_t rounds; /* requested; 0: no limit */
    const char *sample; /* sampling policy of all runs; NULL: alternate */
    uint64_t budget_ms;
    uint64_t seed; /* of the first schedule of the first batch */
    uint64_t round;
    bool cut; /* a step of the first round was skipped, or cut off by the end of the budget */
    bool started, skipped; /* a step of this round has ended; one was skipped */
    bool over; /* every step of a round was skipped, or everything is explored */
    /* running steps; how many of them belong to the first part of the round */
    size_t running, ordinary;
    PF_VEC(struct pf_chain_tried) tried;
    bool explores; /* the systematic search may run */
    bool judges; /* the programs can be judged */
    bool judging; /* a step that judges is running */
    uint64_t judge_ms; /* time that such steps have used */
    uint64_t explore_ms; /* time that the systematic search has used */
    uint64_t other_ms; /* time that all other steps have used */
    uint64_t hunt_ms; /* time that hunts have used */
    size_t left_unjudged; /* races that the last step that judges did not get to */
    pf_vec_to_search aimed_recordings; /* recordings aimed at a finding, to be searched for races */
    pf_vec_to_search child_recordings; /* forked children whose predictions are to be tried */
};

PF_MUST_USE pf_status pf_chain_init(struct pf_chain *c, const struct pf_check_settings *settings,
                                    struct pf_error *e);
void pf_chain_release(struct pf_chain *c);

/* Returns the next step in *step and counts it as running. Kind, test, round, from_step, finding
 * and schedule of the line are set; of a batch also `first` and `schedules`, of a systematic search
 * `schedules`. False: no step can start now (others must end first), or the chain has ended. */
bool pf_chain_next(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                   struct pf_check_line *step);
/* Reports that a step has ended. `produced`: it has made a recording, or a batch has run at least
 * one schedule. */
void pf_chain_ended(struct pf_chain *c, const struct pf_check_line *step, bool produced);
/* Adds a recording that was chosen from a batch or a systematic search; `line` is its line in the
 * journal. */
void pf_chain_add_recording(struct pf_chain *c, const struct pf_check_line *line);
/* What is left to do: the number of recordings that are to be searched, plus the number of targets
 * that the systematic search has left. Recordings of forked children are not counted. */
size_t pf_chain_count_open(const struct pf_chain *c);
/* The number of schedules of the last slice of the systematic search. The next slice begins with
 * the same ones. */
uint64_t pf_chain_explored(const struct pf_chain *c, size_t test);
/* True if all programs are explored completely. */
bool pf_chain_is_complete(const struct pf_chain *c);
/* Adds the recording of a forked child, which is to be searched: a file that this step made next to
 * its own recording (N.clip.child-P). `many`: the child has many schedules, or has failed. Call
 * this before pf_chain_ended or pf_chain_restore for the step. */
void pf_chain_add_child(struct pf_chain *c, const struct pf_check_line *step, const char *path,
                        bool many);
/* Reports that the step is not started, because it cannot end within the budget. A round in which
 * every step is skipped ends the chain. */
void pf_chain_skip(struct pf_chain *c, const struct pf_check_line *step);
/* Repeats the effect of a step that an earlier process has ended, from the journal. */
void pf_chain_restore(struct pf_chain *c, const struct pf_check_line *line, bool produced);
/* Skips to this round, unless the chain has reached it; other tasks run the skipped rounds. */
void pf_chain_start_at(struct pf_chain *c, uint64_t round);
/* The number of events of a schedule of this program; 0: unknown. */
uint64_t pf_chain_length(const struct pf_chain *c, size_t test);
/* How much of judging's share of the time budget is not used yet. */
uint64_t pf_chain_judge_ms(const struct pf_chain *c);
/* The same for the systematic search. */
uint64_t pf_chain_explore_ms(const struct pf_chain *c);
/* The time that the next hunt may use. */
uint64_t pf_chain_hunt_ms(const struct pf_chain *c);
/* True if the step was cut off by a signal or the end of the budget; --continue repeats it. */
bool pf_check_line_cut(const struct pf_check_line *line);
/* The lowest step whose recording is still to be searched, or `step` if that is lower. */
uint64_t pf_chain_first_recording(const struct pf_chain *c, uint64_t step);
/* True if every program has completed its first round; otherwise the result is incomplete. */
bool pf_chain_first_round_done(const struct pf_chain *c);
/* The number of recordings aimed at the finding. */
unsigned pf_chain_tries(const struct pf_chain *c, uint64_t finding);

#endif
