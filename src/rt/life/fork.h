/*
 * fork.h - around fork(2): no thread is in the middle of an update when the process is copied.
 */
#ifndef PF_RT_FORK_H
#define PF_RT_FORK_H

#include <stdbool.h>

/* alone: the process has one kernel thread, so no update can be under way; nothing is locked then,
 * because the system calls in between may need the locks. */
void pf_rt_before_fork(bool alone);
void pf_rt_after_fork(bool alone, bool child);

#endif
