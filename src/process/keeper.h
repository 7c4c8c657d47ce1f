/*
 * keeper.h - runs a program under guard: with a time limit, its output taken, and nothing left behind.
 *
 * Model:   a keeper is a forked process between us and the program. It adopts every orphan below it, so
 *          it knows all that the program has started and can end all of it: when the time is up
 *          (SIGTERM, after `grace_ms` SIGKILL), when it is told to (SIGTERM), and when we
 *          die, however that happens. Processes that outlive the program get `grace_ms` to end.
 * Memory:  the result is plain data that comes through a pipe.
 * Threads: the caller must have one thread only; the keeper is forked and never execs.
 * Errors:  PF_IO when no keeper can be made. That the program cannot be run is a result.
 */
#ifndef PF_CLI_KEEPER_H
#define PF_CLI_KEEPER_H

#include "status.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PF_KEPT_OUTPUT 4096

struct pf_keep {
    const char *path;
    char *const *argv;
    const char *dir, *input;      /* NULL: here, /dev/null */
    uint64_t limit_ms, grace_ms;  /* limit 0: none */
    /* In the child, still in our folder, before exec; the message goes to the program's output. */
    pf_status (*prepare)(const void *arg, struct pf_error *e);
    const void *arg;
    /* A byte of this file is locked until all processes of the program have ended; -1: none. */
    int lock;
    int64_t byte;
};

enum pf_kept_how {
    PF_KEPT_ENDED,
    PF_KEPT_LIMIT, /* the time was up */
    PF_KEPT_STOPPED, /* the keeper was told to end it */
    PF_KEPT_UNSTARTED, /* `reason` says why */
};

struct pf_kept {
    enum pf_kept_how how;
    int wait; /* what waitpid said of the program */
    int reason; /* errno */
    bool ended_some; /* processes had to be ended that the program left behind */
    bool left_some; /* and some could not be ended */
    uint64_t wall_ns, cpu_ns, peak_kb; /* of the program and of all it waited for or left */
    uint32_t noutput;
    char output[PF_KEPT_OUTPUT]; /* the end of what it printed */
};

struct pf_keeper {
    pid_t pid;
    int fd; /* readable when the result is there */
};

/* One for all keepers: they end when its write end is gone. */
struct pf_keeper_life {
    int fd[2];
};
PF_MUST_USE pf_status pf_keeper_life_init(struct pf_keeper_life *l, struct pf_error *e);

PF_MUST_USE pf_status pf_keeper_start(struct pf_keeper *k, const struct pf_keep *what,
                                      const struct pf_keeper_life *life, struct pf_error *e);
/* Ends the program; its result still comes. */
void pf_keeper_stop(const struct pf_keeper *k);
/* Waits for the result; false: the keeper itself was killed. */
bool pf_keeper_collect(struct pf_keeper *k, struct pf_kept *result);

#endif
