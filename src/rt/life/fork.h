/*
 * fork.h - around fork(2): the locks of the runtime are held while the process is copied, so that
 * the child inherits no lock that another thread holds, and no update that is half done. The locks
 * of reports (reporter.c) and of the symbolizer are not held; they are reset in the child. Those of
 * the interposed functions are taken by thread_record.c and free_mode.c.
 */
#ifndef PF_RT_FORK_H
#define PF_RT_FORK_H

#include <stdbool.h>

/* alone: the process has one kernel thread, so no update can be under way; nothing is locked then,
 * because the system calls in between may need the locks. */
void pf_rt_before_fork(bool alone);
void pf_rt_after_fork(bool alone, bool child);

#endif
