/*
 * wait_status.h - how a process ended, from the status that waitpid gives.
 */
#ifndef PF_BASE_WAIT_STATUS_H
#define PF_BASE_WAIT_STATUS_H

#include <stddef.h>

/* The exit status as a shell has it: 128 + n if signal n ended the process. */
int pf_wait_status(int wait);
#define PF_SIGNAL_TEXT 64 /* enough room for pf_signal_text */
/* Writes the signal that ended the process, "signal 6 (Aborted)", and returns `to`. */
const char *pf_signal_text(char to[PF_SIGNAL_TEXT], int wait);

#endif
