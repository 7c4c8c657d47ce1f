/*
 * child.h - runs a program in our place: same terminal, same descriptors, signals handed on.
 *
 * Model:   the child stays in our process group, so the terminal's signals reach it by themselves;
 *          signals that another process sends to us alone are sent on to it.
 * Errors:  PF_IO when it cannot be started.
 */
#ifndef PF_CLI_CHILD_H
#define PF_CLI_CHILD_H

#include "status.h"

/* Runs path with argv and the environment as it is now; *wait is what waitpid said at its end. */
PF_MUST_USE pf_status pf_child_run(const char *path, char *const *argv, int *wait, struct pf_error *e);

#endif
