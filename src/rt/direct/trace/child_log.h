/*
 * child_log.h - the log of a forked child (forked_child.h): its streams, as pieces in a file of its
 * own (struct pf_piece in channel.h).
 *
 * Model:   the child writes every piece at once, so that nothing is lost when it is killed. The
 *          file starts with the position of each stream at the fork. A process whose streams are
 *          not wanted has a log without a file.
 * Threads: the target's one kernel thread.
 * Errors:  a full disk truncates the log; the child's clip is then cut.
 */
#ifndef PF_RT_CHILD_LOG_H
#define PF_RT_CHILD_LOG_H

#include "channel.h"
#include <stdbool.h>
#include <stddef.h>

/* This process writes to such a log, not to the rings. */
extern bool pf_child_log_used;
/* Recording: this process in the channel's table; NULL: it is not a forked child. */
extern struct pf_forked *pf_forked_self;

/* Call before the process is copied: the child's log continues from this position. */
void pf_child_log_mark(void);
/* In the child: from now on everything is written to this file. False: it cannot be created. */
bool pf_child_log_open(const char *path);
/* From now on this process writes nothing, and its outcome does not count. */
void pf_child_log_drop(void);

/* While the log is used: appends a piece; stores the outcome, of which the first counts. */
void pf_child_log_put(uint32_t stream, const void *bytes, size_t n);
void pf_child_log_outcome(enum pf_outcome what, const char *text);
/* While the log is used: where this process stores its results, because those in the channel belong
 * to another process. Otherwise NULL: it stores them in the channel. */
struct pf_continuation *pf_child_log_results(void);

/* Call before a system call that closes descriptors. True if it would close the file of the log: it
 * was then performed for all other descriptors, with this result. */
bool pf_child_log_keep_open(long number, const long argument[6], long *result);

#endif
