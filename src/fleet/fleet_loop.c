/*
 * fleet_loop.c - see fleet.h: submits tasks, waits for results, submits lost tasks again.
 *
 * Results are found by polling: a batch system reports that a job has ended, but not when its files
 * become visible here. A task is lost if the engine does not know it and its result has not
 * appeared for LOST_MS; a shared file system may show a new file with such a delay.
 */
#define _GNU_SOURCE
#include "duration.h"
#include "file.h"
#include "fleet.h"
#include "fleet_engine.h"
#include "fleet_task.h"
#include "message.h"
#include "result_sums.h"
#include "search_stop.h"
#include "tree_copy.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 300 /* the first interval */
#define POLL_MOST_MS 1000 /* short, because a node may wait for its next task */
#define LIST_MS 2000 /* least time between two questions to the engine */
#define LOST_MS 3000
#define GROUP 1024 /* most results that are merged before signals are handled again */

struct fleet_loop {
    struct pf_fleet *f;
    const struct pf_fleet_work *work;
    struct pf_error *e;
    uint64_t listed_ms, poll_ms;
    PF_VEC(char *) avoid; /* names of nodes on which a task has failed */
    bool complained; /* the message that the engine does not answer was printed */
    size_t merged;
    bool collects; /* submits no task */
};

static size_t count(const struct pf_fleet *f, enum pf_fleet_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < f->tasks.len; i++)
        n += f->tasks.at[i].state == state;
    return n;
}

bool pf_fleet_has_open_tasks(const struct pf_fleet *f)
{
    return count(f, PF_FLEET_NEW) || count(f, PF_FLEET_QUEUED);
}

/* --- results --- */

/* Reads the first line of the journal of a result, which describes it. */
static pf_status read_head(const struct pf_fleet *f, const char *result, json_t **head,
                           struct pf_error *e)
{
    char *path = pf_mem_format("%s/journal", result), *line = NULL;
    size_t room = 0;
    json_error_t why;
    FILE *in = fopen(path, "re");
    *head = in && getline(&line, &room, in) > 0 ? json_loads(line, JSON_ALLOW_NUL, &why) : NULL;
    pf_status s = PF_OK;
    if (!*head || pf_json_get_number(*head, "version") != 1)
        s = pf_fail(e, PF_BAD, "%s: expected the journal of a task, version 1", path);
    else if (pf_json_from_hex(*head, "build") != f->build)
        s = pf_fail(e, PF_BAD, "%s: the result of another build of the program", path);
    if (in)
        fclose(in);
    free(line);
    free(path);
    return s;
}

void pf_fleet_give_up(const struct pf_fleet *f, struct pf_fleet_task *t, const char *why)
{
    struct pf_error e;
    t->state = PF_FLEET_FAILED;
    free(t->why);
    t->why = pf_mem_copy(why);
    pf_note(f->verb, "task %" PRIu64 " (%s) is given up: %s", t->id, t->what, why);
    if (pf_fleet_attempts_given_up(f, t->id, &e) != PF_OK)
        pf_note(f->verb, "%s", e.text);
}

static void give_up(struct fleet_loop *l, struct pf_fleet_task *t, const char *why)
{
    pf_fleet_give_up(l->f, t, why);
    if (l->work->failed)
        l->work->failed(l->work->arg, l->f, t);
}

/* Submits a task again, or gives it up after its last attempt. */
static void try_again(struct fleet_loop *l, struct pf_fleet_task *t, const char *why)
{
    if (l->collects || t->attempts >= PF_FLEET_ATTEMPTS) {
        give_up(l, t, why);
        return;
    }
    pf_note(l->f->verb, "task %" PRIu64 " (%s) is submitted again: %s", t->id, t->what, why);
    t->state = PF_FLEET_NEW;
}

/* Renames a result that cannot be merged, so that its task can return another one. */
static void put_aside(const struct fleet_loop *l, const struct pf_fleet_task *t, const char *result)
{
    char *aside = pf_mem_format("%s/results/.%" PRIu64 "-refused", l->f->folder, t->id);
    pf_tree_remove(aside);
    if (rename(result, aside))
        pf_tree_remove(result);
    free(aside);
}

/* Merges a result; *head is the first line of its journal. If the result is damaged or of another
 * build, refuses it, and sets *head to NULL. */
static pf_status take_result(struct fleet_loop *l, struct pf_fleet_task *t, json_t **head)
{
    struct pf_error bad;
    char *result = pf_fleet_path(l->f, "results", t->id, "");
    pf_status s = PF_OK;
    *head = NULL;
    if (read_head(l->f, result, head, &bad) == PF_OK &&
        pf_result_sums_check(result, &bad) == PF_OK) {
        const char *failure = pf_json_get_text(*head, PF_TASK_FAILURE);
        s = l->work->merge(l->work->arg, l->f, t, *head, result, l->e);
        if (s == PF_OK && *failure)
            give_up(l, t, failure);
    } else {
        put_aside(l, t, result);
        try_again(l, t, bad.text);
        json_decref(*head);
        *head = NULL;
    }
    free(result);
    return s;
}

/* Marks a task as merged. Writes the mark after the merge is permanent, and removes the result
 * last. If this process is killed in between, the next one merges the result again, which changes
 * nothing. */
static pf_status mark_done(struct fleet_loop *l, struct pf_fleet_task *t, const json_t *head)
{
    char *result = pf_fleet_path(l->f, "results", t->id, "");
    char *done = pf_fleet_path(l->f, "done", t->id, ".json");
    pf_status s = head ? pf_json_file_write(done, head, l->e) : PF_OK;
    if (s == PF_OK && head) {
        if (t->state != PF_FLEET_FAILED)
            t->state = PF_FLEET_DONE;
        l->merged++;
        pf_tree_remove(result);
    }
    free(result);
    free(done);
    return s;
}

/* Merges some results, and marks them. */
static pf_status take_group(struct fleet_loop *l, struct pf_fleet_task *const *tasks, size_t n)
{
    json_t *heads[GROUP] = {0};
    pf_status s = l->work->begin ? l->work->begin(l->work->arg, l->e) : PF_OK;
    for (size_t i = 0; s == PF_OK && i < n; i++)
        s = take_result(l, tasks[i], &heads[i]);
    if (s == PF_OK && l->work->commit)
        s = l->work->commit(l->work->arg, l->e);
    for (size_t i = 0; i < n; i++) {
        if (s == PF_OK)
            s = mark_done(l, tasks[i], heads[i]);
        json_decref(heads[i]);
    }
    return s;
}

/* Merges every result that is there. Lists the folder once, instead of testing for the file of each
 * task. */
static pf_status take_results(struct fleet_loop *l)
{
    char *folder = pf_fleet_path(l->f, "results", 0, "");
    DIR *d = opendir(folder);
    PF_VEC(struct pf_fleet_task *) there = {0};
    pf_status s = d ? PF_OK : pf_fail(l->e, PF_IO, "%s: %s", folder, strerror(errno));
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char *end;
        uint64_t id = strtoull(entry->d_name, &end, 10);
        struct pf_fleet_task *t = *end ? NULL : pf_fleet_task_find(l->f, id);
        if (t && (t->state == PF_FLEET_NEW || t->state == PF_FLEET_QUEUED))
            pf_vec_push(&there, t);
    }
    if (d)
        closedir(d);
    for (size_t i = 0; s == PF_OK && i < there.len && !pf_interrupted(); i += GROUP)
        s = take_group(l, there.at + i, there.len - i < GROUP ? there.len - i : GROUP);
    pf_vec_release(&there);
    free(folder);
    return s;
}

/* --- failures --- */

/* Returns the failure that the last attempt of a task reported; NULL: none. Marks it as taken, so
 * that it is not the reason of a later attempt. From now on, tasks avoid its node. */
static char *take_failure(struct fleet_loop *l, const struct pf_fleet_task *t)
{
    char *folder = pf_fleet_path(l->f, "failed", 0, ""), *why = NULL;
    char prefix[32];
    int n = snprintf(prefix, sizeof prefix, "%" PRIu64 ".", t->id);
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        struct pf_error ignored;
        json_t *o;
        size_t length = strlen(entry->d_name);
        if (strncmp(entry->d_name, prefix, (size_t)n) || length < 5 ||
            strcmp(entry->d_name + length - 5, ".json"))
            continue;
        char *path = pf_mem_format("%s/%s", folder, entry->d_name);
        char *taken = pf_mem_format("%s.taken", path);
        if (pf_json_file_read(path, &o, &ignored) == PF_OK) {
            const char *node = pf_json_get_text(o, "node");
            bool known = !*node;
            for (size_t i = 0; i < l->avoid.len && !known; i++)
                known = !strcmp(l->avoid.at[i], node);
            if (!known)
                pf_vec_push(&l->avoid, pf_mem_copy(node));
            free(why);
            why = pf_mem_format("%s: %s", *node ? node : "?", pf_json_get_text(o, "why"));
            json_decref(o);
            rename(path, taken);
        }
        free(path);
        free(taken);
    }
    if (d)
        closedir(d);
    free(folder);
    return why;
}

/* Decides what happens to tasks that the engine no longer knows. */
static void find_lost(struct fleet_loop *l, const pf_vec_u64 *alive)
{
    uint64_t now = pf_now_ms();
    for (size_t i = 0; i < l->f->tasks.len; i++) {
        struct pf_fleet_task *t = &l->f->tasks.at[i];
        bool known = t->state != PF_FLEET_QUEUED;
        for (size_t k = 0; k < alive->len && !known; k++)
            known = alive->at[k] == t->id;
        if (known) {
            t->missing_ms = 0;
            continue;
        }
        if (!t->missing_ms)
            t->missing_ms = now;
        char *why = take_failure(l, t);
        if (!why && now - t->missing_ms < LOST_MS)
            continue;
        t->missing_ms = 0;
        const char *reason =
            why ? why : "its job ended without a result: it was killed, or its node was lost";
        try_again(l, t, reason);
        free(why);
    }
}

static void ask_engine(struct fleet_loop *l)
{
    struct pf_error why;
    pf_vec_u64 alive = {0};
    uint64_t now = pf_now_ms();
    if (!count(l->f, PF_FLEET_QUEUED) || now - l->listed_ms < LIST_MS)
        return;
    l->listed_ms = now;
    if (l->f->engine->list(l->f, &alive, &why) == PF_OK) {
        l->complained = false;
        find_lost(l, &alive);
    } else if (!l->complained) { /* the batch system may be restarting; tasks are not lost */
        pf_note(l->f->verb, "waiting for the batch system: %s", why.text);
        l->complained = true;
    }
    pf_vec_release(&alive);
}

/* --- submission --- */

static char *avoided(const struct fleet_loop *l)
{
    char *list = pf_mem_copy("");
    for (size_t i = 0; i < l->avoid.len; i++) {
        char *longer = pf_mem_format("%s%s%s", list, i ? "," : "", l->avoid.at[i]);
        free(list);
        list = longer;
    }
    return list;
}

static pf_status submit_new(struct fleet_loop *l)
{
    pf_vec_u64 ids = {0};
    pf_status s = PF_OK;
    for (size_t i = 0; i < l->f->tasks.len; i++)
        if (l->f->tasks.at[i].state == PF_FLEET_NEW)
            pf_vec_push(&ids, l->f->tasks.at[i].id);
    char *avoid = avoided(l);
    if (ids.len)
        s = pf_fleet_attempts_submitted(l->f, ids.at, ids.len, l->e);
    if (s == PF_OK && ids.len) {
        struct pf_error ignored;
        s = l->f->engine->submit(l->f, ids.at, ids.len, avoid, l->e);
        if (s != PF_OK)
            (void)!pf_fleet_attempts_refused(l->f, ids.at, ids.len, &ignored);
    }
    free(avoid);
    if (ids.len)
        l->poll_ms = 0; /* short tasks may end soon */
    for (size_t i = 0; s == PF_OK && i < l->f->tasks.len; i++) {
        struct pf_fleet_task *t = &l->f->tasks.at[i];
        if (t->state != PF_FLEET_NEW)
            continue;
        t->state = PF_FLEET_QUEUED;
        t->attempts++;
        l->listed_ms = pf_now_ms();
    }
    pf_vec_release(&ids);
    return s;
}

/* Sleeps until the next poll of the folder of results; a signal ends the wait. */
static void pause_for_results(struct fleet_loop *l, size_t merged)
{
    l->poll_ms = merged || !l->poll_ms ? POLL_MS : l->poll_ms * 3 / 2;
    if (l->poll_ms > POLL_MOST_MS)
        l->poll_ms = POLL_MOST_MS;
    for (uint64_t left = l->poll_ms; left && !pf_interrupted();) {
        uint64_t part = left < 100 ? left : 100;
        nanosleep(&(struct timespec){.tv_nsec = (long)part * 1000000}, NULL);
        left -= part;
    }
}

static void show(const struct fleet_loop *l)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kpf %s: tasks: %zu done, %zu waiting or running, %zu given up",
                l->f->verb, count(l->f, PF_FLEET_DONE), count(l->f, PF_FLEET_QUEUED),
                count(l->f, PF_FLEET_FAILED));
}

static void release(struct fleet_loop *l)
{
    for (size_t i = 0; i < l->avoid.len; i++)
        free(l->avoid.at[i]);
    pf_vec_release(&l->avoid);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

pf_status pf_fleet_run(struct pf_fleet *f, const struct pf_fleet_work *work, struct pf_error *e)
{
    struct fleet_loop l = {.f = f, .work = work, .e = e};
    pf_status s = PF_OK;
    bool more = true;
    pf_interrupt_catch();
    while (s == PF_OK && !pf_interrupted() && !pf_fleet_is_cancelled(f)) {
        size_t before = l.merged;
        s = take_results(&l);
        if (s == PF_OK)
            ask_engine(&l);
        size_t busy = count(f, PF_FLEET_QUEUED) + count(f, PF_FLEET_NEW);
        if (s == PF_OK)
            s = work->next(work->arg, f, busy < f->ntasks ? f->ntasks - busy : 0, &more, e);
        if (s == PF_OK)
            s = submit_new(&l);
        if (s != PF_OK || (!count(f, PF_FLEET_QUEUED) && !more))
            break;
        show(&l);
        pause_for_results(&l, l.merged - before);
    }
    f->signal = pf_interrupted() ? SIGINT : 0;
    f->cancelled = s == PF_OK && pf_fleet_is_cancelled(f);
    if (f->signal)
        pf_note(f->verb, "stopped; submitted tasks go on, unless pf fleet cancel ends them");
    if (f->cancelled)
        pf_note(f->verb, "cancelled by pf fleet cancel");
    release(&l);
    return s;
}

pf_status pf_fleet_collect(struct pf_fleet *f, const struct pf_fleet_work *work, uint64_t *merged,
                           struct pf_error *e)
{
    struct fleet_loop l = {.f = f, .work = work, .e = e, .collects = true};
    pf_status s = take_results(&l);
    *merged = l.merged;
    release(&l);
    return s;
}

size_t pf_fleet_incomplete(const struct pf_fleet *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->tasks.len; i++) {
        const struct pf_fleet_task *t = &f->tasks.at[i];
        if (t->state == PF_FLEET_DONE)
            continue;
        fprintf(stderr, "pf: incomplete: task %" PRIu64 " (", t->id);
        pf_print_name(stderr, t->what);
        fputs(") did not end: ", stderr);
        pf_print_name(stderr, t->why ? t->why : "it waits or runs");
        fputc('\n', stderr);
        n++;
    }
    return n;
}
