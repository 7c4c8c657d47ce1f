/*
 * child.h - runs a program in our place: same terminal, same descriptors, signals handed on.
 *
 * Model:   the child stays in our process group, so the terminal's signals reach it by themselves;
 *          signals that another process sends to us alone are sent on to it.
 *          What the program leaves behind (daemons, children it does not wait for) becomes ours to
 *          count: nobody can slip away between its end and the look at the logs.
 * Errors:  PF_IO when it cannot be started.
 */
#ifndef PF_CLI_CHILD_H
#define PF_CLI_CHILD_H

#include "status.h"
#include <signal.h>
#include <stdbool.h>

struct pf_child_end {
    int wait;       /* what waitpid said at its end */
    bool left_some; /* processes it started still run */
    /* Directed runs: */
    unsigned started; /* processes, which are neither recorded nor run again */
    bool executed;    /* it became another program, which is neither */
};

/* One that was started. */
struct pf_child {
    pid_t pid;
    sigset_t set, before; /* signals blocked meanwhile, and the mask to put back */
};
PF_MUST_USE pf_status pf_child_start(struct pf_child *c, const char *path, char *const *argv,
                                     struct pf_error *e);
/* Waits for its end; `all` as below. */
void pf_child_await(struct pf_child *c, bool all, struct pf_child_end *end);
/* Runs path with argv and the environment as it is now; `all`: until the last process it started, or
 * left behind, has ended. */
PF_MUST_USE pf_status pf_child_run(const char *path, char *const *argv, bool all,
                                   struct pf_child_end *end, struct pf_error *e);

#endif
