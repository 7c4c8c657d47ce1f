/*
 * command.h - what a child process runs, with which files and within which limits; and the
 * function that starts it.
 *
 * Model:   a command is a program with its arguments, or a function of this process that runs in
 *          the child. It is run in the foreground (child.h), or in the background under a
 *          supervisor (supervisor.h, process_pool.h).
 * Memory:  everything belongs to the caller, until the child has been started.
 * Threads: the caller of pf_command_spawn must be single-threaded if the child does not exec.
 * Errors:  PF_IO with the path and the reason, also for what fails in the child before exec.
 */
#ifndef PF_PROCESS_COMMAND_H
#define PF_PROCESS_COMMAND_H

#include "status.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum pf_command_output {
    PF_OUTPUT_OURS, /* standard output and standard error of this process */
    PF_OUTPUT_NULL, /* /dev/null */
    PF_OUTPUT_KEPT, /* in the background only: the last bytes are part of the result */
};

struct pf_command {
    const char *path; /* of the program; with `function`, a name for messages */
    char *const *argv;
    /* Instead of a program: runs in the child; the result is the exit status. */
    int (*function)(const void *arg);
    char *const *env;  /* NULL: that of this process */
    const char *dir;   /* NULL: the current folder */
    const char *input; /* a file; NULL: our standard input; in the background /dev/null */
    enum pf_command_output output;
    /* Called in the child before chdir and exec. */
    pf_status (*prepare)(const void *arg, struct pf_error *e);
    const void *arg;
    int keep; /* a descriptor that the child keeps in addition to 0, 1 and 2; 0: none */

    /* For commands in the background: */
    bool forwards; /* the child passes SIGTERM on to its children: send it to the child alone */
    uint64_t limit_ms, grace_ms; /* SIGTERM after `limit_ms` (0: never), SIGKILL `grace_ms` later */
    /* SIGTERM after this time without the time in which other programs had all cores (fair_time.h);
     * 0: never */
    uint64_t fair_ms;
    uint64_t kill_at_ms; /* SIGKILL at this time (pf_now_ms), whatever the grace; 0: no such time */
    /* A byte of this file that stays locked until all processes of the command have ended; 0:
     * none. */
    int lock;
    int64_t byte;
};

/* How long a child has to end between SIGTERM and SIGKILL. */
enum pf_grace_ms {
    PF_GRACE_TEST_MS = 100, /* a command that tests something about an input */
    PF_GRACE_DIRECTED_MS = 500, /* a recording, replay or try, or the pf that makes one */
    PF_GRACE_PROGRAM_MS = 2000, /* a program in free mode: the default of --grace */
    PF_GRACE_TASK_MS = 5000 /* a task of a fleet, which writes its results */
};

/* How the child differs from this process. */
struct pf_command_setup {
    const sigset_t *mask; /* its signal mask */
    bool session; /* it gets a session of its own */
    int output; /* descriptor for standard output and standard error; -1: as the command says */
    void (*on_child)(int); /* its disposition of SIGCHLD */
};

/* Starts the child. Returns its pid in *pid once it has called exec, or is about to call
 * `function`. */
PF_MUST_USE pf_status pf_command_spawn(const struct pf_command *c,
                                       const struct pf_command_setup *how, pid_t *pid,
                                       struct pf_error *e);

#endif
