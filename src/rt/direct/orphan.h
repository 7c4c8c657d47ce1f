/*
 * orphan.h - pf is killed while it records: the target keeps what was recorded, and ends.
 *
 * Model:   the kernel tells of the death of the parent by a signal. The run then ends at the next
 *          boundary of segments; a thread that comes to none is ended after a second. What pf had not
 *          taken from the rings is appended to the clip, as chunks that are not compressed. The file has no
 *          end, as it has when the target is killed.
 * Threads: the runner; notice: its signal handlers.
 * Errors:  a file that cannot be written is told on standard error.
 */
#ifndef PF_RT_ORPHAN_H
#define PF_RT_ORPHAN_H

#include <signal.h>
#include <stdbool.h>

#define PF_ORPHAN_SIGNAL 64

/* From here on the kernel tells. A replay, which keeps nothing, is killed with pf. */
void pf_orphan_init(void);
/* In a handler: is this signal such news? */
bool pf_orphan_notice(const siginfo_t *info);
/* Is it time to end? */
bool pf_orphaned(void);
/* Writes what is left, and ends the process. */
_Noreturn void pf_orphan_end(void) __attribute__((weak)); /* stream_ring.c is tested without it */

#endif
