/* suite_store.c - see suite_db.h: stores campaigns and executions. */
#define _GNU_SOURCE
#include "allocation.h"
#include "expected_deaths.h"
#include "file.h"
#include "finding_json.h"
#include "suite_db.h"
#include "text_format.h"
#include "wait_status.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_s(void) { return (int64_t)time(NULL); }

/* Commits, or rolls a failed transaction back; the first error message is kept. */
static pf_status end_transaction(struct pf_suite_db *db, pf_status s, struct pf_error *e)
{
    struct pf_error ignored;
    if (s == PF_OK)
        s = pf_suite_db_exec(db, "COMMIT", e);
    if (s != PF_OK && pf_suite_db_exec(db, "ROLLBACK", &ignored) != PF_OK)
        return s;
    return s;
}

/* Runs a statement and finalises it. */
static pf_status finish(struct pf_suite_db *db, sqlite3_stmt *q, struct pf_error *e)
{
    int code = sqlite3_step(q);
    pf_status s = code == SQLITE_DONE || code == SQLITE_ROW ? PF_OK : pf_suite_db_fail(db, e);
    sqlite3_finalize(q);
    return s;
}

/* --- campaigns --- */

/* Locks the campaign's byte. True: this process holds it now. */
static bool lock_campaign(const struct pf_suite_db *db, int64_t id)
{
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = id, .l_len = 1};
    return fcntl(db->lock, F_SETLK, &byte) == 0;
}

static void unlock_campaign(const struct pf_suite_db *db, int64_t id)
{
    struct flock byte = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = id, .l_len = 1};
    fcntl(db->lock, F_SETLK, &byte);
}

static pf_status find_unfinished(struct pf_suite_db *db, const char *key, int64_t *id,
                                 struct pf_error *e)
{
    sqlite3_stmt *q;
    pf_status s = pf_suite_db_prepare(
        db, "SELECT id FROM campaign WHERE key=? AND ended IS NULL ORDER BY id DESC", &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    int code;
    *id = 0;
    while (*id == 0 && (code = sqlite3_step(q)) == SQLITE_ROW)
        if (lock_campaign(db, sqlite3_column_int64(q, 0)))
            *id = sqlite3_column_int64(q, 0);
    s = *id == 0 && code != SQLITE_DONE ? pf_suite_db_fail(db, e) : PF_OK;
    sqlite3_finalize(q);
    return s;
}

static pf_status add_tests(struct pf_suite_db *db, int64_t campaign,
                           const struct pf_suite_list *tests, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; i < tests->n && s == PF_OK; i++) {
        sqlite3_stmt *q;
        s = pf_suite_db_prepare(
            db, "INSERT INTO test(campaign,number,name,command) VALUES(?,?,?,?)", &q, e);
        if (s != PF_OK)
            return s;
        sqlite3_bind_int64(q, 1, campaign);
        sqlite3_bind_int64(q, 2, (int64_t)i);
        sqlite3_bind_text(q, 3, tests->at[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 4, tests->at[i].command, -1, SQLITE_STATIC);
        s = finish(db, q, e);
    }
    return s;
}

static pf_status add_campaign(struct pf_suite_db *db, const struct pf_campaign *c, int64_t *id,
                              struct pf_error *e)
{
    sqlite3_stmt *q;
    struct pf_pool pool;
    struct pf_text t;
    pf_status s = pf_suite_db_prepare(
        db,
        "INSERT INTO campaign(key,list,command,policies,rounds,jobs,started) VALUES(?,?,?,?,?,?,?)",
        &q, e);
    if (s != PF_OK)
        return s;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    for (size_t i = 0; i < c->npolicies; i++) {
        pf_text_add(&t, i ? "," : "");
        pf_text_add(&t, c->policies[i]);
    }
    sqlite3_bind_text(q, 1, c->key, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, c->list, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, c->command, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 4, t.at, (int)t.n, SQLITE_STATIC);
    sqlite3_bind_int64(q, 5, (int64_t)c->rounds);
    sqlite3_bind_int64(q, 6, (int64_t)c->jobs);
    sqlite3_bind_int64(q, 7, now_s());
    s = finish(db, q, e);
    pf_pool_release(&pool);
    *id = sqlite3_last_insert_rowid(db->sql);
    return s;
}

static size_t policy_number(const struct pf_campaign *c, const char *policy)
{
    size_t i = 0;
    while (i < c->npolicies && strcmp(c->policies[i], policy))
        i++;
    return i;
}

pf_status pf_suite_db_done(struct pf_suite_db *db, int64_t campaign, const struct pf_campaign *c,
                           size_t ntests, bool *done, struct pf_error *e)
{
    sqlite3_stmt *q;
    pf_status s = pf_suite_db_prepare(
        db,
        "SELECT x.round, t.number, x.policy FROM execution x JOIN test t ON t.id=x.test"
        " WHERE t.campaign=? AND x.outcome IS NOT NULL AND x.outcome<>'interrupted'",
        &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_int64(q, 1, campaign);
    int code;
    while ((code = sqlite3_step(q)) == SQLITE_ROW) {
        uint64_t round = (uint64_t)sqlite3_column_int64(q, 0);
        uint64_t test = (uint64_t)sqlite3_column_int64(q, 1);
        size_t policy = policy_number(c, (const char *)sqlite3_column_text(q, 2));
        if (round < c->rounds && test < ntests && policy < c->npolicies)
            done[(round * ntests + test) * c->npolicies + policy] = true;
    }
    s = code == SQLITE_DONE ? PF_OK : pf_suite_db_fail(db, e);
    sqlite3_finalize(q);
    return s;
}

pf_status pf_suite_db_finish(struct pf_suite_db *db, int64_t campaign, struct pf_error *e)
{
    sqlite3_stmt *q;
    pf_status s = pf_suite_db_prepare(db, "UPDATE campaign SET ended=? WHERE id=?", &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_int64(q, 1, now_s());
    sqlite3_bind_int64(q, 2, campaign);
    s = finish(db, q, e);
    unlock_campaign(db, campaign);
    return s;
}

/* --- executions --- */

int64_t pf_suite_db_execution_byte(int64_t execution)
{
    return PF_SUITE_EXECUTION_BYTES + execution;
}

static char *folder_of(const struct pf_suite_db *db, int64_t execution)
{
    /* absolute, because tests may run in other folders */
    char *state = realpath(db->state, NULL);
    char *folder = pf_mem_format("%s/.suite/%" PRId64, state ? state : db->state, execution);
    free(state);
    return folder;
}

static pf_status make_folder(const char *folder, struct pf_error *e)
{
    pf_folder_remove(folder); /* left over from an execution whose row was never committed */
    pf_status s = pf_folder_make(folder, e);
    /* A process may change its user before it forks; others may then create logs but not read
     * them. */
    if (s == PF_OK && geteuid() == 0 && chmod(folder, 01733))
        s = pf_fail(e, PF_IO, "%s: %s", folder, strerror(errno));
    return s;
}

pf_status pf_suite_db_begin(struct pf_suite_db *db, int64_t campaign, size_t test, uint64_t round,
                            const char *policy, int64_t *execution, char **folder,
                            struct pf_error *e)
{
    sqlite3_stmt *q;
    *folder = NULL;
    pf_status s = pf_suite_db_prepare(db,
                                      "INSERT INTO execution(test,round,policy,started)"
                                      " SELECT id,?,?,? FROM test WHERE campaign=? AND number=?",
                                      &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_int64(q, 1, (int64_t)round);
    sqlite3_bind_text(q, 2, policy, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 3, now_s());
    sqlite3_bind_int64(q, 4, campaign);
    sqlite3_bind_int64(q, 5, (int64_t)test);
    s = finish(db, q, e);
    if (s != PF_OK)
        return s;
    *execution = sqlite3_last_insert_rowid(db->sql);
    *folder = folder_of(db, *execution);
    return make_folder(*folder, e);
}

static void bind_known(sqlite3_stmt *q, int at, bool known, uint64_t v)
{
    if (known)
        sqlite3_bind_int64(q, at, (int64_t)v);
    else
        sqlite3_bind_null(q, at);
}

/* The time of an execution without the wait of its first process for other threads at exit, which
 * says nothing about overhead. */
static uint64_t wall_without_wait(const struct pf_supervisor_result *k, const struct pf_findings *f)
{
    uint64_t waited = f->processes ? f->processes->waited_ms * 1000000 : 0;
    return k->wall_ns > waited ? k->wall_ns - waited : 0;
}

static pf_status update(struct pf_suite_db *db, int64_t execution,
                        const struct pf_execution_end *end, struct pf_error *e)
{
    const struct pf_supervisor_result *k = end->result;
    const struct pf_findings *f = end->found;
    bool went_well = !strcmp(end->outcome, "passed");
    sqlite3_stmt *q;
    pf_status s = pf_suite_db_prepare(
        db,
        "UPDATE execution SET outcome=?,status=?,wall_ns=?,cpu_ns=?,peak_kb=?,processes=?,"
        "complete=?,suppressed=?,pairs=?,frequent=?,output=? WHERE id=? AND outcome IS NULL",
        &q, e);
    if (s != PF_OK)
        return s;
    int status = k ? pf_wait_status(k->wait) : 0;
    bool complete = pf_findings_complete(f) && k && !k->leftovers_alive && !end->damaged;
    uint64_t pairs, frequent;
    bool known = pf_findings_pairs(f, &pairs, &frequent);
    sqlite3_bind_text(q, 1, end->outcome, -1, SQLITE_STATIC);
    bind_known(q, 2, k && k->how != PF_SUPERVISED_UNSTARTED, (uint64_t)status);
    bind_known(q, 3, k, k ? wall_without_wait(k, f) : 0);
    bind_known(q, 4, k, k ? k->cpu_ns : 0);
    bind_known(q, 5, k, k ? k->peak_kb : 0);
    sqlite3_bind_int64(q, 6, (int64_t)f->nprocesses);
    bind_known(q, 7, end->watched, complete);
    sqlite3_bind_int64(q, 8, (int64_t)pf_findings_suppressed(f));
    bind_known(q, 9, known, pairs);
    bind_known(q, 10, known, frequent);
    if (k && !went_well)
        sqlite3_bind_blob(q, 11, k->output, (int)k->noutput, SQLITE_STATIC);
    else
        sqlite3_bind_null(q, 11);
    sqlite3_bind_int64(q, 12, execution);
    s = finish(db, q, e);
    if (s == PF_OK && sqlite3_changes(db->sql) != 1)
        s = pf_fail(e, PF_BAD, "%s: execution %" PRId64 " does not exist or has already ended",
                    db->path, execution);
    return s;
}

static pf_status add_loss(struct pf_suite_db *db, int64_t execution, const char *what,
                          uint64_t count, struct pf_error *e)
{
    sqlite3_stmt *q;
    pf_status s = pf_suite_db_prepare(db,
                                      "INSERT INTO loss VALUES(?,?,?) ON CONFLICT DO UPDATE"
                                      " SET count=count+excluded.count",
                                      &q, e);
    if (s != PF_OK)
        return s;
    sqlite3_bind_int64(q, 1, execution);
    sqlite3_bind_text(q, 2, what, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 3, (int64_t)count);
    return finish(db, q, e);
}

/* Stores why the execution is incomplete. */
static pf_status add_losses(struct pf_suite_db *db, int64_t execution,
                            const struct pf_execution_end *end, struct pf_error *e)
{
    pf_status s = PF_OK;
    uint64_t killed = 0, running = 0;
    if (!end->watched)
        return PF_OK;
    for (const struct pf_process *p = end->found->processes; p && s == PF_OK; p = p->next) {
        killed += !p->end && !p->running && !p->expected_death;
        running += !p->end && p->running;
        for (const struct pf_loss *l = p->losses; l && s == PF_OK; l = l->next)
            s = add_loss(db, execution, l->what, l->count, e);
    }
    if (s == PF_OK && killed)
        s = add_loss(db, execution, "processes were killed before their end", killed, e);
    if (s == PF_OK && running)
        s = add_loss(db, execution, "processes were still running", running, e);
    if (s == PF_OK && end->damaged)
        s = add_loss(db, execution, "findings logs could not be read; they are kept in .suite", 1,
                     e);
    if (s == PF_OK && !end->found->processes)
        s = add_loss(db, execution, "executions in which no instrumented process ran", 1, e);
    return s;
}

/* Adds the finding, if it is new, and its sighting. count 0: the execution expected this death of a
 * child, which is then not a finding in any execution of the test. */
static pf_status add_finding(struct pf_suite_db *db, int64_t execution, const struct pf_finding *f,
                             uint64_t count, uint64_t *fresh, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    struct pf_finding once = *f;
    sqlite3_stmt *q;
    char id[20];
    once.count = 1;
    snprintf(id, sizeof id, "%016" PRIx64, f->id);
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_finding_json(&t, &once);
    pf_status s = pf_suite_db_prepare(db, "INSERT OR IGNORE INTO finding VALUES(?,?)", &q, e);
    if (s == PF_OK) {
        sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, t.at, (int)t.n, SQLITE_STATIC);
        s = finish(db, q, e);
        *fresh += count ? (uint64_t)sqlite3_changes(db->sql) : 0;
    }
    if (s == PF_OK)
        s = pf_suite_db_prepare(db, "INSERT INTO sighting VALUES(?,?,?)", &q, e);
    if (s == PF_OK) {
        sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 2, execution);
        sqlite3_bind_int64(q, 3, (int64_t)count);
        s = finish(db, q, e);
    }
    pf_pool_release(&pool);
    return s;
}

/* Renames the folder so that it is not taken for an execution's, and can be examined. */
static void keep_damaged(const char *folder)
{
    char *name = pf_mem_format("%s.damaged", folder);
    rename(folder, name);
    free(name);
}

static bool has(const struct pf_findings *f, uint64_t id)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i]->id == id)
            return true;
    return false;
}

static pf_status add_expected(struct pf_suite_db *db, int64_t execution,
                              const struct pf_findings *found, struct pf_error *e)
{
    struct pf_findings expected;
    uint64_t ignored = 0;
    pf_findings_init(&expected);
    pf_status s = pf_findings_expected_crashes(found, &expected, e);
    for (size_t i = 0; i < expected.n && s == PF_OK; i++)
        if (!has(found, expected.at[i]->id))
            s = add_finding(db, execution, expected.at[i], 0, &ignored, e);
    pf_findings_release(&expected);
    return s;
}

pf_status pf_suite_db_end(struct pf_suite_db *db, int64_t execution, const char *folder,
                          const struct pf_execution_end *end, uint64_t *fresh, struct pf_error *e)
{
    *fresh = 0;
    pf_status s = pf_suite_db_exec(db, "BEGIN IMMEDIATE", e);
    if (s != PF_OK)
        return s;
    s = update(db, execution, end, e);
    if (s == PF_OK)
        s = add_losses(db, execution, end, e);
    for (size_t i = 0; i < end->found->n && s == PF_OK; i++)
        s = add_finding(db, execution, end->found->at[i], end->found->at[i]->count, fresh, e);
    if (s == PF_OK)
        s = add_expected(db, execution, end->found, e);
    s = end_transaction(db, s, e);
    if (s == PF_OK && end->damaged)
        keep_damaged(folder);
    else if (s == PF_OK)
        pf_folder_remove(folder);
    return s;
}

/* --- after pf suite was killed --- */

/* Stores what the logs contain, once the supervisor of the execution has ended and released its
 * byte. The outcome "interrupted" says that later findings are missing. */
static pf_status salvage_one(struct pf_suite_db *db, int64_t execution, bool watched,
                             struct pf_error *e)
{
    struct pf_findings f;
    struct pf_execution_end end = {"interrupted", NULL, watched, &f, false};
    uint64_t fresh;
    char *folder = folder_of(db, execution);
    pf_findings_init(&f);
    pf_status s = pf_suite_db_lock(db, F_WRLCK, pf_suite_db_execution_byte(execution), e);
    if (s == PF_OK)
        s = pf_suite_db_lock(db, F_UNLCK, pf_suite_db_execution_byte(execution), e);
    if (s == PF_OK && access(folder, F_OK) == 0)
        end.damaged = pf_findings_read_folder(&f, folder, NULL, e) != PF_OK;
    if (s == PF_OK)
        s = pf_suite_db_end(db, execution, folder, &end, &fresh, e);
    pf_findings_release(&f);
    free(folder);
    return s;
}

static pf_status find_interrupted(struct pf_suite_db *db, int64_t *ids, bool *watched, size_t room,
                                  size_t *n, struct pf_error *e)
{
    sqlite3_stmt *q;
    int code = SQLITE_DONE;
    pf_status s = pf_suite_db_prepare(
        db,
        "SELECT x.id, t.campaign, x.policy FROM execution x JOIN test t ON t.id=x.test"
        " WHERE x.outcome IS NULL",
        &q, e);
    *n = 0;
    if (s != PF_OK)
        return s;
    while (*n < room && (code = sqlite3_step(q)) == SQLITE_ROW) {
        int64_t campaign = sqlite3_column_int64(q, 1);
        if (!lock_campaign(db, campaign))
            continue; /* another process runs it */
        unlock_campaign(db, campaign);
        watched[*n] = pf_policy_watches((const char *)sqlite3_column_text(q, 2));
        ids[(*n)++] = sqlite3_column_int64(q, 0);
    }
    s = code == SQLITE_DONE || code == SQLITE_ROW ? PF_OK : pf_suite_db_fail(db, e);
    sqlite3_finalize(q);
    return s;
}

/* Removes folders of stored executions: the process that should have removed them was killed. */
static pf_status sweep(struct pf_suite_db *db, struct pf_error *e)
{
    sqlite3_stmt *q;
    char *all = folder_of(db, 0);
    pf_status s = pf_suite_db_prepare(
        db, "SELECT 1 FROM execution WHERE id=? AND outcome IS NOT NULL", &q, e);
    if (s != PF_OK) {
        free(all);
        return s;
    }
    *strrchr(all, '/') = 0;
    DIR *d = opendir(all);
    for (struct dirent *f; d && (f = readdir(d));) {
        char *end;
        int64_t id = strtoll(f->d_name, &end, 10);
        if (*end || id <= 0)
            continue;
        sqlite3_bind_int64(q, 1, id);
        bool over = sqlite3_step(q) == SQLITE_ROW;
        sqlite3_reset(q);
        char *folder = over ? folder_of(db, id) : NULL;
        if (folder)
            pf_folder_remove(folder);
        free(folder);
    }
    if (d)
        closedir(d);
    sqlite3_finalize(q);
    free(all);
    return PF_OK;
}

/* Called with the lock on byte 0, so that no other process claims or salvages at the same time. */
static pf_status salvage(struct pf_suite_db *db, uint64_t *total, struct pf_error *e)
{
    enum { AT_ONCE = 256 };
    int64_t ids[AT_ONCE];
    bool watched[AT_ONCE];
    size_t n;
    pf_status s;
    *total = 0;
    do {
        s = find_interrupted(db, ids, watched, AT_ONCE, &n, e);
        for (size_t i = 0; i < n && s == PF_OK; i++)
            s = salvage_one(db, ids[i], watched[i], e);
        *total += n;
    } while (s == PF_OK && n == AT_ONCE);
    return s == PF_OK ? sweep(db, e) : s;
}

/* --- claiming --- */

static pf_status claim(struct pf_suite_db *db, const struct pf_campaign *c,
                       const struct pf_suite_list *tests, bool fresh, int64_t *campaign,
                       bool *continued, struct pf_error *e)
{
    pf_status s = pf_suite_db_exec(db, "BEGIN IMMEDIATE", e);
    if (s != PF_OK)
        return s;
    *campaign = 0;
    if (!fresh)
        s = find_unfinished(db, c->key, campaign, e);
    *continued = *campaign != 0;
    if (s == PF_OK && !*continued) {
        s = add_campaign(db, c, campaign, e);
        if (s == PF_OK)
            s = add_tests(db, *campaign, tests, e);
        if (s == PF_OK && !lock_campaign(db, *campaign))
            s = pf_fail(e, PF_IO, "%s/suite.lock: %s", db->state, strerror(errno));
    }
    return end_transaction(db, s, e);
}

pf_status pf_suite_db_claim(struct pf_suite_db *db, const struct pf_campaign *c,
                            const struct pf_suite_list *tests, bool fresh, int64_t *campaign,
                            bool *continued, uint64_t *salvaged, struct pf_error *e)
{
    pf_status s = pf_suite_db_lock(db, F_WRLCK, 0, e);
    if (s == PF_OK)
        s = salvage(db, salvaged, e);
    if (s == PF_OK)
        s = claim(db, c, tests, fresh, campaign, continued, e);
    if (s == PF_OK)
        s = pf_suite_db_lock(db, F_UNLCK, 0, e);
    return s;
}
