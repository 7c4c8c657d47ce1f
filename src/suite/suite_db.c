/*
 * suite_db.c - see suite_db.h: opens the database, checks its version, sets a damaged one aside.
 *
 * SQLite's rollback journal is used rather than a write-ahead log: it works on network file
 * systems, a database that nobody writes can be read from a read-only folder, and there are only
 * two commits per execution.
 */
#define _GNU_SOURCE
#include "suite_db.h"
#include "allocation.h"
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define APPLICATION 0x50465355 /* "PFSU" */
#define SCHEMA 1
#define BUSY_MS 60000

static const char schema[] =
    "CREATE TABLE campaign(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL,"
    " list TEXT NOT NULL, command TEXT NOT NULL, policies TEXT NOT NULL, rounds INTEGER NOT NULL,"
    " jobs INTEGER NOT NULL, started INTEGER NOT NULL, ended INTEGER);"
    "CREATE TABLE test(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " campaign INTEGER NOT NULL REFERENCES campaign(id), number INTEGER NOT NULL,"
    " name TEXT NOT NULL, command TEXT NOT NULL, UNIQUE(campaign, number));"
    "CREATE TABLE execution(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " test INTEGER NOT NULL REFERENCES test(id), round INTEGER NOT NULL, policy TEXT NOT NULL,"
    " started INTEGER NOT NULL, outcome TEXT CHECK(outcome IN"
    " ('passed','failed','limit','unstarted','interrupted')),"
    " status INTEGER, wall_ns INTEGER, cpu_ns INTEGER, peak_kb INTEGER, processes INTEGER,"
    " complete INTEGER, suppressed INTEGER, pairs INTEGER, frequent INTEGER, output BLOB);"
    "CREATE UNIQUE INDEX once ON execution(test, round, policy)"
    " WHERE outcome IS NULL OR outcome <> 'interrupted';"
    "CREATE TABLE loss(execution INTEGER NOT NULL REFERENCES execution(id), what TEXT NOT NULL,"
    " count INTEGER NOT NULL, PRIMARY KEY(execution, what)) WITHOUT ROWID;"
    "CREATE TABLE finding(id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE sighting(finding TEXT NOT NULL REFERENCES finding(id),"
    " execution INTEGER NOT NULL REFERENCES execution(id), count INTEGER NOT NULL,"
    " PRIMARY KEY(finding, execution)) WITHOUT ROWID;";

pf_status pf_suite_db_fail(struct pf_suite_db *db, struct pf_error *e)
{
    return pf_fail(e, PF_IO, "%s: %s", db->path, sqlite3_errmsg(db->sql));
}

pf_status pf_suite_db_exec(struct pf_suite_db *db, const char *text, struct pf_error *e)
{
    return sqlite3_exec(db->sql, text, NULL, NULL, NULL) == SQLITE_OK ? PF_OK
                                                                      : pf_suite_db_fail(db, e);
}

pf_status pf_suite_db_prepare(struct pf_suite_db *db, const char *text, sqlite3_stmt **q,
                              struct pf_error *e)
{
    return sqlite3_prepare_v2(db->sql, text, -1, q, NULL) == SQLITE_OK ? PF_OK
                                                                       : pf_suite_db_fail(db, e);
}

/* The number that a pragma or query returns; -1 when it fails. */
static int64_t pragma(struct pf_suite_db *db, const char *text)
{
    sqlite3_stmt *q;
    int64_t v = -1;
    if (sqlite3_prepare_v2(db->sql, text, -1, &q, NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW)
        v = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return v;
}

static bool is_whole(struct pf_suite_db *db)
{
    sqlite3_stmt *q;
    bool whole = sqlite3_prepare_v2(db->sql, "PRAGMA quick_check(1)", -1, &q, NULL) == SQLITE_OK &&
                 sqlite3_step(q) == SQLITE_ROW &&
                 !strcmp((const char *)sqlite3_column_text(q, 0), "ok");
    sqlite3_finalize(q);
    return whole;
}

enum state { FINE, EMPTY, FOREIGN, DAMAGED, NEWER, UNREADABLE };

static enum state inspect(struct pf_suite_db *db)
{
    int64_t tables = pragma(db, "SELECT count(*) FROM sqlite_master");
    int code = sqlite3_errcode(db->sql);
    if (tables < 0)
        return code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? DAMAGED : UNREADABLE;
    int64_t application = pragma(db, "PRAGMA application_id");
    int64_t version = pragma(db, "PRAGMA user_version");
    if (tables == 0 && application == 0)
        return EMPTY;
    if (application != APPLICATION)
        return FOREIGN;
    if (version > SCHEMA)
        return NEWER;
    return version == SCHEMA && is_whole(db) ? FINE : DAMAGED;
}

static pf_status connect(struct pf_suite_db *db, int flags, struct pf_error *e)
{
    if (sqlite3_open_v2(db->path, &db->sql, flags, NULL) != SQLITE_OK) {
        pf_status s = pf_fail(e, PF_IO, "%s: %s", db->path,
                              db->sql ? sqlite3_errmsg(db->sql) : "out of memory");
        return s;
    }
    sqlite3_busy_timeout(db->sql, BUSY_MS);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return PF_OK;
}

/* Renames the database, its journal and the logs of its executions, and creates a new database. */
static pf_status set_aside(struct pf_suite_db *db, const char *why, struct pf_error *e)
{
    static const char *const parts[] = {PF_SUITE_DB, PF_SUITE_DB "-journal", ".suite"};
    struct timespec t;
    char from[4096], to[4096];
    clock_gettime(CLOCK_REALTIME, &t);
    sqlite3_close(db->sql);
    db->sql = NULL;
    for (size_t i = 0; i < 3; i++) {
        snprintf(from, sizeof from, "%s/%s", db->state, parts[i]);
        snprintf(to, sizeof to, "%s/%s.aside-%lld%09ld", db->state, parts[i], (long long)t.tv_sec,
                 t.tv_nsec);
        if (rename(from, to) && errno != ENOENT)
            return pf_fail(e, PF_IO, "%s %s and cannot be renamed: %s", from, why, strerror(errno));
        if (i == 0)
            snprintf(db->aside, sizeof db->aside,
                     "%s %s; it was renamed to %s, and a new one was created", from, why, to);
    }
    return connect(db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);
}

static pf_status create(struct pf_suite_db *db, struct pf_error *e)
{
    char begin[128];
    snprintf(begin, sizeof begin,
             "BEGIN IMMEDIATE; PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION,
             SCHEMA);
    pf_status s = pf_suite_db_exec(db, begin, e);
    if (s == PF_OK)
        s = pf_suite_db_exec(db, schema, e);
    return s == PF_OK ? pf_suite_db_exec(db, "COMMIT", e) : s;
}

static pf_status refuse_newer(struct pf_suite_db *db, struct pf_error *e)
{
    return pf_fail(
        e, PF_BAD,
        "%s: written by a newer photofinish (version %lld of the format; this one supports %d)",
        db->path, (long long)pragma(db, "PRAGMA user_version"), SCHEMA);
}

/* Called with the lock on byte 0, so that only one of two processes that find it damaged sets it
 * aside. */
static pf_status make_ready(struct pf_suite_db *db, struct pf_error *e)
{
    pf_status s = connect(db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);
    if (s != PF_OK)
        return s;
    enum state found = inspect(db);
    if (found == UNREADABLE)
        return pf_suite_db_fail(db, e);
    if (found == NEWER)
        return refuse_newer(db, e);
    if (found == FOREIGN)
        s = set_aside(db, "is a database of another program", e);
    if (found == DAMAGED)
        s = set_aside(db, "is damaged or not a database", e);
    if (s == PF_OK && found != FINE)
        s = create(db, e);
    if (s == PF_OK)
        s = pf_suite_db_exec(db, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON", e);
    return s;
}

static void set_paths(struct pf_suite_db *db, const char *state)
{
    *db = (struct pf_suite_db){
        .lock = -1, .state = pf_mem_copy(state), .path = pf_mem_format("%s/" PF_SUITE_DB, state)};
}

static pf_status open_lock(struct pf_suite_db *db, struct pf_error *e)
{
    char *path = pf_mem_format("%s/suite.lock", db->state);
    db->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    pf_status s = db->lock < 0 ? pf_fail(e, PF_IO, "%s: %s", path, strerror(errno)) : PF_OK;
    free(path);
    return s;
}

pf_status pf_suite_db_lock(struct pf_suite_db *db, int type, int64_t byte, struct pf_error *e)
{
    struct flock l = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    while (fcntl(db->lock, F_SETLKW, &l))
        if (errno != EINTR)
            return pf_fail(e, PF_IO, "%s/suite.lock: %s", db->state, strerror(errno));
    return PF_OK;
}

pf_status pf_suite_db_open(struct pf_suite_db *db, const char *state, struct pf_error *e)
{
    set_paths(db, state);
    pf_status s = pf_folder_make(state, e);
    if (s == PF_OK)
        s = open_lock(db, e);
    if (s == PF_OK)
        s = pf_suite_db_lock(db, F_WRLCK, 0, e);
    if (s == PF_OK)
        s = make_ready(db, e);
    if (s == PF_OK)
        s = pf_suite_db_lock(db, F_UNLCK, 0, e);
    if (s != PF_OK)
        pf_suite_db_close(db);
    return s;
}

pf_status pf_suite_db_open_read(struct pf_suite_db *db, const char *state, bool *there,
                                struct pf_error *e)
{
    pf_status s = PF_OK;
    set_paths(db, state);
    *there = access(db->path, F_OK) == 0;
    if (*there) {
        /* Not opened read-only: a writer that was killed may have left a journal to be rolled
         * back. If the file cannot be written, SQLite falls back to reading. */
        s = connect(db, SQLITE_OPEN_READWRITE, e);
        enum state found = s == PF_OK ? inspect(db) : FINE;
        *there = found != EMPTY;
        if (found == UNREADABLE)
            s = pf_suite_db_fail(db, e);
        else if (found == NEWER)
            s = refuse_newer(db, e);
        else if (found == FOREIGN)
            s = pf_fail(e, PF_BAD, "%s: is a database of another program", db->path);
        else if (found == DAMAGED)
            s = pf_fail(e, PF_BAD, "%s: is damaged or not a database", db->path);
    }
    if (s != PF_OK || !*there)
        pf_suite_db_close(db);
    return s;
}

void pf_suite_db_close(struct pf_suite_db *db)
{
    sqlite3_close(db->sql);
    if (db->lock >= 0)
        close(db->lock);
    pf_hash_map_release(&db->imported);
    free(db->state);
    free(db->path);
    *db = (struct pf_suite_db){.lock = -1};
}
