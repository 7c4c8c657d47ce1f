/*
 * object_log.h - lists the objects of the process (program, libraries, plugins) in the findings
 * log, so that pf can report code without checks.
 *
 * Model:   every loaded object is listed once. A library that is unloaded is listed before that.
 * Memory:  a fixed table of the objects listed so far.
 * Threads: under the lock of reports (reporter.c).
 * Errors:  objects that do not fit into the table may be listed more than once.
 */
#ifndef PF_RT_OBJECT_LOG_H
#define PF_RT_OBJECT_LOG_H

/* Lists the objects that are loaded now and have not been listed yet. Event mode: does nothing. */
void pf_object_log_new(void);

#endif
