/*
 * findings_log.h - the findings log of this process: docs/format/findings-log.md.
 *
 * Model:   JSON lines, each appended with one write, so that a killed process leaves all findings
 *          that it made. If the last line of a log is not `end`, its process was killed.
 * Memory:  a separate pool.
 * Threads: the caller holds the report lock and is inside the runtime (pf_nest).
 * Errors:  a line that cannot be written is counted (PF_LIMIT_FINDINGS).
 *
 * The target may close the log's descriptor or reuse its number (daemons do). So the file behind
 * the descriptor is checked before every write, and opened again by name if it is another one.
 */
#ifndef PF_RT_FINDINGS_LOG_H
#define PF_RT_FINDINGS_LOG_H

#include "finding.h"
#include "pool.h"
#include <stdbool.h>
#include <sys/types.h>

struct pf_suppressions;
/* Opens <PF_LOG_DIR>/<pid>.<time>.pflog and writes the first line, which has the suppressions. Does
 * nothing if no folder is set. The suppressions must stay valid. */
void pf_findings_log_open(const struct pf_suppressions *suppressions);
/* In the child of fork: opens its own log and closes the parent's. */
void pf_findings_log_fork(void);
bool pf_findings_log_is_open(void);
void pf_findings_log_finding(const struct pf_finding *f);
/* An object of the process, by its absolute path (object_log.h). */
void pf_findings_log_object(const char *path);
void pf_findings_log_count(uint64_t id, uint64_t count);
/* A child that died of a signal (0: unknown), for which the program has waited. */
void pf_findings_log_child_died(pid_t child, int signal);
struct pf_sample_numbers { /* what a sampling policy counted */
    uint64_t pairs, frequent;
};
struct pf_process_end { /* the end of a process */
    const char *how; /* exit, exec, halt, crash */
    uint64_t findings, suppressed;
    uint64_t waited_ms;
    int status; /* with which it exits; -1: unknown */
    int signal; /* of which it dies; 0: none */
    const struct pf_sample_numbers *sample; /* NULL: no sampling */
    const struct pf_finding *failure; /* the crash; NULL: none */
};
void pf_findings_log_end(const struct pf_process_end *e);
/* Writes a message for the user that was not printed on stderr: the concatenation of the parts. */
void pf_findings_log_note(const char *const *parts, size_t n);
/* The exec failed: the log continues. */
void pf_findings_log_resume(void);

/* Memory for report pools, by system calls. */
void *pf_report_map(size_t size);
void pf_report_unmap(void *at, size_t size);

#endif
