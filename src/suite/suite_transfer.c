/* suite_transfer.c - see suite_transfer.h. */
#define _GNU_SOURCE
#include "suite_transfer.h"
#include "allocation.h"
#include "clip.h"
#include "file.h"
#include "fnv.h"
#include "hash_map.h"
#include "vector.h"
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of an execution that are copied as numbers, in the order of the queries. */
static const char *const numbers[] = {"status",   "wall_ns",    "cpu_ns", "peak_kb",  "processes",
                                      "complete", "suppressed", "pairs",  "frequent", "started"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };
#define NUMBER_COLUMNS                                                                             \
    "status,wall_ns,cpu_ns,peak_kb,processes,complete,suppressed,pairs,frequent,started"

#define CACHE "-250000" /* of the database during an import, in KB; negative: not in pages */

/* Turns the result of the last sqlite3_step of a query into a status. */
static pf_status end_of_rows(struct pf_suite_db *db, int code, struct pf_error *e)
{
    return code == SQLITE_DONE ? PF_OK : pf_suite_db_fail(db, e);
}

/* --- export --- */

static json_t *text_of_bytes(const unsigned char *bytes, size_t n)
{
    char *hex = pf_mem_zero(2 * n + 1, 1);
    for (size_t i = 0; i < n; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    json_t *text = json_string(hex);
    free(hex);
    return text;
}

/* Adds the rows of a query about one execution, as [[text, number], ...]. */
static pf_status add_list(struct pf_suite_db *db, json_t *to, const char *key, const char *query,
                          int64_t execution, struct pf_error *e)
{
    sqlite3_stmt *q;
    json_t *list = json_array();
    pf_status s = pf_suite_db_prepare(db, query, &q, e);
    if (s == PF_OK) {
        sqlite3_bind_int64(q, 1, execution);
        int code;
        while ((code = sqlite3_step(q)) == SQLITE_ROW)
            json_array_append_new(list, json_pack("[sI]", sqlite3_column_text(q, 0),
                                                  (json_int_t)sqlite3_column_int64(q, 1)));
        s = end_of_rows(db, code, e);
        sqlite3_finalize(q);
    }
    if (json_array_size(list))
        json_object_set(to, key, list);
    json_decref(list);
    return s;
}

static pf_status export_row(struct pf_suite_db *db, sqlite3_stmt *q, FILE *journal,
                            struct pf_error *e)
{
    int64_t id = sqlite3_column_int64(q, 0);
    json_t *o = json_pack("{s:I,s:I,s:s,s:s}", "test", (json_int_t)sqlite3_column_int64(q, 1),
                          "round", (json_int_t)sqlite3_column_int64(q, 2), "policy",
                          sqlite3_column_text(q, 3), "outcome", sqlite3_column_text(q, 4));
    for (int i = 0; i < NUMBERS; i++)
        if (sqlite3_column_type(q, 6 + i) != SQLITE_NULL)
            json_object_set_new(o, numbers[i], json_integer(sqlite3_column_int64(q, 6 + i)));
    if (sqlite3_column_type(q, 5) != SQLITE_NULL)
        json_object_set_new(
            o, "output",
            text_of_bytes(sqlite3_column_blob(q, 5), (size_t)sqlite3_column_bytes(q, 5)));
    pf_status s = add_list(db, o, "losses", "SELECT what,count FROM loss WHERE execution=?", id, e);
    if (s == PF_OK)
        s = add_list(db, o, "findings", "SELECT finding,count FROM sighting WHERE execution=?", id,
                     e);
    if (s == PF_OK && (json_dumpf(o, journal, JSON_COMPACT) || fputc('\n', journal) == EOF))
        s = pf_fail(e, PF_IO, "the journal of the task: %s", strerror(errno));
    json_decref(o);
    return s;
}

static pf_status export_findings(struct pf_suite_db *db, const char *document, struct pf_error *e)
{
    sqlite3_stmt *q;
    char *text = NULL;
    size_t n = 0, count = 0;
    FILE *out = pf_mem_checked(open_memstream(&text, &n));
    pf_status s = pf_suite_db_prepare(db, "SELECT json FROM finding ORDER BY id", &q, e);
    fputs("{\"version\":1,\"tool\":\"photofinish\",\"command\":[\"pf\",\"suite\"],"
          "\"complete\":true,\"suppressed\":0,\"findings\":[",
          out);
    if (s == PF_OK) {
        int code;
        while ((code = sqlite3_step(q)) == SQLITE_ROW)
            fprintf(out, "%s\n%s", count++ ? "," : "", sqlite3_column_text(q, 0));
        s = end_of_rows(db, code, e);
        sqlite3_finalize(q);
    }
    fputs("\n],\"processes\":[]}\n", out);
    fclose(out);
    if (s == PF_OK)
        s = pf_file_write(document, text, n, e);
    free(text);
    return s;
}

pf_status pf_suite_export(struct pf_suite_db *db, FILE *journal, const char *document,
                          uint64_t *executions, struct pf_error *e)
{
    sqlite3_stmt *q;
    int code = SQLITE_DONE;
    *executions = 0;
    pf_status s = pf_suite_db_prepare(
        db,
        "SELECT x.id,t.number,x.round,x.policy,x.outcome,x.output," NUMBER_COLUMNS
        " FROM execution x JOIN test t ON t.id=x.test WHERE x.outcome IS NOT NULL ORDER BY x.id",
        &q, e);
    if (s != PF_OK)
        return s;
    while (s == PF_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
        s = export_row(db, q, journal, e);
        ++*executions;
    }
    if (s == PF_OK)
        s = end_of_rows(db, code, e);
    sqlite3_finalize(q);
    return s == PF_OK ? export_findings(db, document, e) : s;
}

/* --- import --- */

enum { INSERT_EXECUTION, INSERT_LOSS, INSERT_FINDING, INSERT_SIGHTING, STATEMENTS };
static const char *const statements[STATEMENTS] = {
    [INSERT_EXECUTION] =
        "INSERT OR IGNORE INTO execution(test,round,policy,outcome,output," NUMBER_COLUMNS ")"
        " SELECT id,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16 FROM test"
        " WHERE campaign=?1 AND number=?2",
    [INSERT_LOSS] = "INSERT INTO loss VALUES(?,?,?) ON CONFLICT DO UPDATE"
                    " SET count=count+excluded.count",
    [INSERT_FINDING] = "INSERT INTO finding VALUES(?,?) ON CONFLICT DO UPDATE"
                       " SET json=excluded.json WHERE excluded.json<json",
    [INSERT_SIGHTING] = "INSERT INTO sighting VALUES(?,?,?)",
};

struct suite_importer {
    struct pf_suite_db *db;
    const struct pf_suite_import *how;
    struct pf_suite_imported *added;
    const char *origin;
    sqlite3_stmt *q[STATEMENTS];
    struct pf_error *e;
};

/* Runs a statement whose values are bound, and makes it ready for the next ones. */
static pf_status step(struct suite_importer *m, int which)
{
    int code = sqlite3_step(m->q[which]);
    pf_status s = code == SQLITE_DONE ? PF_OK : pf_suite_db_fail(m->db, m->e);
    sqlite3_reset(m->q[which]);
    sqlite3_clear_bindings(m->q[which]);
    return s;
}

static pf_status add_pairs(struct suite_importer *m, int which, const json_t *list,
                           int64_t execution)
{
    pf_status s = PF_OK;
    bool sighting = which == INSERT_SIGHTING;
    for (size_t i = 0; s == PF_OK && i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        const char *text = json_string_value(json_array_get(pair, 0));
        if (!text)
            return pf_fail(m->e, PF_BAD, "%s: expected a text and a number", m->origin);
        sqlite3_bind_text(m->q[which], sighting ? 1 : 2, text, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(m->q[which], sighting ? 2 : 1, execution);
        sqlite3_bind_int64(m->q[which], 3, json_integer_value(json_array_get(pair, 1)));
        s = step(m, which);
    }
    return s;
}

static void bind_output(sqlite3_stmt *q, int at, const char *hex)
{
    if (!hex)
        return;
    size_t n = strlen(hex) / 2;
    char *bytes = pf_mem_zero(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        unsigned v = 0;
        sscanf(hex + 2 * i, "%2x", &v);
        bytes[i] = (char)v;
    }
    sqlite3_bind_blob(q, at, bytes, (int)n, SQLITE_TRANSIENT);
    free(bytes);
}

static pf_status import_execution(struct suite_importer *m, const json_t *o)
{
    const struct pf_suite_import *how = m->how;
    uint64_t test = (uint64_t)json_integer_value(json_object_get(o, "test"));
    const char *policy = json_string_value(json_object_get(o, "policy"));
    const char *outcome = json_string_value(json_object_get(o, "outcome"));
    if (!policy || !outcome || test >= how->ntests)
        return pf_fail(m->e, PF_BAD, "%s: expected an execution of one of %zu tests", m->origin,
                       how->ntests);
    sqlite3_stmt *q = m->q[INSERT_EXECUTION];
    int64_t round = json_integer_value(json_object_get(o, "round")) + (int64_t)how->round;
    sqlite3_bind_int64(q, 1, how->campaign);
    sqlite3_bind_int64(q, 2, (int64_t)how->tests[test]);
    sqlite3_bind_int64(q, 3, round);
    sqlite3_bind_text(q, 4, policy, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, 5, outcome, -1, SQLITE_TRANSIENT);
    bind_output(q, 6, json_string_value(json_object_get(o, "output")));
    for (int i = 0; i < NUMBERS; i++) {
        const json_t *v = json_object_get(o, numbers[i]);
        if (v)
            sqlite3_bind_int64(q, 7 + i, json_integer_value(v));
    }
    pf_status s = step(m, INSERT_EXECUTION);
    if (s != PF_OK || !sqlite3_changes(m->db->sql))
        return s; /* another task has run it already */
    int64_t execution = sqlite3_last_insert_rowid(m->db->sql);
    bool watched = json_object_get(o, "complete") != NULL;
    if (strcmp(outcome, "interrupted")) {
        m->added->executions++;
        m->added->failed += strcmp(outcome, "passed") != 0;
        m->added->watched += watched;
        m->added->empty += watched && !json_integer_value(json_object_get(o, "processes"));
    }
    s = add_pairs(m, INSERT_LOSS, json_object_get(o, "losses"), execution);
    return s == PF_OK ? add_pairs(m, INSERT_SIGHTING, json_object_get(o, "findings"), execution)
                      : s;
}

static pf_status import_journal(struct suite_importer *m)
{
    FILE *in = fopen(m->origin, "re");
    char *line = NULL;
    size_t room = 0, number = 0;
    pf_status s = in ? PF_OK : pf_fail(m->e, PF_IO, "%s: %s", m->origin, strerror(errno));
    while (s == PF_OK && getline(&line, &room, in) > 0) {
        if (number++ == 0)
            continue;
        json_t *o = json_loads(line, JSON_ALLOW_NUL, NULL);
        s = o ? import_execution(m, o)
              : pf_fail(m->e, PF_BAD, "%s:%zu: expected a JSON object", m->origin, number);
        json_decref(o);
    }
    if (in)
        fclose(in);
    free(line);
    return s;
}

/* True if this text of a finding was imported before by this process. Importing it again would
 * change nothing, and in a large campaign most texts come many times. */
static bool is_known(struct suite_importer *m, const char *text, size_t n)
{
    uint64_t hash = pf_clip_hash(text, n);
    if (pf_hash_map_find(&m->db->imported, hash) != PF_HASH_NONE)
        return true;
    pf_hash_map_add(&m->db->imported, hash, 0);
    return false;
}

/* Imports the findings as text, one for each line of the document. Most are known, so parsing them
 * would be wasted work. */
static pf_status import_findings(struct suite_importer *m, const char *document)
{
    static const char begin[] = "{\"id\":\"";
    char *text, *end;
    size_t n;
    pf_status s = pf_file_read(document, &text, &n, m->e);
    if (s != PF_OK)
        return s;
    for (char *line = text; s == PF_OK && line < text + n; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + n - line));
        end = end ? end : text + n;
        size_t length = (size_t)(end - line);
        if (length && end[-1] == ',')
            length--;
        if (length < sizeof begin + 17 || strncmp(line, begin, sizeof begin - 1))
            continue; /* the lines around the findings */
        if (is_known(m, line, length))
            continue;
        sqlite3_bind_text(m->q[INSERT_FINDING], 1, line + sizeof begin - 1, 16, SQLITE_STATIC);
        sqlite3_bind_text(m->q[INSERT_FINDING], 2, line, (int)length, SQLITE_STATIC);
        s = step(m, INSERT_FINDING);
    }
    free(text);
    return s;
}

/* *is_new becomes false if this task of this source has been imported before. */
static pf_status begin_import(struct suite_importer *m, bool *is_new)
{
    sqlite3_stmt *q;
    pf_status s =
        pf_suite_db_exec(m->db,
                         "CREATE TABLE IF NOT EXISTS imported(source TEXT NOT NULL,"
                         " task INTEGER NOT NULL, PRIMARY KEY(source, task)) WITHOUT ROWID;",
                         m->e);
    if (s == PF_OK)
        s = pf_suite_db_prepare(m->db, "INSERT OR IGNORE INTO imported VALUES(?,?)", &q, m->e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_text(q, 1, m->how->source, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 2, (int64_t)m->how->task);
    if (sqlite3_step(q) != SQLITE_DONE)
        s = pf_suite_db_fail(m->db, m->e);
    sqlite3_finalize(q);
    *is_new = sqlite3_changes(m->db->sql) > 0;
    return s;
}

pf_status pf_suite_import(struct pf_suite_db *db, const struct pf_suite_import *how,
                          const char *journal, const char *document,
                          struct pf_suite_imported *added, struct pf_error *e)
{
    struct suite_importer m = {.db = db, .how = how, .added = added, .origin = journal, .e = e};
    struct pf_error ignored;
    bool is_new = false;
    pf_status s = begin_import(&m, &is_new);
    for (int i = 0; s == PF_OK && i < STATEMENTS; i++)
        s = pf_suite_db_prepare(db, statements[i], &m.q[i], e);
    if (s == PF_OK && is_new)
        s = import_findings(&m, document);
    if (s == PF_OK && is_new)
        s = import_journal(&m);
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(m.q[i]);
    if (s != PF_OK) {
        pf_hash_map_clear(&db->imported);
        (void)!pf_suite_db_exec(db, "ROLLBACK", &ignored);
    }
    return s;
}

/* Results have their findings in no useful order. With its default cache of 2 MB, SQLite would read
 * and write each page of the database many times. */
pf_status pf_suite_import_begin(struct pf_suite_db *db, struct pf_error *e)
{
    return pf_suite_db_exec(db, "PRAGMA cache_size=" CACHE ";BEGIN IMMEDIATE", e);
}

pf_status pf_suite_import_commit(struct pf_suite_db *db, struct pf_error *e)
{
    return pf_suite_db_exec(db, "COMMIT", e);
}

/* --- times --- */

pf_status pf_suite_times(struct pf_suite_db *db, const struct pf_suite_list *tests, uint64_t *ms,
                         struct pf_error *e)
{
    sqlite3_stmt *q;
    struct pf_hash_map by_name = {0};
    pf_status s = pf_suite_db_prepare(db,
                                      "SELECT t.name,avg(x.wall_ns) FROM execution x JOIN test t"
                                      " ON t.id=x.test WHERE x.wall_ns IS NOT NULL GROUP BY t.name",
                                      &q, e);
    if (s != PF_OK)
        return s;
    memset(ms, 0, tests->n * sizeof *ms);
    for (size_t i = 0; i < tests->n; i++)
        pf_hash_map_add(&by_name, pf_fnv_text(PF_FNV_START, tests->at[i].name), (uint32_t)i);
    int code;
    while ((code = sqlite3_step(q)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 0);
        struct pf_hash_walk w = pf_hash_map_walk(&by_name, pf_fnv_text(PF_FNV_START, name));
        while (pf_hash_map_next(&by_name, &w))
            if (!strcmp(tests->at[w.value].name, name))
                ms[w.value] = (uint64_t)(sqlite3_column_double(q, 1) / 1e6) + 1;
    }
    s = end_of_rows(db, code, e);
    sqlite3_finalize(q);
    pf_hash_map_release(&by_name);
    return s;
}
