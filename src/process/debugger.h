/*
 * debugger.h - runs gdb on a replay that has stopped at its --until point.
 *
 * Model:   at that point the target has turned its contexts into kernel threads
 *          (src/rt/direct/materialise.h) and waits. gdb is attached to it, with a script that
 *          describes the runtime (gdb.py, installed next to the runtime) and the user's arguments.
 *          When gdb ends, the target is killed. The script's command pf-back starts further
 *          replays, to which gdb attaches (docs/decision/going-back.md).
 * Errors:  PF_IO when gdb is not installed or cannot be started.
 */
#ifndef PF_PROCESS_DEBUGGER_H
#define PF_PROCESS_DEBUGGER_H

#include "channel.h"
#include "child.h"

/* Waits until the target has stopped at its point. If `tell` is 0: runs gdb with these arguments;
 * *status is gdb's status from waitpid. Otherwise another process debugs the target: writes the
 * numbers of the process and of the thread at the point to the descriptor `tell`, and waits until
 * the target has ended. If the target ends before the point, gdb is not run and *status is
 * unchanged. When this returns, the target has ended or has been killed. */
PF_MUST_USE pf_status pf_debugger_run(struct pf_channel *c, const struct pf_child *target,
                                      char **arguments, int tell, int *status, struct pf_error *e);

#endif
