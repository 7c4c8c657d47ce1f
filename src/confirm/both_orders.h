/*
 * both_orders.h - runs a program with the two accesses of a race in both orders, several times
 * each, from a checkpoint before the race.
 *
 * Model:   one run, the trunk, follows the recording up to the race. There it is copied. Each
 *          copy, a continuation, makes the two accesses happen in one of the orders, primary (as
 *          recorded) or alternate, and then runs to its end: along the rest of the recorded
 *          schedule as long as that is possible, or at once under a policy. The accesses are
 *          recognised by thread, source position and memory
 *          (src/rt/direct/schedule/access_order.h). A thread is held for at most five times the
 *          events of the recording after the checkpoint (at least 100,000). A continuation is ended
 *          after twice as many.
 *          Continuations share the pipes, sockets, eventfds and epolls that the program has opened.
 *          If there are any, each continuation gets a run of its own up to the race.
 *          All runs in one folder get the same random numbers, CPU times and the like
 *          (src/rt/direct/syscall/pinned_answers.h): a difference between two runs is one of the
 *          order or the schedule.
 * Memory:  the caller owns everything. The clip of each continuation is written to its path, so
 *          that its output can be read (run_output.h) and the run replayed.
 * Threads: the caller must be single-threaded; the runs happen in a process of their own.
 * Errors:  PF_IO or PF_BAD if nothing could be run. A continuation that could not be run has
 *          ran == false and a reason.
 */
#ifndef PF_CONFIRM_BOTH_ORDERS_H
#define PF_CONFIRM_BOTH_ORDERS_H

#include "clip.h"
#include "trace.h"

/* One continuation: what it does, and how it ended. */
struct pf_order_run {
    bool alternate; /* the access that was recorded last comes first */
    bool recorded; /* follows the recorded schedule first, as long as that is possible */
    /* both threads first run until their accesses are next; up to there, the runs of both orders
     * are the same */
    bool together;
    bool other_clock; /* clocks are ahead and run faster; its clip cannot be replayed */
    char policy[64]; /* the policy after that; if not `recorded`, from the race on */
    unsigned seed; /* the seed in `policy`, for the caller's own use */
    const char *clip; /* absolute path of its clip; NULL: none is written */
    uint32_t nchoices; /* its first choices of memory contents; the others are 0 */
    uint8_t choice[PF_MEMORY_CHOICES];

    /* filled in: */
    bool ran;
    char why[240]; /* why it did not run */
    struct pf_clip_end end; /* status, signal, outcome, memory errors */
    struct pf_failure_site failed_at; /* of its first memory error or its failure */
    uint64_t events; /* of all threads */
    bool shares; /* it shares pipes, sockets or the like with the other continuations */
    /* the choices that it made, at most PF_MEMORY_CHOICES, and the number of options of each */
    uint32_t nmade;
    uint8_t made[PF_MEMORY_CHOICES], options[PF_MEMORY_CHOICES];
    uint32_t forgotten; /* how often the memory model has forgotten values */
    struct pf_order_outcome order; /* whether the order was enforced, and why not */
};

struct pf_both_orders {
    const struct pf_trace *t; /* of the recording */
    const struct pf_clip *recording;
    uint32_t a, b; /* the two accesses; a comes first in the trace */
    /* An event of the thread of a, at or before a; PF_NONE: a itself. The checkpoint is before this
     * event, and in the alternate order the thread is held there. An earlier event than a is needed
     * if the thread acquires a lock there that the other thread needs to reach b. */
    uint32_t hold_from;
    struct pf_memory_settings memory; /* the memory model of the runs */
    /* most events for which a thread is held; a continuation is ended after twice as many. 0: as
     * above */
    uint64_t events;
    struct pf_order_run *runs;
    uint32_t n; /* at most PF_CONTINUATIONS */
    const char *folder; /* for temporary files; an absolute path that exists */
    unsigned jobs; /* how many continuations run in parallel */
    uint64_t limit_ms, fair_ms; /* for all of them, as of a command (command.h); 0: none */
    bool (*should_stop)(void *arg); /* polled while they run; NULL: never */
    void *arg;
};

/* Runs all continuations. */
PF_MUST_USE pf_status pf_both_orders_run(struct pf_both_orders *q, struct pf_error *e);
/* Removes the files that all runs in this folder share: the answers of the outside world, and the
 * list of hidden files (private_files.h). */
void pf_both_orders_forget(const char *folder);

/* True if the two accesses happened in the wanted order. */
bool pf_order_run_enforced(const struct pf_order_run *r);
/* How a run failed. */
enum pf_run_failure {
    PF_RUN_FINE,
    PF_RUN_MEMORY_ERROR,
    PF_RUN_DEADLOCK,
    PF_RUN_HANG,
    PF_RUN_DIED, /* of a signal */
    PF_RUN_REQUIREMENT /* it violated a condition of the user (judge/requirement.h) */
};
/* The failure of a run; `text` gets it as one line, or "". `normal` is the status of a run that
 * counts as success. A run that was ended at its limit of events did not fail. */
enum pf_run_failure pf_order_run_failure(const struct pf_order_run *r, int normal, char *text,
                                         size_t room);
/* Why the order was not enforced, as words; NULL: it was. */
const char *pf_order_run_obstacle(const struct pf_order_run *r);

#endif
