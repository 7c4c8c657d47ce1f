/*
 * explore.h - runs a program under every schedule that makes a difference
 * (docs/analysis/explore.md).
 *
 * Model:   the program stays at a checkpoint after operations with which every schedule can begin
 *          (resident_host.h). Each run continues from there along a planned beginning, and yields a
 *          new trace. The trace yields new targets (target_search.h). The exploration ends when
 *          no target is left, or at a limit.
 * Memory:  an exploration owns its results until release.
 * Threads: one thread at a time.
 * Errors:  PF_IO and PF_BAD with a message. What could not be explored is not an error: it is
 *          listed in `unexplored`.
 */
#ifndef PF_EXPLORE_H
#define PF_EXPLORE_H

#include "clip.h"
#include "findings.h"
#include "target_search.h"

struct pf_explore_settings {
    uint64_t time_ms;   /* 0: no limit */
    uint64_t runs;      /* 0: no limit */
    uint32_t jobs;      /* runs at the same time; 0: one. Does not affect the result */
    const char *folder; /* for clips of runs that failed or showed a race; NULL: none */
    bool (*should_stop)(void);
    bool allow_outside; /* runs may use connections to other processes */
    void (*progress)(uint64_t schedules, uint64_t classes, uint64_t targets); /* NULL: none */
};

/* Something that was not explored. */
struct pf_explore_unexplored {
    const char *reason;
    /* a source position, a system call, a function, or how a run diverged; empty: unknown */
    char where[240];
    uint64_t count;
};

/* A run that failed. */
struct pf_explore_failure {
    uint64_t signature;
    uint64_t schedule; /* the number of the run, from 1 */
    uint64_t count;    /* runs that failed like this */
    char *what, *clip; /* clip NULL: it could not be written */
    /* The program gave up after the schedule had ended a wait before its time limit: that is not
     * an error of the program. */
    bool gave_up;
    bool early_limit; /* the schedule ended a wait before its time limit */
};

/* A run that was the first to show some data races. */
struct pf_explore_race {
    uint64_t schedule; /* the number of the run, from 1 */
    uint64_t count; /* pairs of source positions that it was the first to show */
    char *clip; /* NULL: it could not be written */
};

/* What a run showed to its user. */
struct pf_explore_result {
    uint64_t hash;
    uint64_t count; /* classes with this result */
    char *output; /* what it wrote; at most PF_EXPLORE_OUTPUT bytes are kept */
    size_t length;
    char end[48]; /* how it ended */
};
#define PF_EXPLORE_OUTPUT 4096
#define PF_EXPLORE_RESULTS 1024 /* different results of which the output is kept */

struct pf_exploration {
    uint64_t schedules; /* runs */
    uint64_t copies; /* of the process, for these runs */
    uint64_t classes; /* different executions */
    uint64_t targets; /* left when the exploration ended */
    uint64_t ms;
    bool finished; /* no target is left */
    /* after the checkpoint: answers from outside, signals, calls that may not replay, children */
    uint64_t outside;
    bool racy, weak; /* a class may have a data race; an atomic operation is not seq_cst */
    /* several threads have allocated memory: completeness assumes that nothing depends on its
     * addresses (block_address.h) */
    bool assumes_addresses;
    PF_VEC(struct pf_explore_unexplored) unexplored;
    PF_VEC(struct pf_explore_failure) failures;
    PF_VEC(struct pf_explore_race) races;
    PF_VEC(struct pf_explore_result) results; /* the first ones */
    uint64_t nresults; /* different results */
    struct pf_hash_map result_numbers; /* by hash */
    /* how many runs that failed in a new way, and how many new data races, are not listed, because
     * as many as possible were listed before */
    uint64_t failures_unkept, races_unkept;
};

PF_MUST_USE pf_status pf_explore(struct pf_exploration *out, const struct pf_clip_meta *m,
                                 const struct pf_explore_settings *settings, struct pf_error *e);
void pf_exploration_release(struct pf_exploration *x);
/* True if every execution with this input was seen. */
static inline bool pf_exploration_complete(const struct pf_exploration *x)
{
    return x->finished && !x->unexplored.len;
}
/* The memory model for which that holds. */
const char *pf_exploration_model(const struct pf_exploration *x);

/* --- explore_result.c --- */

/* Notes something that was not explored; `where` may be empty. */
void pf_exploration_add_unexplored(struct pf_exploration *x, const char *reason, const char *where);
/* Adds the results of a run of a new class: its output, its end, and reasons against "complete".
 * shared: bytes of its stream `input` that all runs have in common. */
void pf_exploration_add_run(struct pf_exploration *x, const struct pf_clip *clip, uint64_t shared);
/* Forgets the runs so far, apart from their failures and races. */
void pf_exploration_restart(struct pf_exploration *x);
/* Describes how a run failed; an empty text if it did not. */
void pf_exploration_describe(const struct pf_clip *clip, char *text, size_t room);
/* Writes the exploration as a JSON object, and as text. */
void pf_exploration_json(struct pf_text *t, const struct pf_exploration *x);
void pf_exploration_text(struct pf_text *t, const struct pf_exploration *x);

#endif
