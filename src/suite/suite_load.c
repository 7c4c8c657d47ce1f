/* suite_load.c - see suite_load.h: loads findings and summaries. */
#define _GNU_SOURCE
#include "suite_load.h"
#include "allocation.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every query is about one campaign or, if it is 0, about all. */
#define OF_CAMPAIGN " (?1=0 OR t.campaign=?1)"

static const char *text_at(struct pf_findings *f, sqlite3_stmt *q, int column)
{
    const char *s = (const char *)sqlite3_column_text(q, column);
    return s ? pf_pool_text(&f->pool, s, strlen(s)) : NULL;
}

static uint64_t number_at(sqlite3_stmt *q, int column)
{
    int64_t v = sqlite3_column_int64(q, column);
    return v < 0 ? 0 : (uint64_t)v;
}

typedef pf_status row_fn(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                         struct pf_error *e);

static pf_status each(struct pf_suite_db *db, int64_t campaign, const char *text,
                      struct pf_findings *f, row_fn *row, struct pf_error *e)
{
    sqlite3_stmt *q;
    pf_status s = pf_suite_db_prepare(db, text, &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_int64(q, 1, campaign);
    int code;
    while (s == PF_OK && (code = sqlite3_step(q)) == SQLITE_ROW)
        s = row(db, f, q, e);
    if (s == PF_OK && code != SQLITE_DONE)
        s = pf_suite_db_fail(db, e);
    sqlite3_finalize(q);
    return s;
}

static pf_status finding_row(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                             struct pf_error *e)
{
    const char *json = (const char *)sqlite3_column_text(q, 0);
    size_t n = (size_t)sqlite3_column_bytes(q, 0);
    struct pf_finding *it;
    pf_status s = pf_findings_add(f, db->path, json ? json : "", n, number_at(q, 2), &it, e);
    if (s != PF_OK)
        return s;
    struct pf_sightings *seen = pf_pool_get(&f->pool, sizeof *seen);
    size_t ntests = number_at(q, 3);
    const char **tests = pf_pool_get(&f->pool, ntests * sizeof *tests + 1);
    /* The names are joined by U+001F, which is not used in commands, to avoid a query per
     * finding. */
    char *names = (char *)text_at(f, q, 4);
    *seen = (struct pf_sightings){.executions = number_at(q, 1), .tests = tests};
    for (char *at = names; at && seen->ntests < ntests;) {
        char *end = strchr(at, '\x1f');
        if (end)
            *end = 0;
        tests[seen->ntests++] = at;
        at = end ? end + 1 : NULL;
    }
    it->seen = seen;
    return PF_OK;
}

static pf_status summary_row(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                             struct pf_error *e)
{
    struct pf_suite_summary *u = f->suite;
    u->executions = number_at(q, 0);
    u->passed = number_at(q, 1);
    u->interrupted = number_at(q, 2);
    u->running = number_at(q, 3);
    u->incomplete = number_at(q, 4);
    u->suppressed = number_at(q, 5);
    u->tests = number_at(q, 6);
    return PF_OK;
}

static pf_status failure_row(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                             struct pf_error *e)
{
    struct pf_suite_failure *v = pf_pool_get(&f->pool, sizeof *v), **at = &f->suite->failures;
    *v = (struct pf_suite_failure){.test = text_at(f, q, 0),
                                   .outcome = text_at(f, q, 1),
                                   .status = (int)sqlite3_column_int64(q, 2),
                                   .times = number_at(q, 3)};
    v->output = pf_pool_text(&f->pool, (const char *)sqlite3_column_blob(q, 4),
                             v->noutput = (size_t)sqlite3_column_bytes(q, 4));
    while (*at)
        at = &(*at)->next;
    *at = v;
    f->suite->failed += v->times;
    return PF_OK;
}

static pf_status loss_row(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                          struct pf_error *e)
{
    struct pf_suite_loss *v = pf_pool_get(&f->pool, sizeof *v), **at = &f->suite->losses;
    *v = (struct pf_suite_loss){text_at(f, q, 0), text_at(f, q, 1), number_at(q, 2), NULL};
    while (*at)
        at = &(*at)->next;
    *at = v;
    return PF_OK;
}

static pf_status unfinished_row(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                                struct pf_error *e)
{
    if (number_at(q, 1) >= number_at(q, 2))
        return PF_OK; /* all executions are done; it only has not been marked as ended */
    struct pf_suite_unfinished *v = pf_pool_get(&f->pool, sizeof *v);
    *v = (struct pf_suite_unfinished){text_at(f, q, 0), number_at(q, 1), number_at(q, 2),
                                      f->suite->unfinished};
    f->suite->unfinished = v;
    return PF_OK;
}

static pf_status command_row(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                             struct pf_error *e)
{
    f->suite->command = text_at(f, q, 0);
    return PF_OK;
}

/* Reads the logs of executions that are running, or were cut off and not salvaged yet. */
static pf_status running_row(struct pf_suite_db *db, struct pf_findings *f, sqlite3_stmt *q,
                             struct pf_error *e)
{
    char *folder =
        pf_mem_format("%s/.suite/%" PRId64, db->state, (int64_t)sqlite3_column_int64(q, 0));
    pf_status s = PF_OK;
    if (access(folder, R_OK | X_OK) == 0)
        s = pf_findings_read_folder(f, folder, NULL, e);
    free(folder);
    /* it ended in the meantime, and the database will have it next time */
    return s == PF_IO ? PF_OK : s;
}

/* The finding of sighting s is the death of a child that this test, t, expects. */
#define EXPECTED                                                                                   \
    " EXISTS (SELECT 1 FROM sighting se JOIN execution xe ON xe.id=se.execution"                   \
    " JOIN test te ON te.id=xe.test WHERE se.finding=s.finding AND se.count=0"                     \
    " AND te.name=t.name AND te.command=t.command)"
#define FAILED "x.outcome IN ('failed','limit','unstarted')"

pf_status pf_suite_load(struct pf_suite_db *db, int64_t campaign, struct pf_findings *f,
                        struct pf_error *e)
{
    static const struct {
        const char *text;
        row_fn *row;
    } queries[] = {
        {"SELECT count(*) FILTER (WHERE x.outcome IS NOT NULL AND x.outcome<>'interrupted'),"
         " count(*) FILTER (WHERE x.outcome='passed'),"
         " count(*) FILTER (WHERE x.outcome='interrupted'),"
         " count(*) FILTER (WHERE x.outcome IS NULL),"
         " count(*) FILTER (WHERE x.complete=0 AND x.outcome<>'interrupted'),"
         " total(x.suppressed), count(DISTINCT t.name)"
         " FROM execution x JOIN test t ON t.id=x.test WHERE" OF_CAMPAIGN,
         summary_row},
        {"SELECT command FROM campaign t WHERE id=?1 OR ?1=0 ORDER BY id DESC LIMIT 1",
         command_row},
        {"SELECT g.json, v.executions, v.seen, v.tests, v.names FROM finding g JOIN"
         " (SELECT s.finding AS id, count(DISTINCT s.execution) AS executions,"
         "  sum(s.count) AS seen, min(s.execution) AS first, count(DISTINCT t.name) AS tests,"
         "  (SELECT group_concat(name, char(31)) FROM (SELECT DISTINCT t2.name AS name"
         "   FROM sighting s2 JOIN execution x2 ON x2.id=s2.execution JOIN test t2 ON t2.id=x2.test"
         "   WHERE s2.finding=s.finding AND s2.count>0 AND (?1=0 OR t2.campaign=?1)"
         "   ORDER BY t2.number)) AS names"
         "  FROM sighting s JOIN execution x ON x.id=s.execution JOIN test t ON t.id=x.test"
         "  WHERE s.count>0 AND NOT" EXPECTED " AND" OF_CAMPAIGN
         " GROUP BY s.finding) v ON v.id=g.id ORDER BY v.first, g.id",
         finding_row},
        {"SELECT t.name, x.outcome, x.status, count(*), x.output, max(x.id)"
         " FROM execution x JOIN test t ON t.id=x.test WHERE " FAILED " AND" OF_CAMPAIGN
         " GROUP BY t.name, x.outcome, x.status ORDER BY min(x.id)",
         failure_row},
        {"SELECT t.name, l.what, sum(l.count) FROM loss l JOIN execution x ON x.id=l.execution"
         " JOIN test t ON t.id=x.test WHERE x.outcome<>'interrupted' AND" OF_CAMPAIGN
         " GROUP BY t.name, l.what ORDER BY min(x.id), l.what",
         loss_row},
        {"SELECT t.list, (SELECT count(*) FROM execution x JOIN test k ON k.id=x.test WHERE"
         " k.campaign=t.id AND x.outcome IS NOT NULL AND x.outcome<>'interrupted'),"
         " t.rounds * (SELECT count(*) FROM test k WHERE k.campaign=t.id)"
         " * (1 + length(t.policies) - length(replace(t.policies,',','')))"
         " FROM campaign t WHERE t.ended IS NULL AND (?1=0 OR t.id=?1) ORDER BY t.id DESC",
         unfinished_row},
        {"SELECT x.id FROM execution x JOIN test t ON t.id=x.test WHERE x.outcome IS NULL "
         "AND" OF_CAMPAIGN,
         running_row},
    };
    f->suite = pf_pool_get(&f->pool, sizeof *f->suite);
    /* One transaction, so that all queries see the same state. */
    pf_status s = pf_suite_db_exec(db, "BEGIN", e);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0] && s == PF_OK; i++)
        s = each(db, campaign, queries[i].text, f, queries[i].row, e);
    if (s == PF_OK)
        s = pf_suite_db_exec(db, "COMMIT", e);
    return s;
}
