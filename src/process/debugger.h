/*
 * debugger.h - gdb on a replay that stands at its point.
 *
 * Model:   the target has made kernel threads of its contexts there (src/rt/direct/materialise.h) and
 *          waits. gdb is attached to it, with what it must know of the runtime (gdb.py beside the
 *          runtime) and the user's own arguments. When gdb ends, so does the target.
 * Errors:  PF_IO when there is no gdb.
 */
#ifndef PF_CLI_DEBUGGER_H
#define PF_CLI_DEBUGGER_H

#include "channel.h"
#include "child.h"

/* Waits until the target is at its point, or over: then *status stays as it is. Runs gdb with these
 * arguments; *status is what waitpid said of it. The target is gone or dying when this returns. */
PF_MUST_USE pf_status pf_debugger_run(struct pf_channel *c, const struct pf_child *target,
                                      char **arguments, int *status, struct pf_error *e);

#endif
