/*
 * orphan.h - pf is killed while it records: the target saves the rest of the recording and ends.
 *
 * Model:   the kernel reports the death of the parent by a signal. The run then ends at the next
 *          segment boundary; a thread that does not reach one is ended after a second. Whatever pf
 *          had not taken from the rings is appended to the clip as uncompressed chunks. The file
 *          has no end record, as when the target is killed.
 * Threads: the runner; handle_signal: its signal handlers.
 * Errors:  a file that cannot be written is reported on standard error.
 */
#ifndef PF_RT_ORPHAN_H
#define PF_RT_ORPHAN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define PF_ORPHAN_SIGNAL 64

/* Asks the kernel to report the death of pf. A replay has nothing to save: it is killed with pf. */
void pf_orphan_init(void);
/* Asks the kernel to kill this process when its parent dies. If it has died already, the process
 * ends here. */
void pf_orphan_die_with(uint32_t parent);
/* Called in a signal handler. True if the signal reports the death of pf, or is the alarm set
 * then. */
bool pf_orphan_handle_signal(const siginfo_t *info);
/* True if pf has died and the run must end at the next segment boundary. */
bool pf_orphaned(void);
/* Writes what is left in the rings and ends the process. */
_Noreturn void pf_orphan_end(void);

#endif
