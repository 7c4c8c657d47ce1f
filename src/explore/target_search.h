/*
 * target_search.h - what is still to be explored: targets, and the beginnings of runs that
 * reach them.
 *
 * Model:   a target asks for one operation of an execution to read from other writes. Its largest
 *          beginning consists of all operations of the execution that do not depend on what this
 *          operation reads. If that is inconsistent, the beginnings are its maximal consistent
 *          parts (docs/analysis/explore.md). A beginning that some execution seen so far contains
 *          needs no run. A second kind of target continues a thread that was cut off by the end of
 *          the process.
 *          Targets are taken in this order: first those with a pair of sites (read, write)
 *          that no target had before (among them, first those in which a woken thread
 *          takes its mutex again, last those of the final thread); then those with the fewest runs
 *          between the first execution and their own (`depth`), then the oldest.
 *          Targets with new pairs are generated when an execution is added. The others are
 *          generated when they are needed, one operation of an execution at a time: a long
 *          execution has millions.
 * Memory:  the search owns its targets; these keep their executions alive. Executions whose
 *          targets are not all generated also stay alive; above a limit, they are left out.
 */
#ifndef PF_EXPLORE_TARGET_SEARCH_H
#define PF_EXPLORE_TARGET_SEARCH_H

#include "classes.h"

struct pf_target {
    struct pf_execution *x;
    uint32_t node;     /* the operation; PF_NONE: let `thread` continue */
    uint32_t thread;
    uint32_t *sources; /* one for each access of the node */
    bool *writes;      /* likewise: whether it writes */
    uint32_t choice;   /* of a notification (execution.h) */
    bool guess;        /* `writes` is not known, but assumed */
    uint32_t depth;    /* runs between the first execution and this one */
    bool fresh;        /* it has a new pair of sites */
    bool rest;         /* its first beginning was run; the others are left */
    uint64_t execution, number; /* in the order in which they were added */
};

/* An execution whose targets are not all generated. */
struct pf_expansion {
    struct pf_execution *x;
    uint32_t depth;
    uint32_t next; /* the next operation whose targets are generated */
    uint64_t execution;
};

/* The beginning of a run. */
struct pf_beginning {
    PF_VEC(struct pf_schedule_plan_step) plan;
    PF_VEC(uint64_t) frontier;
    uint32_t depth;
    uint64_t number;    /* its number in the queue; also the seed of its random policy */
    bool guess;         /* the run need not contain it: as in the target, or due to stuck_end.c */
    bool resumes;       /* continues a thread that was cut off by the end of the process */
    bool stuck;         /* after it, threads may wait for ever (stuck_end.h) */
    uint64_t continues; /* the history after which that thread continues; 0: none */
    /* If not NULL: the target, to be taken again if its operation, whose history is `changed`, does
     * not write, although that was assumed. Owned. */
    struct pf_target *again;
    uint64_t changed;
    uint64_t object; /* message object on which the last step may wait; 0: none */
    int32_t level; /* and the level at which it does so */
};

struct pf_search {
    uint64_t main_events; /* of the main thread before the checkpoint */
    /* polled while targets are generated, which takes long for long runs; NULL: never stop */
    bool (*should_stop)(void *arg);
    void *stop_arg;
    struct pf_classes seen;
    PF_VEC(struct pf_target) heap;
    PF_VEC(struct pf_expansion) expansions; /* ordered by depth and execution */
    /* executions with loops that may wait, from index `next_loop` on; they come after all other
     * targets: only then is known after which reads a loop waits */
    PF_VEC(struct pf_expansion) loops;
    size_t next_loop;
    uint64_t nexecutions;
    uint64_t bytes; /* of executions that are kept for their targets */
    struct pf_hash_map asked; /* hashes of targets */
    struct pf_hash_map pairs; /* pairs of sites */
    /* pairs of sites for which no target was found yet: index into `attempts` */
    struct pf_hash_map missed;
    PF_VEC(uint32_t) attempts; /* how often a target was looked for */
    struct pf_hash_map empty; /* message objects by address: index into `levels` */
    PF_VEC(int32_t) levels; /* the level at which the object is empty */
    struct pf_rf_query query;
    /* histories after which a thread only waits in a loop; also keys of states and values
     * (pf_exec_spin_key): a thread in such a state that reads the value only waits */
    struct pf_hash_map spins;
    /* history of a compare-and-swap -> 1 if it wrote, 0 if not; of another read-modify-write
     * operation that stored what was already there -> 0 */
    struct pf_hash_map compared;
    PF_VEC(struct pf_beginning) beginnings; /* of the target taken last */
    uint64_t ntargets;
    uint64_t unknown; /* questions that the engine could not decide */
    uint64_t capped; /* choices that were left out because there are too many */
};

void pf_search_release(struct pf_search *s);
/* Adds a new execution, whose targets are then part of the search. */
void pf_search_add(struct pf_search *s, struct pf_execution *x, uint32_t depth);
/* Takes the next target and sets s->beginnings to what has to be run for it. False: there are no
 * more targets. */
bool pf_search_next(struct pf_search *s);
/* A copy without a reference to the execution. */
struct pf_target pf_target_copy(const struct pf_target *t);
/* Puts a target back, to run its other beginnings later. */
void pf_search_defer(struct pf_search *s, const struct pf_target *t);
/* The run of the beginning is over, or was not needed. */
void pf_search_end(struct pf_search *s, struct pf_beginning *b);
/* How many targets are left, and operations whose targets are not generated yet. */
uint64_t pf_search_left(const struct pf_search *s);
/* True if an execution seen so far contains the beginning, so that it needs no run. */
bool pf_search_has(const struct pf_search *s, const struct pf_beginning *b);
void pf_beginning_release(struct pf_beginning *b);
/* A run showed that the message object is empty at this level: a take waits there. */
void pf_search_learn_empty(struct pf_search *s, uint64_t object, int32_t level);

#endif
