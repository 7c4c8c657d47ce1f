/*
 * race_log.h - the findings log of this process: docs/format/findings-log.md.
 *
 * Model:   JSON lines, each written at once and appended, so that a killed process leaves every
 *          finding it made. A log whose last line is not `end` belongs to a process that was killed.
 * Memory:  a pool of its own.
 * Threads: the caller holds the report lock and is nested.
 * Errors:  a line that cannot be written is counted (PF_LIMIT_FINDINGS).
 *
 * The target may close our descriptor or reuse its number (daemons do): the file behind it is
 * compared before every write, and opened again by name if it is not ours any more.
 */
#ifndef PF_RT_RACE_LOG_H
#define PF_RT_RACE_LOG_H

#include "finding.h"
#include "pool.h"
#include <stdbool.h>

/* Opens <PF_LOG_DIR>/<pid>.<time>.pflog and writes the first line. Does nothing without a folder. */
void pf_race_log_open(void);
/* In the child of fork: a log of its own; the parent's file is let go. */
void pf_race_log_fork(void);
bool pf_race_log_is_open(void);
void pf_race_log_finding(const struct pf_finding *f);
void pf_race_log_count(uint64_t id, uint64_t count);
/* `how`: exit, exec, halt. */
struct pf_sample_numbers;
void pf_race_log_end(const char *how, uint64_t findings, uint64_t suppressed,
                     const struct pf_sample_numbers *sample); /* NULL: none */
/* Something that the user is to know of, and that was not said on stderr; the parts make one text. */
void pf_race_log_note(const char *const *parts, size_t n);
/* The exec did not happen: the log goes on. */
void pf_race_log_resume(void);

/* Memory for report pools, by system calls. */
void *pf_race_map(size_t size);
void pf_race_unmap(void *at, size_t size);

#endif
