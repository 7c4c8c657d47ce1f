/* fleet_judge.c - see fleet_judge.h. */
#define _GNU_SOURCE
#include "fleet_judge.h"
#include "check_load.h"
#include "clip.h"
#include "duration.h"
#include "file.h"
#include "finding_read.h"
#include "fleet_check.h"
#include "fleet_task.h"
#include "hash_map.h"
#include "task_size.h"
#include "text_format.h"
#include "tree_copy.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What is left of the time limit, in milliseconds, at least 1; UINT64_MAX: there is no limit. */
static uint64_t time_left(const struct pf_fleet_races *r)
{
    uint64_t now = pf_now_ms();
    return !r->until_ms ? UINT64_MAX : r->until_ms > now ? r->until_ms - now : 1;
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
    if (r->until_ms)
        json_array_append_new(argv, json_sprintf("--time=%" PRIu64 "ms", time_left(r)));
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

static bool has_same_clip(const struct pf_finding *x, const struct pf_finding *y)
{
    const char *a = clip_of(x), *b = clip_of(y);
    return a && b && !strcmp(a, b);
}

void pf_fleet_judge_sort(const struct pf_fleet_races *r)
{
    if (r->n)
        qsort(r->at, r->n, sizeof *r->at, by_clip);
}

pf_status pf_fleet_judge_tasks(struct pf_fleet *f, const struct pf_fleet_races *r,
                               const struct pf_judge_times *times, uint64_t wave, uint64_t room,
                               size_t *taken, struct pf_error *e)
{
    pf_status s = PF_OK;
    size_t i = 0;
    for (size_t n; s == PF_OK && i < r->n && room; i += n, room--) {
        uint64_t most = f->batch                    ? f->batch
                        : times->races || times->ms ? pf_task_units(times->ms, times->races,
                                                                    times->all, r->n - i, f->ntasks)
                                                    : 1; /* their times are unknown */
        n = 1;
        while (i + n < r->n && (n < most || has_same_clip(r->at[i + n - 1], r->at[i + n])))
            n++;
        s = add_task(f, r, r->at + i, n, wave, e);
    }
    *taken = i;
    return s;
}

/* --- races of a check --- */

/* Adds the races of the tasks that exist to `known`. */
static pf_status add_known(const struct pf_fleet *f, struct pf_hash_map *known, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++) {
        json_t *task;
        s = pf_fleet_task_read(f, f->tasks.at[i].id, &task, e);
        if (s != PF_OK)
            break;
        const json_t *ids = json_object_get(task, "ids");
        for (size_t k = 0; k < json_array_size(ids); k++)
            (void)pf_hash_map_put(known,
                                  strtoull(json_string_value(json_array_get(ids, k)), NULL, 16), 0);
        json_decref(task);
    }
    return s;
}

pf_status pf_fleet_judge_check(struct pf_fleet *f, const char *folder, struct pf_judge_times *times,
                               uint64_t wave, uint64_t room, bool *more, struct pf_error *e)
{
    static const char *const options[] = {"--met", "0"};
    struct pf_findings all;
    struct pf_hash_map known = {0}; /* races of tasks that exist; all values are 0 */
    PF_VEC(struct pf_finding *) races = {0};
    size_t taken = 0;
    pf_findings_init(&all);
    pf_status s = pf_check_load(&all, folder, e);
    if (s == PF_OK)
        s = add_known(f, &known, e);
    for (size_t i = 0; s == PF_OK && i < all.n; i++) {
        struct pf_finding *it = all.at[i];
        if (pf_finding_is_pair(it) && it->status == PF_STATUS_CONFIRMED &&
            !pf_finding_is_judged(it) && !it->suspicious &&
            pf_hash_map_find(&known, it->id) == PF_HASH_NONE)
            pf_vec_push(&races, it);
    }
    char *clips = pf_mem_format("%s/clips/judged", folder);
    const struct pf_fleet_races r = {
        .at = races.at, .n = races.len, .options = options, .noptions = 2, .folder = clips};
    times->all = races.len + known.len;
    pf_fleet_judge_sort(&r);
    if (s == PF_OK)
        s = pf_fleet_judge_tasks(f, &r, times, wave, room, &taken, e);
    *more = taken < races.len;
    free(clips);
    pf_vec_release(&races);
    pf_hash_map_release(&known);
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
        s = pf_tree_copy(from, pf_json_get_text(task, "destination"), e);
    json_decref(task);
    free(from);
    return s;
}

pf_status pf_fleet_judge_merge_check(struct pf_fleet *f, const struct pf_check_folder *folder,
                                     const struct pf_fleet_task *t, const char *result,
                                     struct pf_judge_times *times, struct pf_error *e)
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
        line.undecided += !pf_finding_is_judged(some.at[i]);
    }
    times->races += some.n;
    some.undecided = 0;
    pf_text_init(&text, &pool);
    pf_findings_json(&text, &some, command, 2);
    pf_check_path(path, folder->absolute, PF_CHECK_FOUND, line.step);
    if (s == PF_OK)
        s = pf_file_write(path, text.at, text.n, e);
    if (s == PF_OK)
        s = pf_check_journal_read(folder->absolute, &lines, e);
    for (size_t i = 0; i < lines.len; i++)
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
    struct pf_hash_map index; /* id of a race -> its index */
    bool *queued; /* per race: it has a verdict, or a task that has not ended */
    uint64_t *wave; /* per race: how many of its tasks were cut off before they judged it */
    /* the wave after the last one that an earlier process gave up; from there a race gets
     * PF_FLEET_ATTEMPTS further attempts */
    uint64_t before;
    struct pf_judge_times times;
};

/* Notes which races of a task have a verdict. With `open`, the others may be given to a new task;
 * otherwise they still belong to this one. */
static pf_status reopen(struct judge_work *w, const struct pf_fleet *f,
                        const struct pf_fleet_task *t, bool open, uint64_t *judged,
                        struct pf_error *e)
{
    json_t *task;
    struct pf_findings verdicts;
    char *path = pf_fleet_path(f, "done", t->id, ".findings");
    pf_findings_init(&verdicts);
    pf_status s = pf_fleet_task_read(f, t->id, &task, e);
    if (s == PF_OK && access(path, R_OK) == 0)
        s = pf_findings_read_document(&verdicts, path, NULL, e);
    const json_t *ids = json_object_get(task, "ids");
    for (size_t i = 0; s == PF_OK && i < json_array_size(ids); i++) {
        uint64_t id = strtoull(json_string_value(json_array_get(ids, i)), NULL, 16);
        const struct pf_finding *v = pf_findings_find(&verdicts, id);
        uint32_t at = pf_hash_map_find(&w->index, id);
        *judged += v && pf_finding_is_judged(v);
        if (at == PF_HASH_NONE)
            continue;
        w->queued[at] = !open || (v && pf_finding_is_judged(v));
        if (w->wave[at] <= t->wave)
            w->wave[at] = t->wave + !w->queued[at];
    }
    pf_findings_release(&verdicts);
    json_decref(task);
    free(path);
    return s;
}

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

/* Adds tasks for open races that were cut off equally often, which is their wave. */
static pf_status next_tasks(void *arg, struct pf_fleet *f, uint64_t room, bool *more,
                            struct pf_error *e)
{
    struct judge_work *w = arg;
    struct pf_fleet_races some = *w->races;
    *more = time_left(w->races) > 1;
    if (!*more)
        return PF_OK;
    some.at = pf_mem_zero(w->races->n + 1, sizeof *some.at);
    some.n = 0;
    uint64_t wave = UINT64_MAX;
    size_t taken = 0, open = 0;
    for (size_t i = 0; i < w->races->n; i++)
        if (!w->queued[i] && w->wave[i] < w->before + PF_FLEET_ATTEMPTS) {
            wave = w->wave[i] < wave ? w->wave[i] : wave;
            open++;
        }
    for (size_t i = 0; i < w->races->n; i++)
        if (!w->queued[i] && w->wave[i] == wave)
            some.at[some.n++] = w->races->at[i];
    w->times.all = w->races->n;
    pf_status s = pf_fleet_judge_tasks(f, &some, &w->times, wave, room, &taken, e);
    for (size_t i = 0; i < taken; i++)
        w->queued[pf_hash_map_find(&w->index, some.at[i]->id)] = true;
    *more = open > taken;
    free(some.at);
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
    bool cut = strcmp(pf_json_get_text(head, "ended"), PF_TASK_DONE) != 0;
    if (cut && t->wave + 1 >= w->before + PF_FLEET_ATTEMPTS)
        pf_fleet_give_up(f, t,
                         "its races were not judged within the time limit of a task "
                         "(--node-time)");
    pf_status s = take_clips(f, t, result, e);
    if (s == PF_OK)
        s = pf_tree_copy_file(from, to, e);
    if (s == PF_OK)
        s = reopen(w, f, t, cut, &w->times.races, e);
    w->times.ms += pf_json_get_number(head, "wall_ms");
    free(from);
    free(to);
    return s;
}

/* Finds out what the tasks of a continued fleet have done, and how long it took. */
static pf_status begin(struct judge_work *w, const struct pf_fleet *f, struct pf_error *e)
{
    pf_status s = PF_OK;
    pf_fleet_judge_sort(w->races);
    w->queued = pf_mem_zero(w->races->n + 1, sizeof *w->queued);
    w->wave = pf_mem_zero(w->races->n + 1, sizeof *w->wave);
    for (size_t i = 0; i < w->races->n; i++)
        pf_hash_map_add(&w->index, w->races->at[i]->id, (uint32_t)i);
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++) {
        const struct pf_fleet_task *t = &f->tasks.at[i];
        struct pf_error ignored;
        json_t *head = NULL;
        char *path = pf_fleet_path(f, "done", t->id, ".json");
        bool done = t->state == PF_FLEET_DONE;
        s = reopen(w, f, t, done, &w->times.races, e);
        if (done && pf_json_file_read(path, &head, &ignored) == PF_OK)
            w->times.ms += pf_json_get_number(head, "wall_ms");
        if (done && t->given_up && t->wave + 1 > w->before)
            w->before = t->wave + 1;
        json_decref(head);
        free(path);
    }
    return s;
}

pf_status pf_fleet_judge_run(struct pf_fleet *f, const struct pf_fleet_races *r,
                             struct pf_findings *judged, bool collect, struct pf_error *e)
{
    struct judge_work w = {.races = r};
    struct pf_fleet_work work = {.arg = &w, .next = next_tasks, .merge = merge};
    uint64_t merged;
    pf_status s = begin(&w, f, e);
    if (s == PF_OK)
        s = collect ? pf_fleet_collect(f, &work, &merged, e) : pf_fleet_run(f, &work, e);
    free(w.queued);
    free(w.wave);
    pf_hash_map_release(&w.index);
    return s == PF_OK ? read_verdicts(f, judged, e) : s;
}
