/*
 * suite_db.h - the state of pf suite: STATE/suite.db, an SQLite database (docs/format/suite.md).
 *
 * Model:   a campaign is a list of tests, to be executed `rounds` times under each of its policies.
 *          An execution is stored when it begins and, in ONE transaction with all its findings,
 *          when it ends; a unique index allows only one uninterrupted execution of each (test,
 *          round, policy). So whichever process is killed at whatever time, nothing is lost and
 *          nothing is counted twice. The process that runs a campaign holds a lock on the
 *          campaign's byte of STATE/suite.lock, which the kernel releases with the process: a
 *          campaign that is neither ended nor locked can be continued. The logs of a running
 *          execution are in STATE/.suite/ID until it has been stored.
 * Threads: any number of processes may use one state folder at the same time.
 * Errors:  PF_IO and PF_BAD with the path. A database that is damaged or not ours is renamed, and
 *          `aside` says so; one of a newer version is refused.
 */
#ifndef PF_SUITE_SUITE_DB_H
#define PF_SUITE_SUITE_DB_H

#include "findings.h"
#include "hash_map.h"
#include "status.h"
#include "suite_list.h"
#include "supervisor.h"
#include <sqlite3.h>

struct pf_suite_db {
    sqlite3 *sql;
    char *state, *path; /* the folder, the database file */
    int lock;           /* suite.lock; -1 when opened for reading */
    char aside[512];    /* what was renamed, and why; "" if nothing */
    struct pf_hash_map imported; /* hashes of findings that were imported (suite_transfer.c) */
};

/* Bytes of suite.lock: 0 is held while opening and claiming, byte N by the process that runs
 * campaign N; the bytes of executions begin here. */
#define PF_SUITE_EXECUTION_BYTES (1ll << 40)

/* Opens for writing; creates the folder and the database if necessary. */
PF_MUST_USE pf_status pf_suite_db_open(struct pf_suite_db *db, const char *state,
                                       struct pf_error *e);
/* Opens for reading. If the folder has no database, *there is false and nothing is opened. */
PF_MUST_USE pf_status pf_suite_db_open_read(struct pf_suite_db *db, const char *state, bool *there,
                                            struct pf_error *e);
void pf_suite_db_close(struct pf_suite_db *db); /* may be called twice */

/* Locks or unlocks a byte of suite.lock, waiting if necessary; `type` is F_WRLCK or F_UNLCK. */
PF_MUST_USE pf_status pf_suite_db_lock(struct pf_suite_db *db, int type, int64_t byte,
                                       struct pf_error *e);

/* Helpers for code that runs its own queries. */
PF_MUST_USE pf_status pf_suite_db_prepare(struct pf_suite_db *db, const char *text,
                                          sqlite3_stmt **q, struct pf_error *e);
PF_MUST_USE pf_status pf_suite_db_fail(struct pf_suite_db *db, struct pf_error *e);
PF_MUST_USE pf_status pf_suite_db_exec(struct pf_suite_db *db, const char *text,
                                       struct pf_error *e);

struct pf_campaign {
    const char *key; /* equal for the same list, policies and settings */
    const char *list; /* where the tests were read from */
    const char *command; /* JSON array */
    const char *const *policies;
    size_t npolicies;
    uint64_t rounds, jobs;
};

/* Continues an unfinished campaign with this key that no process runs (unless `fresh`), or
 * begins one. Before that, stores the findings of unfinished executions of any campaign whose
 * pf suite was killed; *salvaged: how many executions. */
PF_MUST_USE pf_status pf_suite_db_claim(struct pf_suite_db *db, const struct pf_campaign *c,
                                        const struct pf_suite_list *tests, bool fresh,
                                        int64_t *campaign, bool *continued, uint64_t *salvaged,
                                        struct pf_error *e);
/* Sets done[(round * tests + test) * policies + policy] for all executions that need not be
 * repeated. */
PF_MUST_USE pf_status pf_suite_db_done(struct pf_suite_db *db, int64_t campaign,
                                       const struct pf_campaign *c, size_t ntests, bool *done,
                                       struct pf_error *e);
/* Stores the start of an execution. Returns its number, and its folder (malloced) for the logs. */
PF_MUST_USE pf_status pf_suite_db_begin(struct pf_suite_db *db, int64_t campaign, size_t test,
                                        uint64_t round, const char *policy, int64_t *execution,
                                        char **folder, struct pf_error *e);

/* True if the policy looks for races. The others only measure the program (suite_run.h). */
bool pf_policy_watches(const char *policy);

/* The byte of suite.lock that the supervisor of the execution holds, so that nobody reads its
 * logs before all its processes have ended. */
int64_t pf_suite_db_execution_byte(int64_t execution);

struct pf_execution_end {
    const char *outcome; /* passed, failed, limit, unstarted, interrupted */
    const struct pf_supervisor_result *result; /* NULL: unknown */
    /* the policy looks for races; only such executions count as complete or incomplete */
    bool watched;
    struct pf_findings *found;
    bool damaged; /* a log could not be read: the folder is kept */
};
/* Stores the end of an execution and its findings in one transaction, then removes the folder.
 * *fresh is the number of findings that no execution had before. */
PF_MUST_USE pf_status pf_suite_db_end(struct pf_suite_db *db, int64_t execution, const char *folder,
                                      const struct pf_execution_end *end, uint64_t *fresh,
                                      struct pf_error *e);
PF_MUST_USE pf_status pf_suite_db_finish(struct pf_suite_db *db, int64_t campaign,
                                         struct pf_error *e);

#define PF_SUITE_DB "suite.db"

#endif
