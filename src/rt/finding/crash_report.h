/*
 * crash_report.h - the report of a crash: the signal, its address, the stack of the thread. It is
 * printed, and is a finding in the log.
 *
 * Model:   the stack is the shadow stack: the innermost function, and the calls below it. The line
 *          where the innermost function crashed is looked up in the debug information
 *          (line_table.h); without it, the line is that of the function or of its last call. The
 *          position in the object file is shown as well, for a debugger.
 * Memory:  a pool of its own.
 * Threads: the crashing one; another thread may hold any lock, and so may the crashing thread
 *          itself. So the report waits for a lock only for a limited time.
 */
#ifndef PF_RT_CRASH_REPORT_H
#define PF_RT_CRASH_REPORT_H

#include "finding.h"
#include "line_table.h"
#include "thread.h"

/* Prints the report and ends the log. pc: where the thread was interrupted. t NULL: the thread is
 * unregistered. */
void pf_crash_report(const struct pf_thread *t, int number, const siginfo_t *info, uintptr_t pc);

/* The name of a fatal signal, "signal" if it is another one, and what it means; NULL: nothing. */
const char *pf_crash_signal(int number, const char **meaning);

/* Sets the line of the innermost frame, unless the line is in another file. */
void pf_crash_set_line(const struct pf_source_line *at, struct pf_stack_frame *top);

#endif
