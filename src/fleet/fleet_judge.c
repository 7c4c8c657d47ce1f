/* fleet_judge.c - see fleet_judge.h. */
#define _GNU_SOURCE
#include "fleet_judge.h"
#include "check_load.h"
#include "clip.h"
#include "file.h"
#include "finding_read.h"
#include "fleet_check.h"
#include "fleet_task.h"
#include "text_format.h"
#include "tree_copy.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RACES_MOST 12 /* most races of a task: about a minute, at 5 s for each race */

/* --- tasks --- */

static const char *clip_of(const struct pf_finding *f) { return f->clip ? f->clip : f->recording; }

/* Copies the clip to the shared folder, under a name made from its contents. Returns the path. */
static pf_status send_clip(const struct pf_fleet *f, const char *clip, char **path,
                           struct pf_error *e)
{
    char *bytes, *folder = pf_fleet_path(f, "clips", 0, "");
    size_t n;
    *path = NULL;
    pf_status s = pf_folder_make(folder, e);
    if (s == PF_OK)
        s = pf_file_read(clip, &bytes, &n, e);
    if (s == PF_OK) {
        *path = pf_mem_format("%s/%016" PRIx64 ".clip", folder, pf_clip_hash(bytes, n));
        free(bytes);
        if (access(*path, F_OK))
            s = pf_tree_copy_file(clip, *path, e);
    }
    free(folder);
    return s;
}

static pf_status write_races(struct pf_fleet *f, const struct pf_fleet_races *r,
                             struct pf_finding *const *at, size_t n, char **document,
                             struct pf_error *e)
{
    static char *const own[] = {"pf", "judge", NULL};
    char *const *command = r->command ? r->command : own;
    size_t words = 0;
    struct pf_findings some;
    struct pf_text t;
    pf_status s = PF_OK;
    pf_findings_init(&some);
    for (size_t i = 0; s == PF_OK && i < n; i++) {
        struct pf_finding *copy = pf_mem_checked(pf_pool_get(&some.pool, sizeof *copy));
        char *path = NULL;
        *copy = *at[i];
        if (clip_of(copy) && access(clip_of(copy), R_OK) == 0)
            s = send_clip(f, clip_of(copy), &path, e);
        if (path)
            copy->clip = pf_pool_text(&some.pool, path, strlen(path));
        free(path);
        pf_findings_push(&some, copy);
    }
    pf_text_init(&t, &some.pool);
    while (command[words])
        words++;
    pf_findings_json(&t, &some, (const char *const *)command, words);
    pf_text_char(&t, 0);
    *document = pf_mem_copy(t.at);
    pf_findings_release(&some);
    return s;
}

static pf_status add_task(struct pf_fleet *f, const struct pf_fleet_races *r,
                          struct pf_finding *const *at, size_t n, uint64_t wave, struct pf_error *e)
{
    char *document, what[64];
    pf_status s = write_races(f, r, at, n, &document, e);
    json_t *argv =
        json_pack("[s,s,o,s,o,s,o]", "judge", "--findings", pf_fleet_word("scratch", "/races.json"),
                  "-o", pf_fleet_word(PF_FLEET_IN_RESULT, "/judged"), "--json",
                  pf_fleet_word(PF_FLEET_IN_RESULT, "/findings.json"));
    for (size_t i = 0; i < r->noptions; i++)
        json_array_append_new(argv, json_string(r->options[i]));
    json_t *ids = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(ids, pf_json_hex(at[i]->id));
    json_t *task = json_pack("{s:s,s:o,s:o,s:s,s:s}", "verb", "judge", "argv", argv, "ids", ids,
                             "races", document, "destination", r->folder);
    snprintf(what, sizeof what, "%zu %s from %016" PRIx64, n, n == 1 ? "race" : "races", at[0]->id);
    if (s == PF_OK && !task)
        s = pf_fail(e, PF_BAD, "a finding is not UTF-8");
    free(document);
    if (s != PF_OK) {
        json_decref(task);
        return s;
    }
    return pf_fleet_task_new(f, task, what, wave, e);
}

static int by_clip(const void *a, const void *b)
{
    const struct pf_finding *x = *(struct pf_finding *const *)a,
                            *y = *(struct pf_finding *const *)b;
    const char *p = clip_of(x) ? clip_of(x) : "", *q = clip_of(y) ? clip_of(y) : "";
    int order = strcmp(p, q);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

pf_status pf_fleet_judge_tasks(struct pf_fleet *f, const struct pf_fleet_races *r, uint64_t wave,
                               struct pf_error *e)
{
    size_t most = f->batch ? f->batch : RACES_MOST, share = (r->n + f->ntasks - 1) / f->ntasks;
    pf_status s = PF_OK;
    if (!f->batch && most > share)
        most = share;
    if (r->n)
        qsort(r->at, r->n, sizeof *r->at, by_clip);
    for (size_t i = 0, n; s == PF_OK && i < r->n; i += n) {
        for (n = 1; i + n < r->n; n++) {
            const char *a = clip_of(r->at[i + n - 1]), *b = clip_of(r->at[i + n]);
            if (n >= most && !(a && b && !strcmp(a, b)))
                break;
        }
        s = add_task(f, r, r->at + i, n, wave, e);
    }
    return s;
}

/* --- races of a check --- */

pf_status pf_fleet_judge_check(struct pf_fleet *f, const char *folder, uint64_t wave,
                               struct pf_error *e)
{
    static const char *const options[] = {"--met", "0"};
    struct pf_findings all;
    PF_VEC(struct pf_finding *) races = {0};
    pf_findings_init(&all);
    pf_status s = pf_check_load(&all, folder, e);
    for (size_t i = 0; s == PF_OK && i < all.n; i++) {
        struct pf_finding *it = all.at[i];
        if (pf_finding_is_pair(it) && it->status == PF_STATUS_CONFIRMED && !it->verdict &&
            !it->suspicious)
            pf_vec_push(&races, it);
    }
    char *clips = pf_mem_format("%s/clips/judged", folder);
    const struct pf_fleet_races r = {
        .at = races.at, .n = races.len, .options = options, .noptions = 2, .folder = clips};
    if (s == PF_OK)
        s = pf_fleet_judge_tasks(f, &r, wave, e);
    free(clips);
    pf_vec_release(&races);
    pf_findings_release(&all);
    return s;
}

/* Copies the clips of the evidence to their place. */
static pf_status take_clips(struct pf_fleet *f, const struct pf_fleet_task *t, const char *result,
                            struct pf_error *e)
{
    json_t *task;
    char *from = pf_mem_format("%s/judged", result);
    pf_status s = pf_fleet_task_read(f, t->id, &task, e);
    if (s == PF_OK)
        s = pf_tree_copy(from, pf_json_text(task, "destination"), e);
    json_decref(task);
    free(from);
    return s;
}

pf_status pf_fleet_judge_merge_check(struct pf_fleet *f, const struct pf_check_folder *folder,
                                     const struct pf_fleet_task *t, const char *result,
                                     struct pf_error *e)
{
    struct pf_check_line line = {
        .step = t->id * PF_CHECK_STRIDE + 1, .kind = PF_CHECK_JUDGE, .how = "ended"};
    static const char *const command[] = {"pf", "judge"};
    struct pf_check_lines lines = {0};
    struct pf_findings some;
    struct pf_pool pool;
    struct pf_text text;
    char path[PATH_MAX], *document = pf_mem_format("%s/findings.json", result);
    bool known = false;
    pf_findings_init(&some);
    pf_pool_init_malloc(&pool);
    pf_status s = take_clips(f, t, result, e);
    if (s == PF_OK)
        s = pf_findings_read_document(&some, document, NULL, e);
    for (size_t i = 0; i < some.n; i++) { /* verdicts only: other steps have found the races */
        some.at[i]->count = 0;
        some.at[i]->clip = NULL;
        some.at[i]->stages = NULL;
        some.at[i]->nwitness = some.at[i]->nrecorded = 0;
        line.undecided += !some.at[i]->verdict;
    }
    some.undecided = 0;
    pf_text_init(&text, &pool);
    pf_findings_json(&text, &some, command, 2);
    pf_check_path(path, folder->absolute, PF_CHECK_FOUND, line.step);
    if (s == PF_OK)
        s = pf_file_write(path, text.at, text.n, e);
    if (s == PF_OK)
        s = pf_check_journal_read(folder->absolute, &lines, e);
    for (size_t i = 0; i < lines.n; i++)
        known |= lines.at[i].step == line.step;
    if (s == PF_OK && !known)
        s = pf_check_journal_add(folder, &line, e);
    free(lines.at);
    pf_pool_release(&pool);
    pf_findings_release(&some);
    free(document);
    return s;
}

/* --- races of a state folder --- */

struct judge_work {
    const struct pf_fleet_races *races;
    uint64_t waves; /* how many waves of tasks exist */
    uint64_t before; /* how many of them had ended when an earlier process gave up */
    bool cut; /* a task of the last wave was cut off */
};

/* Reads the verdicts of all tasks that have ended. */
static pf_status read_verdicts(const struct pf_fleet *f, struct pf_findings *judged,
                               struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++) {
        char *path = pf_fleet_path(f, "done", f->tasks.at[i].id, ".findings");
        if (access(path, R_OK) == 0)
            s = pf_findings_read_document(judged, path, NULL, e);
        free(path);
    }
    return s;
}

/* Adds tasks for the races that tasks have not judged because they were cut off. */
static pf_status add_rest(struct judge_work *w, struct pf_fleet *f, struct pf_error *e)
{
    struct pf_findings judged;
    struct pf_fleet_races rest = *w->races;
    rest.at = pf_mem_zero(w->races->n + 1, sizeof *rest.at);
    rest.n = 0;
    pf_findings_init(&judged);
    pf_status s = read_verdicts(f, &judged, e);
    for (size_t i = 0; s == PF_OK && i < w->races->n; i++) {
        const struct pf_finding *v = pf_findings_find(&judged, w->races->at[i]->id);
        if (!v || !v->judged)
            rest.at[rest.n++] = w->races->at[i];
    }
    if (s == PF_OK)
        s = pf_fleet_judge_tasks(f, &rest, w->waves, e);
    pf_findings_release(&judged);
    free(rest.at);
    return s;
}

static pf_status next_tasks(void *arg, struct pf_fleet *f, uint64_t room, bool *more,
                            struct pf_error *e)
{
    struct judge_work *w = arg;
    bool first = !w->waves, open = false;
    (void)room;
    for (size_t i = 0; i < f->tasks.len; i++)
        open |= f->tasks.at[i].state == PF_FLEET_NEW || f->tasks.at[i].state == PF_FLEET_QUEUED;
    *more = false;
    if (!first && (open || !w->cut || w->waves >= w->before + PF_FLEET_ATTEMPTS))
        return PF_OK;
    w->cut = false;
    pf_status s = first ? pf_fleet_judge_tasks(f, w->races, 0, e) : add_rest(w, f, e);
    w->waves++;
    return s;
}

/* Keeps the verdicts next to the tasks. If the submitting process is killed after the merge and
 * before it has stored the verdicts, the next process finds them there. */
static pf_status merge(void *arg, struct pf_fleet *f, struct pf_fleet_task *t, const json_t *head,
                       const char *result, struct pf_error *e)
{
    struct judge_work *w = arg;
    char *from = pf_mem_format("%s/findings.json", result);
    char *to = pf_fleet_path(f, "done", t->id, ".findings");
    bool cut = strcmp(pf_json_text(head, "ended"), PF_TASK_DONE) != 0;
    w->cut |= cut;
    if (cut && t->wave + 1 >= w->before + PF_FLEET_ATTEMPTS)
        pf_fleet_give_up(f, t,
                         "its races were not judged within the time limit of a task "
                         "(--node-time)");
    pf_status s = take_clips(f, t, result, e);
    if (s == PF_OK)
        s = pf_tree_copy_file(from, to, e);
    free(from);
    free(to);
    return s;
}

pf_status pf_fleet_judge_run(struct pf_fleet *f, const struct pf_fleet_races *r,
                             struct pf_findings *judged, bool collect, struct pf_error *e)
{
    struct judge_work w = {.races = r};
    struct pf_fleet_work work = {.arg = &w, .next = next_tasks, .merge = merge};
    uint64_t merged;
    for (size_t i = 0; i < f->tasks.len; i++) { /* of a fleet that is continued */
        const struct pf_fleet_task *t = &f->tasks.at[i];
        w.waves = t->wave + 1;
        if (t->given_up && t->state == PF_FLEET_DONE)
            w.before = w.waves;
    }
    w.cut = w.waves > 0; /* unknown: looks for races without a verdict */
    pf_status s = collect ? pf_fleet_collect(f, &work, &merged, e) : pf_fleet_run(f, &work, e);
    return s == PF_OK ? read_verdicts(f, judged, e) : s;
}
