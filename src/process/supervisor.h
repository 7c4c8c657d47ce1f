/*
 * supervisor.h - runs a program under supervision: with a time limit, with its output captured, and
 * with every process that it leaves behind terminated.
 *
 * Model:   a supervisor is a forked process between pf and the program. It is a child subreaper, so
 *          every orphan below it becomes its child, and it can find and end all that the program
 *          has started. It does so when the time limit expires (SIGTERM, after `grace_ms` SIGKILL),
 *          when it receives SIGTERM, and when pf dies for whatever reason. Processes that outlive
 *          the program get `grace_ms` to end.
 * Memory:  the result is plain data, sent through a pipe.
 * Threads: the caller must be single-threaded: the supervisor is forked and never execs.
 * Errors:  PF_IO when no supervisor can be created. A program that cannot be started is a result.
 */
#ifndef PF_PROCESS_SUPERVISOR_H
#define PF_PROCESS_SUPERVISOR_H

#include "command.h"

#define PF_SUPERVISED_OUTPUT 4096

enum pf_supervisor_outcome {
    PF_SUPERVISED_ENDED,
    PF_SUPERVISED_LIMIT, /* the time limit expired */
    PF_SUPERVISED_STOPPED, /* the supervisor was asked to stop it */
    PF_SUPERVISED_UNSTARTED, /* it could not be started; `why` is the reason */
};

struct pf_supervisor_result {
    enum pf_supervisor_outcome how;
    int wait; /* the program's status, from waitpid */
    char why[256];
    bool leftovers_killed; /* processes that the program left behind had to be terminated */
    bool leftovers_alive; /* and some of them survived even SIGKILL */
    /* of the program and all processes it waited for or left behind */
    uint64_t wall_ns, cpu_ns, peak_kb;
    uint32_t noutput;
    /* the last bytes of its standard output and standard error */
    char output[PF_SUPERVISED_OUTPUT];
};

struct pf_supervisor {
    pid_t pid;
    int fd; /* readable when the result is available */
};

/* Shared by all supervisors: they end their programs when its write end is closed. */
struct pf_supervisor_lifeline {
    int fd[2];
};
PF_MUST_USE pf_status pf_supervisor_lifeline_init(struct pf_supervisor_lifeline *l,
                                                  struct pf_error *e);

PF_MUST_USE pf_status pf_supervisor_start(struct pf_supervisor *k, const struct pf_command *what,
                                          const struct pf_supervisor_lifeline *life,
                                          struct pf_error *e);
/* Terminates the program; its result must still be collected. */
void pf_supervisor_stop(const struct pf_supervisor *k);
/* Waits for the result. False: the supervisor itself was killed. */
bool pf_supervisor_collect(struct pf_supervisor *k, struct pf_supervisor_result *result);

/* Runs one command to its end. `should_stop` is polled while it runs; it may be NULL. */
PF_MUST_USE pf_status pf_supervisor_run(const struct pf_command *what, bool (*should_stop)(void *),
                                        void *arg, struct pf_supervisor_result *result,
                                        struct pf_error *e);

#endif
