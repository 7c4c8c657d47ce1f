/*
 * self_run.h - runs this pf with another verb, as a child process, and reads its report.
 *
 * Model:   verbs that run the program change the folder, the environment and the core of their
 *          process, so a verb that still needs its own runs them in a child. The child runs in the
 *          background under a supervisor (supervisor.h); its output is discarded, and its results
 *          are in its report (run_report.h) and in the files that its options name.
 * Threads: the caller must be single-threaded.
 * Errors:  PF_IO when the child could not be started or was killed without a report.
 */
#ifndef PF_PROCESS_SELF_RUN_H
#define PF_PROCESS_SELF_RUN_H

#include "run_report.h"
#include "supervisor.h"

struct pf_self_run {
    char *const *argv; /* the verb and its arguments, NULL-terminated */
    const char *input; /* file for its standard input; NULL: /dev/null */
    uint64_t limit_ms, fair_ms; /* as of a command (command.h); 0: none */
    bool *at_limit; /* set if the limit ended the child; NULL: that is an error */
    bool (*should_stop)(void *arg); /* polled; NULL: never */
    void *arg;
};

/* An absolute path of a new, empty temporary file, which the caller frees and removes. */
PF_MUST_USE pf_status pf_temporary_file(char **path, struct pf_error *e);
/* Runs the verb to its end. */
PF_MUST_USE pf_status pf_self_run(const struct pf_self_run *what, struct pf_run_report *report,
                                  struct pf_error *e);

#endif
