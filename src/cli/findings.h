/*
 * findings.h - the findings of many processes and runs as one: logs in, one document out.
 *
 * Model:   findings with the same fingerprint are one, their counts added up. The result is complete
 *          iff every process ended in order and lost nothing, and no process goes on.
 * Memory:  one pool for all of it; release gives it back.
 * Errors:  PF_BAD names the file, the line and what was expected. A last line that is cut is no
 *          error: the process was killed while it wrote, and the result is incomplete.
 */
#ifndef PF_CLI_FINDINGS_H
#define PF_CLI_FINDINGS_H

#include "finding.h"
#include "pool.h"
#include "status.h"
#include "textbuf.h"

struct pf_loss {
    const char *what;
    uint64_t count;
    struct pf_loss *next;
};

/* One log: one process from its start (or exec) to its end (or exec). */
struct pf_process {
    uint64_t pid, parent, time, ticks, suppressed;
    int exitcode;
    const char *run;
    const char *const *command;
    size_t ncommand;
    uint64_t lost;   /* children that could not make a log of their own */
    const char *end; /* how it ended; NULL: killed, or still running */
    bool running;
    struct pf_loss *losses;
    struct pf_process *next;
};

struct pf_findings {
    struct pf_pool pool;
    struct pf_finding **at;
    size_t n, cap;
    struct pf_process *processes; /* by the time of their start */
    size_t nprocesses;
    bool unfinished; /* more may come: some process that the run started goes on */
};

void pf_findings_init(struct pf_findings *f);
void pf_findings_release(struct pf_findings *f);
/* Adds the log `path`; with `run`, only if it belongs to that run. */
PF_MUST_USE pf_status pf_findings_read(struct pf_findings *f, const char *path, const char *run,
                                       struct pf_error *e);
/* Adds every log of the folder (PF_LOG_SUFFIX), and of folders in it. */
PF_MUST_USE pf_status pf_findings_read_folder(struct pf_findings *f, const char *folder,
                                              const char *run, struct pf_error *e);

bool pf_process_complete(const struct pf_process *p);
bool pf_findings_complete(const struct pf_findings *f);
uint64_t pf_findings_suppressed(const struct pf_findings *f);

/* The JSON contract, version 1. */
void pf_findings_json(struct pf_text *t, const struct pf_findings *f, const char *const *command,
                      size_t ncommand);
/* "pf: incomplete: ..." lines, one for each reason; nothing when complete. */
void pf_findings_losses(struct pf_text *t, const struct pf_findings *f);

#define PF_LOG_SUFFIX ".pflog"
#define PF_LOG_VERSION 1

#endif
