/* suite_curve.c - see suite_load.h: loads the curves of a campaign, and prints them as a table. */
#define _GNU_SOURCE
#include "allocation.h"
#include "suite_load.h"
#include "text_format.h"
#include "vector.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double pf_curve_overhead(const struct pf_curve_point *p, bool wall)
{
    double tool = (double)(wall ? p->wall_ns : p->cpu_ns);
    double base = (double)(wall ? p->base_wall_ns : p->base_cpu_ns);
    return base > 0 ? (tool - base) / base * 100 : 0;
}

static char *copy_at(sqlite3_stmt *q, int column)
{
    const char *s = (const char *)sqlite3_column_text(q, column);
    return pf_mem_copy(s ? s : "");
}

/* Loads the campaign and its policies; the reference policy does not get a curve. */
static pf_status load_campaign(struct pf_suite_db *db, int64_t campaign, struct pf_curves *c,
                               struct pf_error *e)
{
    sqlite3_stmt *q;
    pf_status s = pf_suite_db_prepare(
        db,
        "SELECT c.id, c.list, c.policies FROM campaign c WHERE (?1=0 OR c.id=?1) AND EXISTS"
        " (SELECT 1 FROM execution x JOIN test t ON t.id=x.test WHERE t.campaign=c.id AND x.outcome"
        " IS NOT NULL AND x.outcome<>'interrupted') ORDER BY c.id DESC LIMIT 1",
        &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_int64(q, 1, campaign);
    int code = sqlite3_step(q);
    if (code == SQLITE_ROW) {
        c->campaign = sqlite3_column_int64(q, 0);
        c->list = copy_at(q, 1);
        char *policies = copy_at(q, 2), *rest = policies, *one;
        c->at = pf_mem_zero(strlen(policies) + 1, sizeof *c->at);
        bool native = false;
        for (one = strtok(strdupa(policies), ","); one; one = strtok(NULL, ","))
            native |= !strcmp(one, "native");
        while ((one = strsep(&rest, ","))) {
            if (!strcmp(one, native ? "native" : "none"))
                c->reference = pf_mem_copy(one);
            else
                c->at[c->n++].policy = pf_mem_copy(one);
        }
        free(policies);
    }
    s = code == SQLITE_ROW || code == SQLITE_DONE ? PF_OK : pf_suite_db_fail(db, e);
    sqlite3_finalize(q);
    return s;
}

/* Loads a curve. Counts the findings of all executions in two passes over the sightings, because a
 * query for each execution would scan all of them. */
static pf_status load_curve(struct pf_suite_db *db, const struct pf_curves *c, struct pf_curve *v,
                            struct pf_error *e)
{
    sqlite3_stmt *q;
    struct pf_curve_point sum = {0};
    PF_VEC(struct pf_curve_point) points = {0};
    pf_status s = pf_suite_db_prepare(
        db,
        "WITH mine AS (SELECT x.*, t.number FROM execution x JOIN test t ON t.id=x.test"
        "  WHERE t.campaign=?1 AND x.policy=?2 AND x.outcome IS NOT NULL"
        "  AND x.outcome<>'interrupted'),"
        " expected AS MATERIALIZED (SELECT DISTINCT finding FROM sighting WHERE count=0),"
        " firsts AS (SELECT execution, min(m.round*1000000000+m.number) FROM sighting s"
        "  JOIN mine m ON m.id=s.execution WHERE finding NOT IN expected GROUP BY finding),"
        " new AS MATERIALIZED (SELECT execution, count(*) AS n FROM firsts GROUP BY execution),"
        " seen AS MATERIALIZED (SELECT execution, count(*) AS n FROM sighting"
        "  WHERE finding NOT IN expected GROUP BY execution)"
        " SELECT m.cpu_ns, m.wall_ns, b.cpu_ns, b.wall_ns, coalesce(new.n,0),"
        "  coalesce(seen.n,0), m.pairs, m.frequent"
        " FROM mine m LEFT JOIN new ON new.execution=m.id LEFT JOIN seen ON seen.execution=m.id"
        " LEFT JOIN execution b ON b.test=m.test AND b.round=m.round AND b.policy=?3"
        "  AND b.outcome IS NOT NULL AND b.outcome<>'interrupted'"
        " ORDER BY m.round, m.number",
        &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_int64(q, 1, c->campaign);
    sqlite3_bind_text(q, 2, v->policy, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, c->reference, -1, SQLITE_STATIC);
    int code;
    while ((code = sqlite3_step(q)) == SQLITE_ROW) {
        if (sqlite3_column_type(q, 2) != SQLITE_NULL) {
            sum.cpu_ns += (uint64_t)sqlite3_column_int64(q, 0);
            sum.wall_ns += (uint64_t)sqlite3_column_int64(q, 1);
            sum.base_cpu_ns += (uint64_t)sqlite3_column_int64(q, 2);
            sum.base_wall_ns += (uint64_t)sqlite3_column_int64(q, 3);
        }
        sum.distinct += (uint64_t)sqlite3_column_int64(q, 4);
        sum.total += (uint64_t)sqlite3_column_int64(q, 5);
        if (sqlite3_column_type(q, 6) != SQLITE_NULL) {
            v->has_pairs = true;
            sum.pairs = (uint64_t)sqlite3_column_int64(q, 6);
            sum.frequent = (uint64_t)sqlite3_column_int64(q, 7);
        }
        pf_vec_push(&points, sum);
    }
    v->at = points.at;
    v->n = points.len;
    s = code == SQLITE_DONE ? PF_OK : pf_suite_db_fail(db, e);
    sqlite3_finalize(q);
    return s;
}

pf_status pf_curves_load(struct pf_suite_db *db, int64_t campaign, struct pf_curves *c,
                         struct pf_error *e)
{
    *c = (struct pf_curves){0};
    pf_status s = load_campaign(db, campaign, c, e);
    for (size_t i = 0; i < c->n && s == PF_OK; i++)
        s = load_curve(db, c, &c->at[i], e);
    if (s != PF_OK)
        pf_curves_release(c);
    return s;
}

void pf_curves_release(struct pf_curves *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->at[i].policy);
        free(c->at[i].at);
    }
    free(c->at);
    free(c->list);
    free(c->reference);
    *c = (struct pf_curves){0};
}

/* --- the table --- */

/* The rows shown: 1, 2, 5, 10, 20, 50, ... and the last. */
static size_t next_row(size_t i, size_t last)
{
    size_t step = 1;
    while (step * 10 <= i)
        step *= 10;
    size_t next = i < 2 * step ? 2 * step : i < 5 * step ? 5 * step : 10 * step;
    return i < last && next > last ? last : next;
}

static void add_cells(struct pf_text *t, const struct pf_curves *c, const struct pf_curve *v,
                      size_t i)
{
    const struct pf_curve_point *p = i <= v->n ? &v->at[i - 1] : NULL;
    if (!p) {
        pf_text_format(t, " | %8s %8s %8s %8s", "", "", "", "");
        return;
    }
    if (c->reference)
        pf_text_format(t, " | %7.1f%% %7.1f%%", pf_curve_overhead(p, false),
                       pf_curve_overhead(p, true));
    else
        pf_text_format(t, " | %8s %8s", "-", "-");
    pf_text_format(t, " %8" PRIu64 " %8" PRIu64, p->distinct, p->total);
}

void pf_curves_text(struct pf_text *t, const struct pf_curves *c)
{
    size_t last = 0;
    if (!c->campaign || c->n == 0)
        return;
    for (size_t i = 0; i < c->n; i++)
        last = c->at[i].n > last ? c->at[i].n : last;
    pf_text_format(t, "%10s", "");
    for (size_t i = 0; i < c->n; i++)
        pf_text_format(t, " | %-35.35s", c->at[i].policy);
    pf_text_format(t, "\n%10s", "executions");
    for (size_t i = 0; i < c->n; i++)
        pf_text_format(t, " | %8s %8s %8s %8s", "CPU", "wall", "distinct", "seen");
    pf_text_char(t, '\n');
    for (size_t i = 1; i <= last; i = next_row(i, last)) {
        pf_text_format(t, "%10zu", i);
        for (size_t k = 0; k < c->n; k++)
            add_cells(t, c, &c->at[k], i);
        pf_text_char(t, '\n');
    }
    if (c->reference)
        pf_text_format(t, "CPU and wall: cumulative overhead over %s; ", c->reference);
    else
        pf_text_format(
            t, "no overhead: the campaign has no executions with the policy none or native; ");
    pf_text_add(t, "distinct: different findings so far; seen: sum over executions of the findings "
                   "seen in each\n");
}
