/*
 * child.h - runs a program in the foreground: on our terminal, with our descriptors, and forwards
 * signals to it.
 *
 * Model:   the child stays in our process group, so signals from the terminal reach it directly.
 *          Signals that another process sends to pf alone are forwarded to it. This process becomes
 *          a child subreaper: processes that the program leaves behind (daemons, children it does
 *          not wait for) become our children, so they are all known when the program has ended and
 *          its logs are read.
 * Errors:  PF_IO when the program cannot be started.
 */
#ifndef PF_PROCESS_CHILD_H
#define PF_PROCESS_CHILD_H

#include "command.h"

struct pf_child_end {
    int wait;       /* its status, from waitpid */
    bool left_running; /* processes that it started are still running */
    /* Only for directed runs: */
    unsigned started; /* processes that it started; these are neither recorded nor replayed */
    bool executed;    /* it called exec; the new program is neither recorded nor replayed */
};

/* A started program. */
struct pf_child {
    pid_t pid;
    sigset_t set, before; /* signals blocked while it runs, and the mask to restore */
    /* Set after start, or NULL: called for every other process that ends and that this process has
     * inherited. */
    void (*reaped)(void *arg, pid_t pid, int wait);
    void *arg;
};
PF_MUST_USE pf_status pf_child_start(struct pf_child *c, const struct pf_command *command,
                                     struct pf_error *e);
/* Waits for its end and restores the signal mask; `all` as below. */
void pf_child_await(struct pf_child *c, bool all, struct pf_child_end *end);
/* Runs the command to its end. With `all`, waits until the last process that it started or left
 * behind has ended. */
PF_MUST_USE pf_status pf_child_run(const struct pf_command *command, bool all,
                                   struct pf_child_end *end, struct pf_error *e);

#endif
