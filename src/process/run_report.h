/*
 * run_report.h - what a pf process tells the pf that started it: a JSON document in the file that
 * the internal option `pf --report-to FILE VERB ...` names (docs/format/run-report.md).
 *
 * Model:   the verb fills in pf_run_report while it works; main writes it at the end. The parent
 *          reads it instead of the messages on standard error.
 * Memory:  one report per process.
 * Errors:  PF_IO, PF_BAD with the path. A process that was killed leaves no report.
 */
#ifndef PF_PROCESS_RUN_REPORT_H
#define PF_PROCESS_RUN_REPORT_H

#include "clip.h"

struct pf_run_report {
    int status; /* exit status of the verb */
    char error[1024]; /* its last error message, without "pf VERB: "; "": none */
    bool out_of_time; /* it ended at the time limit that it was given, with a partial result */
    bool complete; /* it has explored every schedule of the program with its inputs */
    /* of pf record and pf replay: the run of the program; valid if `ran` */
    bool ran;
    int wait; /* the program's status, as from waitpid */
    enum pf_outcome outcome;
    char text[2048]; /* explains the outcome */
    struct pf_divergence divergence;
    uint64_t events; /* of all threads */
    uint32_t threads; /* threads that the program had, plus processes that it started */
    uint32_t memory_errors;
    char memory_error[256]; /* the first one */
    char failure[512]; /* where the program failed: a thread and its stack; "": it did not */
};
extern struct pf_run_report pf_run_report;

/* Fills in the part about the run of the program. */
void pf_run_report_set_end(struct pf_run_report *r, const struct pf_clip_end *end);
PF_MUST_USE pf_status pf_run_report_write(const struct pf_run_report *r, const char *file,
                                          struct pf_error *e);
PF_MUST_USE pf_status pf_run_report_read(struct pf_run_report *r, const char *file,
                                         struct pf_error *e);

/* The word for an outcome, as in JSON documents. */
const char *pf_outcome_name(enum pf_outcome o);

struct pf_text;
/* Appends "divergence": an object, or null. */
void pf_divergence_json(struct pf_text *t, const struct pf_divergence *d);

#endif
