/*
 * suite_db.h - what pf suite remembers: STATE/suite.db, an SQLite database (docs/format/suite.md).
 *
 * Model:   a campaign is a list of tests, to be executed `rounds` times under each of its policies. An
 *          execution is written down when it begins and, in ONE transaction with all it found, when it
 *          ends; a unique index allows only one of each (test, round, policy) that was not
 *          interrupted. So whatever is killed when: nothing is lost and nothing counts twice.
 *          Who runs a campaign holds a lock on its byte of STATE/suite.lock, which the kernel drops
 *          with the process: a campaign that is not ended and not locked can be continued.
 *          The logs of a running execution are in STATE/.suite/ID until it is written down.
 * Threads: any number of processes may use one state folder at once.
 * Errors:  PF_IO and PF_BAD with the path. A database that is damaged or not ours is set aside
 *          under another name and `aside` says so; one of a later version is refused.
 */
#ifndef PF_CLI_SUITE_DB_H
#define PF_CLI_SUITE_DB_H

#include "findings.h"
#include "keeper.h"
#include "status.h"
#include "suite_list.h"
#include <sqlite3.h>

struct pf_suite_db {
    sqlite3 *sql;
    char *state, *path; /* the folder, the database */
    int lock;           /* suite.lock; -1 when opened for reading */
    char aside[512];    /* what was set aside, and why; "" */
};

/* Bytes of suite.lock: 0 for opening and claiming, the number of a campaign for who runs it, and from
 * here on the executions. */
#define PF_SUITE_GUARDS (1ll << 40)

/* For writing: makes the folder and the database where there is none. */
PF_MUST_USE pf_status pf_suite_db_open(struct pf_suite_db *db, const char *state,
                                       struct pf_error *e);
/* For reading; *there is false, and nothing is open, when the folder has none. */
PF_MUST_USE pf_status pf_suite_db_open_read(struct pf_suite_db *db, const char *state, bool *there,
                                            struct pf_error *e);
void pf_suite_db_close(struct pf_suite_db *db); /* twice is fine */

/* Waits for a byte of suite.lock; `type` F_WRLCK or F_UNLCK. */
PF_MUST_USE pf_status pf_suite_db_lock(struct pf_suite_db *db, int type, int64_t byte,
                                       struct pf_error *e);

/* Small helpers of those who ask their own questions. */
PF_MUST_USE pf_status pf_suite_db_prepare(struct pf_suite_db *db, const char *text,
                                          sqlite3_stmt **q, struct pf_error *e);
PF_MUST_USE pf_status pf_suite_db_fail(struct pf_suite_db *db, struct pf_error *e);
PF_MUST_USE pf_status pf_suite_db_exec(struct pf_suite_db *db, const char *text,
                                       struct pf_error *e);

struct pf_campaign {
    const char *key; /* equal for the same list, policies and settings */
    const char *list; /* where the tests come from */
    const char *command; /* JSON array */
    const char *const *policies;
    size_t npolicies;
    uint64_t rounds, jobs;
};

/* Continues a campaign of this key that nobody runs (not with `fresh`), or begins one. Before that it
 * writes down what executions found that were cut off with their pf suite, of any campaign;
 * *salvaged: how many. */
PF_MUST_USE pf_status pf_suite_db_claim(struct pf_suite_db *db, const struct pf_campaign *c,
                                        const struct pf_suite_list *tests, bool fresh,
                                        int64_t *campaign, bool *continued, uint64_t *salvaged,
                                        struct pf_error *e);
/* Marks in done[(round * tests + test) * policies + policy] what need not be executed again. */
PF_MUST_USE pf_status pf_suite_db_done(struct pf_suite_db *db, int64_t campaign,
                                       const struct pf_campaign *c, size_t ntests, bool *done,
                                       struct pf_error *e);
/* An execution begins: its number, and its folder (malloced) for the logs. */
PF_MUST_USE pf_status pf_suite_db_begin(struct pf_suite_db *db, int64_t campaign, size_t test,
                                        uint64_t round, const char *policy, int64_t *execution,
                                        char **folder, struct pf_error *e);

/* Is this a policy that looks for races? The others only time the program (suite_run.h). */
bool pf_policy_watches(const char *policy);

/* Held by the keeper of the execution on suite.lock, so that nobody looks at its logs before all its
 * processes have ended. */
int64_t pf_suite_db_guard(int64_t execution);

struct pf_execution_end {
    const char *outcome; /* passed, failed, limit, unstarted, interrupted */
    const struct pf_kept *kept; /* NULL: not known */
    bool watched; /* the policy watches: complete or not is a question */
    struct pf_findings *found;
    bool damaged; /* some log could not be read: the folder stays */
};
/* It has ended: all of it in one transaction, then the folder goes. *fresh: findings that no execution
 * had before. */
PF_MUST_USE pf_status pf_suite_db_end(struct pf_suite_db *db, int64_t execution, const char *folder,
                                      const struct pf_execution_end *end, uint64_t *fresh,
                                      struct pf_error *e);
PF_MUST_USE pf_status pf_suite_db_finish(struct pf_suite_db *db, int64_t campaign,
                                         struct pf_error *e);

#define PF_SUITE_DB "suite.db"

#endif
