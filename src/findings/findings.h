/*
 * findings.h - merges the findings of many processes and runs: reads logs, writes one document.
 *
 * Model:   findings with the same fingerprint are merged: counts are added, the most certain status
 *          wins. The result is complete iff every process ended by itself, or the program
 *          expected its death, none is still running, and nothing was lost.
 * Memory:  one pool for everything; release frees it.
 * Errors:  PF_BAD names the file, the line and what was expected. A truncated last line is not an
 *          error: the process was killed while writing it, and the result is incomplete.
 */
#ifndef PF_FINDINGS_FINDINGS_H
#define PF_FINDINGS_FINDINGS_H

#include "finding.h"
#include "hash_map.h"
#include "pool.h"
#include "status.h"
#include "textbuf.h"

struct pf_loss {
    const char *what;
    uint64_t count;
    struct pf_loss *next;
};

/* An object (program or library) of the processes, and how much of its code has checks. */
struct pf_object {
    const char *path;
    bool examined; /* the rest is valid */
    bool instrumented; /* it contains code built with pf cc */
    bool has_symbols; /* false: its functions are unknown, and the numbers are 0 */
    uint64_t functions, unchecked; /* unchecked: how many of them have no checks */
    uint64_t bytes, unchecked_bytes; /* their code */
    const char *names[3]; /* of the largest functions without checks; NULL: fewer */
    struct pf_object *next;
};

struct pf_note { /* a message that a process logged instead of printing it */
    const char *text;
    struct pf_note *next;
};

struct pf_died {
    uint64_t pid;
    int signal; /* 0: unknown */
    struct pf_died *next;
};

/* One log: one process from its start (or exec) to its end (or exec). */
struct pf_process {
    uint64_t pid, parent, time, ticks, suppressed;
    int exitcode;
    bool report_bugs, report_atomic_races; /* its options */
    const char *const *suppressions; /* lines, from PF_OPTIONS and from the program itself */
    size_t nsuppressions;
    const char *run;
    const char *const *command;
    size_t ncommand;
    uint64_t lost;   /* forked children that could not create their own log */
    const char *end; /* how it ended; NULL: killed, or still running */
    int status;      /* with which it exited; -1: unknown */
    const char *failure; /* JSON of its crash, until that is counted or dropped; NULL: none */
    int signal; /* of which it died; 0: none, or unknown */
    uint64_t group; /* the processes of one group ran the same program; 0: unknown */
    bool expected_death; /* see expected_deaths.h */
    struct pf_died *died; /* the children that died of a signal, for which it waited */
    bool running;
    bool after_exec; /* there is an earlier log of the same process */
    bool stopped_by_pf; /* pf ended it on purpose, so a missing end record is not a loss */
    struct pf_loss *losses;
    struct pf_note *notes;
    bool has_pairs; /* the sampling policy counts pairs of functions */
    uint64_t pairs, frequent;
    uint64_t waited_ms; /* at its exit, for threads that still ran */
    struct pf_process *next;
};

/* Summary of the executions of suites (docs/suite.md). */
struct pf_suite_failure {
    const char *test, *outcome; /* failed, limit, unstarted */
    int status;
    uint64_t times;
    const char *output; /* the last bytes of its most recent output */
    size_t noutput;
    struct pf_suite_failure *next;
};
struct pf_suite_loss {
    const char *test, *what;
    uint64_t count;
    struct pf_suite_loss *next;
};
struct pf_suite_unfinished {
    const char *list;
    uint64_t done, wanted; /* executions */
    struct pf_suite_unfinished *next;
};
struct pf_suite_summary {
    uint64_t tests, executions, passed, failed; /* without interrupted executions */
    uint64_t interrupted, running, incomplete, suppressed;
    /* command of the last pf suite, a JSON array; replaces ours in the document */
    const char *command;
    struct pf_suite_failure *failures;
    struct pf_suite_loss *losses;
    struct pf_suite_unfinished *unfinished; /* campaigns that are not finished */
};

/* What pf check has done and found (docs/check.md). */
struct pf_check_note {
    const char *text;
    uint64_t times;
    struct pf_check_note *next;
};
#define PF_CHECK_CURVE 128
/* The systematic search of one program. */
struct pf_check_exploration {
    struct pf_check_exploration *next;
    uint64_t check; /* which one of the checks, from 1 */
    const char *command; /* of that check */
    uint64_t test; /* number of the program in the check, from 0 */
    uint64_t schedules, classes, targets; /* as in pf explore's document; of the last search */
    bool complete; /* every execution was seen */
    bool c11; /* this holds for C11, otherwise under sequential consistency only */
    bool assumes_addresses; /* and if nothing depends on the addresses of allocated memory */
    const char *failed; /* why there was no search; NULL: there was one */
    struct pf_check_note *unexplored; /* the JSON key is "open" */
};

struct pf_check_summary {
    uint64_t checks, runs, recordings, directed, candidates, refuted, undecided;
    uint64_t events; /* events that were searched for predictions */
    uint64_t ms; /* how long the checks took */
    uint64_t sampled; /* schedules of batches */
    uint64_t searched; /* schedules of systematic searches */
    uint64_t hunted; /* runs of hunts for other inputs */
    struct pf_check_exploration *explorations;
    uint64_t behaviours; /* how many behaviours these schedules were the first to show */
    /* `sampled` and `behaviours` after every `stride`th batch; `stride` grows when the array is
     * full */
    struct pf_check_point {
        uint64_t schedules, behaviours;
    } curve[PF_CHECK_CURVE];
    size_t ncurve, batches, stride;
    /* Exit statuses of the free runs and recordings, in the order of the steps: that of the first
     * one, and that of the others, or -1 if these differ. */
    uint64_t exits;
    int first_exit, other_exit;
    bool hides; /* recordings do not see the files that the first run created */
    bool several_tests; /* the check of a suite */
    struct pf_check_note *gaps; /* reasons why the result is incomplete */
};

/* How much predictions and tries have examined. */
struct pf_prediction_counts {
    uint64_t events, candidates, refuted, undecided;
};

struct pf_findings {
    struct pf_pool pool;
    struct pf_finding **at;
    size_t n, cap;
    /* the position of each finding that was pushed; outdated after sorting or removing */
    struct pf_hash_map by_id;
    struct pf_process *processes; /* ordered by start time */
    size_t nprocesses;
    size_t nempty; /* logs without a first line: the process could not write it */
    struct pf_object *objects; /* of all processes, without libraries of the system */
    size_t ndocuments; /* number of documents read that other verbs have written */
    size_t undecided; /* how many of these were incomplete */
    /* predictions that are incomplete only because they left out further instances of code that
     * they had examined */
    size_t bounded;
    struct pf_prediction_counts explored; /* sum over the documents */
    size_t nmet; /* how many findings at the end of `at` were met only in runs of pf judge */
    struct pf_expected_death *expected; /* expected_deaths.h */
    bool mark_stopped_by_pf; /* mark the processes read from now on as stopped_by_pf */
    bool keep_deaths; /* pf_findings_read_folder does not call pf_findings_settle_deaths */
    uint64_t group; /* of the processes read from now on */
    bool unfinished; /* a process that the run started is still running and may report more */
    struct pf_suite_summary *suite; /* NULL: no suite is included */
    struct pf_check_summary *check; /* NULL: no check is included */
};

void pf_findings_init(struct pf_findings *f);
void pf_findings_release(struct pf_findings *f);
/* Adds the log `path`; if `run` is given, only if the log belongs to that run. */
PF_MUST_USE pf_status pf_findings_read(struct pf_findings *f, const char *path, const char *run,
                                       struct pf_error *e);
/* Adds every log (PF_LOG_SUFFIX) in the folder and its subfolders, and calls
 * pf_findings_settle_deaths (expected_deaths.h), unless f->keep_deaths is set. */
PF_MUST_USE pf_status pf_findings_read_folder(struct pf_findings *f, const char *folder,
                                              const char *run, struct pf_error *e);

/* Adds the findings of a document that another verb has written with --json. Relative paths of
 * clips are relative to `folder`; NULL: to the current folder. */
PF_MUST_USE pf_status pf_findings_read_document(struct pf_findings *f, const char *path,
                                                const char *folder, struct pf_error *e);
/* Notes that a stage saw `it` another `count` times (may be 0). */
void pf_findings_add_stage(struct pf_findings *f, struct pf_finding *it, const char *stage,
                           const char *analysis, enum pf_finding_status status, uint64_t count);
/* Merges crashes (crash_merge.h), groups the findings (finding_group.h) and sorts them into the
 * order of reports: harmful, output-differs, confirmed, observed, predicted, judged harmless,
 * suspicious; within a rank the more frequent first. The members of a group stay together, at the
 * place of the first one. */
void pf_findings_sort(struct pf_findings *f);
/* Adds a finding, which must live as long as `f`. */
void pf_findings_push(struct pf_findings *f, struct pf_finding *it);
/* Adds one finding from its JSON, seen `count` times; `origin` is for messages. *out is the
 * finding, which may have been known before. */
PF_MUST_USE pf_status pf_findings_add(struct pf_findings *f, const char *origin, const char *json,
                                      size_t n, uint64_t count, struct pf_finding **out,
                                      struct pf_error *e);

/* The summary of checks: as a member of the document, as text, and as lines of
 * pf_findings_losses. */
void pf_check_summary_json(struct pf_text *t, const struct pf_check_summary *c);
/* Adds the exit status of a free run or a recording to the summary. */
void pf_check_summary_exit(struct pf_check_summary *c, int status);
/* Adds a batch of schedules to the summary. */
void pf_check_summary_batch(struct pf_check_summary *c, uint64_t schedules, uint64_t behaviours);
void pf_check_summary_text(struct pf_text *t, const struct pf_check_summary *c);
void pf_check_summary_losses(struct pf_text *t, const struct pf_check_summary *c);

/* The number of findings that count: those that are not suspicious. */
size_t pf_findings_counted(const struct pf_findings *f);
bool pf_process_complete(const struct pf_process *p);
bool pf_findings_complete(const struct pf_findings *f);
uint64_t pf_findings_suppressed(const struct pf_findings *f);
/* The number of function pairs that the sampling policy has counted, and how many of them are
 * frequent. False: the policy does not count them. */
bool pf_findings_pairs(const struct pf_findings *f, uint64_t *pairs, uint64_t *frequent);

/* Writes "3 findings", or "1 cause (3 findings)" if some have the same cause. Requires
 * pf_findings_group. */
void pf_findings_count_text(struct pf_text *t, const struct pf_findings *f);
/* Writes "3 findings have 1 cause" as a line; nothing if each has its own. Requires
 * pf_findings_group. */
void pf_findings_causes_text(struct pf_text *t, const struct pf_findings *f);
/* Writes the JSON document, version 1 (docs/format/findings.schema.json). */
void pf_findings_json(struct pf_text *t, const struct pf_findings *f, const char *const *command,
                      size_t ncommand);
/* Looks into the files of the objects: which functions have no checks (unchecked_code.c). */
void pf_findings_examine_objects(struct pf_findings *f);
/* Adds a list of the objects that have code without checks; nothing if there is none. */
void pf_findings_unchecked_text(struct pf_text *t, const struct pf_findings *f);
/* Adds the objects that were examined as the member `objects` of the document. */
void pf_findings_objects_json(struct pf_text *t, const struct pf_findings *f);
/* True if the path is one of a library of the system, or of a compiler's run-time support. */
bool pf_object_is_system(const char *path);

/* Prints the messages of the processes as "pf VERB: ..." lines on standard error. */
void pf_findings_notes(const struct pf_findings *f, const char *verb);
/* Adds "pf: incomplete: ..." lines, one for each reason; nothing if the result is complete. */
void pf_findings_losses(struct pf_text *t, const struct pf_findings *f);

/* Writes the position of an access as FILE:LINE:COLUMN, as racefuzzer needs it: that of the
 * innermost frame that has a file. False: there is none, or its name has a comma or a colon. */
bool pf_access_position(const struct pf_access *a, char *to, size_t room);

#define PF_LOG_SUFFIX ".pflog"
#define PF_LOG_VERSION 1

#endif
