/*
 * sqlthreads.c - threads that use SQLite: `sqlthreads DATABASE THREADS ROUNDS [turns]`.
 *
 * Model:   the database is in WAL mode. Each thread has its own connection, all share one
 *          page cache, and one more connection is used by all threads at once (SQLite's own
 *          mutexes serialise it). The data written does not depend on the order of the threads; at
 *          the end one connection prints counts and sums. With `turns` a mutex of this program
 *          lets one thread at a time into the shared cache: then nothing is retried, and the work
 *          can be timed; without it, SQLite's own locking is the only one.
 * Errors:  busy and locked are retried, any other error ends the program with its message.
 */
#include "sqlite3.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path;
static sqlite3 *common; /* used by all threads */
static int threads, rounds, turns;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void fail(sqlite3 *db, const char *what)
{
    fprintf(stderr, "sqlthreads: %s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static int busy(int rc) { return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED; }

static void run(sqlite3 *db, const char *sql)
{
    int rc;
    while (busy(rc = sqlite3_exec(db, sql, NULL, NULL, NULL)))
        sched_yield();
    if (rc != SQLITE_OK)
        fail(db, sql);
}

static void begin_turn(void)
{
    if (turns)
        pthread_mutex_lock(&turn);
}

static void end_turn(void)
{
    if (turns)
        pthread_mutex_unlock(&turn);
}

static sqlite3 *open_database(void)
{
    sqlite3 *db;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_SHAREDCACHE |
                SQLITE_OPEN_FULLMUTEX;
    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK)
        fail(db, "open");
    run(db, "PRAGMA synchronous=OFF");
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s;
    int rc;
    while (busy(rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL)))
        sched_yield();
    if (rc != SQLITE_OK)
        fail(db, sql);
    return s;
}

/* Steps a statement once, with two numbers bound; returns the first column, or 0. */
static sqlite3_int64 step(sqlite3 *db, sqlite3_stmt *s, sqlite3_int64 a, sqlite3_int64 b)
{
    for (;;) {
        sqlite3_reset(s);
        sqlite3_bind_int64(s, 1, a);
        sqlite3_bind_int64(s, 2, b);
        int rc = sqlite3_step(s);
        sqlite3_int64 v = rc == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
        sqlite3_reset(s);
        if (rc == SQLITE_ROW || rc == SQLITE_DONE)
            return v;
        if (!busy(rc))
            fail(db, sqlite3_sql(s));
        sched_yield();
    }
}

static void *work(void *arg)
{
    int me = (int)(size_t)arg;
    begin_turn();
    sqlite3 *db = open_database();
    sqlite3_stmt *insert = prepare(db, "INSERT INTO item(owner, value, note) VALUES(?1, ?2, "
                                       "printf('%d of %d', ?2, ?1))");
    sqlite3_stmt *mine = prepare(db, "SELECT sum(value) + count(*) FROM item WHERE owner = ?1 "
                                     "AND value < ?2");
    sqlite3_stmt *add = prepare(db, "UPDATE total SET n = n + ?2 WHERE id = ?1");
    end_turn();
    for (int r = me; r < rounds; r += threads) {
        begin_turn();
        run(db, "BEGIN IMMEDIATE");
        for (int i = 0; i < 8; i++)
            step(db, insert, r % 16, r * 8 + i);
        step(db, add, r % 4, r);
        run(db, "COMMIT");
        if (r % 16 == me % 16)
            step(db, mine, r % 16, r * 4);
        end_turn();
        char sql[160];
        snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO temp.seen VALUES(%d, upper('round %d'))",
                 r, r);
        run(common, sql);
    }
    begin_turn();
    sqlite3_finalize(insert);
    sqlite3_finalize(mine);
    sqlite3_finalize(add);
    sqlite3_close(db);
    end_turn();
    return NULL;
}

static int print_row(void *arg, int n, char **value, char **name)
{
    (void)arg;
    for (int i = 0; i < n; i++)
        printf("%s=%s ", name[i], value[i] ? value[i] : "NULL");
    putchar('\n');
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4 || (threads = atoi(argv[2])) < 1 || threads > 64 || (rounds = atoi(argv[3])) < 1) {
        fprintf(stderr, "usage: sqlthreads DATABASE THREADS ROUNDS [turns]\n");
        return 2;
    }
    turns = argc > 4;
    path = argv[1];
    pthread_t thread[64];
    sqlite3 *db = open_database();
    run(db, "PRAGMA journal_mode=WAL");
    run(db, "CREATE TABLE item(id INTEGER PRIMARY KEY, owner INT, value INT, note TEXT);"
            "CREATE INDEX by_owner ON item(owner, value);"
            "CREATE TABLE total(id INTEGER PRIMARY KEY, n INT);"
            "INSERT INTO total VALUES(0, 0), (1, 0), (2, 0), (3, 0)");
    if (sqlite3_open(":memory:", &common) != SQLITE_OK)
        fail(common, "open :memory:");
    run(common, "CREATE TEMP TABLE seen(round INTEGER PRIMARY KEY, note TEXT)");
    for (int t = 0; t < threads; t++)
        if (pthread_create(&thread[t], NULL, work, (void *)(size_t)t))
            return 1;
    for (int t = 0; t < threads; t++)
        pthread_join(thread[t], NULL);
    sqlite3_exec(db, "SELECT count(*), sum(value), sum(length(note)) FROM item", print_row, NULL,
                 NULL);
    sqlite3_exec(db, "SELECT owner, count(*), sum(value) FROM item GROUP BY owner ORDER BY owner",
                 print_row, NULL, NULL);
    sqlite3_exec(db, "SELECT * FROM total ORDER BY id", print_row, NULL, NULL);
    sqlite3_exec(db, "PRAGMA integrity_check", print_row, NULL, NULL);
    sqlite3_exec(common, "SELECT count(*), sum(round), max(note) FROM temp.seen", print_row, NULL,
                 NULL);
    sqlite3_close(common);
    sqlite3_close(db);
    return 0;
}
