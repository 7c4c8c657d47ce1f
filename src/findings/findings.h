/*
 * findings.h - the findings of many processes and runs as one: logs in, one document out.
 *
 * Model:   findings with the same fingerprint are one, their counts added up; the surest status counts. The result is complete
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

struct pf_note { /* what a process had to say and did not print */
    const char *text;
    struct pf_note *next;
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
    bool excused; /* we ended it, as was wished: that it has no end of its own is no loss */
    struct pf_loss *losses;
    struct pf_note *notes;
    bool has_pairs; /* of functions: the policy knows, and keeps */
    uint64_t pairs, frequent;
    struct pf_process *next;
};

/* What suites have executed (docs/suite.md). */
struct pf_suite_failure {
    const char *test, *outcome; /* failed, limit, unstarted */
    int status;
    uint64_t times;
    const char *output; /* the end of what it printed the last time */
    size_t noutput;
    struct pf_suite_failure *next;
};
struct pf_suite_loss {
    const char *test, *what;
    uint64_t count;
    struct pf_suite_loss *next;
};
struct pf_suite_open {
    const char *list;
    uint64_t done, wanted; /* executions */
    struct pf_suite_open *next;
};
struct pf_suite_sum {
    uint64_t tests, executions, passed, failed; /* interrupted ones do not count */
    uint64_t interrupted, running, incomplete, suppressed;
    const char *command; /* of the last pf suite, a JSON array: stands in the document for ours */
    struct pf_suite_failure *failures;
    struct pf_suite_loss *losses;
    struct pf_suite_open *open; /* campaigns that are not at their end */
};

/* What pf check has done and met with (docs/check.md). */
struct pf_check_note {
    const char *text, *clip; /* clip NULL: none */
    uint64_t times;
    struct pf_check_note *next;
};
struct pf_check_sum {
    uint64_t checks, runs, recordings, directed, candidates, refuted, undecided, events, ms;
    struct pf_check_note *failures; /* the program died, or came to a standstill */
    struct pf_check_note *gaps;     /* what makes it incomplete */
};

/* How much predictions and tries have looked at. */
struct pf_explored {
    uint64_t events, candidates, refuted, undecided;
};

struct pf_findings {
    struct pf_pool pool;
    struct pf_finding **at;
    size_t n, cap;
    struct pf_process *processes; /* by the time of their start */
    size_t nprocesses;
    size_t ndocuments; /* read from other verbs */
    size_t undecided;  /* of these: something in them was not decided */
    struct pf_explored explored; /* by the documents */
    bool excusing;   /* processes that are read now are excused */
    bool unfinished; /* more may come: some process that the run started goes on */
    struct pf_suite_sum *suite; /* NULL: no suite among them */
    struct pf_check_sum *check; /* NULL: no check among them */
};

void pf_findings_init(struct pf_findings *f);
void pf_findings_release(struct pf_findings *f);
/* Adds the log `path`; with `run`, only if it belongs to that run. */
PF_MUST_USE pf_status pf_findings_read(struct pf_findings *f, const char *path, const char *run,
                                       struct pf_error *e);
/* Adds every log of the folder (PF_LOG_SUFFIX), and of folders in it. */
PF_MUST_USE pf_status pf_findings_read_folder(struct pf_findings *f, const char *folder,
                                              const char *run, struct pf_error *e);

/* Adds the findings of a document that another verb has written (--json): the JSON contract. Relative names of
 * clips begin at `folder`; NULL: here. */
PF_MUST_USE pf_status pf_findings_read_document(struct pf_findings *f, const char *path,
                                                const char *folder, struct pf_error *e);
/* A stage saw `it` so many times more (0 is fine). */
void pf_findings_seen(struct pf_findings *f, struct pf_finding *it, const char *stage,
                      const char *analysis, enum pf_finding_status status, uint64_t count);
/* Into the order of reports: confirmed with harm, confirmed, observed, predicted, judged harmless; of
 * the same rank the more frequent first. */
void pf_findings_sort(struct pf_findings *f);
/* One more finding, which lives in the pool; ends pf when out of memory. */
void pf_findings_push(struct pf_findings *f, struct pf_finding *it);
/* Adds one finding from its JSON, seen `count` times; `origin` is for messages. *out: the finding, which
 * may have been there before. */
PF_MUST_USE pf_status pf_findings_add(struct pf_findings *f, const char *origin, const char *json,
                                      size_t n, uint64_t count, struct pf_finding **out,
                                      struct pf_error *e);

/* The sums of checks: a member of the document, lines for people, lines of pf_findings_losses. */
void pf_check_sum_json(struct pf_text *t, const struct pf_check_sum *c);
void pf_check_sum_text(struct pf_text *t, const struct pf_check_sum *c);
void pf_check_sum_losses(struct pf_text *t, const struct pf_check_sum *c);

bool pf_process_complete(const struct pf_process *p);
bool pf_findings_complete(const struct pf_findings *f);
uint64_t pf_findings_suppressed(const struct pf_findings *f);
/* How many pairs of functions the sampling policy knows, and keeps; false: it said nothing of them. */
bool pf_findings_pairs(const struct pf_findings *f, uint64_t *pairs, uint64_t *frequent);

/* The JSON contract, version 1. */
void pf_findings_json(struct pf_text *t, const struct pf_findings *f, const char *const *command,
                      size_t ncommand);
/* "pf VERB: ..." lines of what the processes had to say, on stderr. */
void pf_findings_notes(const struct pf_findings *f, const char *verb);
/* "pf: incomplete: ..." lines, one for each reason; nothing when complete. */
void pf_findings_losses(struct pf_text *t, const struct pf_findings *f);

#define PF_LOG_SUFFIX ".pflog"
#define PF_LOG_VERSION 1

#endif
