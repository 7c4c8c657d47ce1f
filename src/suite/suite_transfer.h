/*
 * suite_transfer.h - moves executions from one suite database to another, as text.
 *
 * Model:   an export is a list of JSON lines, one for each execution that has an outcome, and a
 *          document with the distinct findings: one finding a line, ordered by id, each line
 *          starting with its id (docs/format/fleet.md). An import adds the executions to a campaign
 *          of another database, with other numbers of tests and rounds. An import has a name; the
 *          second import of the same name changes nothing. If findings have the same id but
 *          different texts, the smallest text in byte order is kept, so the order of imports does
 *          not matter.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_SUITE_SUITE_TRANSFER_H
#define PF_SUITE_SUITE_TRANSFER_H

#include "suite_db.h"
#include <stdio.h>

/* Appends the executions of all campaigns to `journal`, and writes the findings to `document`. */
PF_MUST_USE pf_status pf_suite_export(struct pf_suite_db *db, FILE *journal, const char *document,
                                      uint64_t *executions, struct pf_error *e);

/* How an import differs from its source. */
struct pf_suite_import {
    int64_t campaign; /* of this database */
    const char *source; /* the name of the fleet */
    uint64_t task;
    const uint64_t *tests; /* the numbers of the tests, by their numbers in the source */
    size_t ntests;
    uint64_t round; /* added to the rounds of the source */
};

/* What an import has added. */
struct pf_suite_imported {
    uint64_t executions, failed, watched, empty; /* as in suite_run.h */
};

/* Imports are made between begin and commit; a failure between them undoes all of them. */
PF_MUST_USE pf_status pf_suite_import_begin(struct pf_suite_db *db, struct pf_error *e);
PF_MUST_USE pf_status pf_suite_import_commit(struct pf_suite_db *db, struct pf_error *e);
/* Reads `journal` from its second line on, and `document`. */
PF_MUST_USE pf_status pf_suite_import(struct pf_suite_db *db, const struct pf_suite_import *how,
                                      const char *journal, const char *document,
                                      struct pf_suite_imported *added, struct pf_error *e);

/* The average time of each test, found by its name, in all executions that have a time, in ms; 0:
 * unknown. ms: one for each of `tests`. */
PF_MUST_USE pf_status pf_suite_times(struct pf_suite_db *db, const struct pf_suite_list *tests,
                                     uint64_t *ms, struct pf_error *e);

#endif
