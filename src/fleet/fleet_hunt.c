/* fleet_hunt.c - see fleet_hunt.h. */
#define _GNU_SOURCE
#include "fleet_hunt.h"
#include "clip.h"
#include "duration.h"
#include "file.h"
#include "fleet_task.h"
#include "hunt_open.h"
#include "hunt_state.h"
#include "tree_copy.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_RUNS 16 /* of the first task, while the time of a run is unknown */
#define RUNS_MOST 2000

struct hunt_work {
    struct pf_fleet_hunt *h;
    uint64_t wave; /* of the next tasks */
    pf_hunt_open_list open; /* the runs from which the next tasks go on */
    uint64_t ms, runs; /* of all tasks */
    uint64_t began_ms;
    bool over;
    json_t *programs;
};

static char *folder_of(const struct pf_fleet *f) { return pf_mem_format("%s/hunt", f->state); }

/* --- tasks --- */

/* Writes the open runs to a file. */
static pf_status write_open(const pf_hunt_open_list *open, const char *folder, struct pf_error *e)
{
    char *path = pf_mem_format("%s/open", folder), *text = pf_hunt_open_text(open);
    pf_status s = pf_folder_make(folder, e);
    if (s == PF_OK)
        s = pf_file_write(path, text, strlen(text), e);
    free(path);
    free(text);
    return s;
}

/* Sends the inputs of the open runs; without open runs, the whole corpus: it may be of another
 * build of the program. */
static pf_status send_inputs(const pf_hunt_open_list *open, const char *hunt, const char *know,
                             struct pf_error *e)
{
    static const char *const whole[] = {"corpus", NULL};
    pf_status s = open->len ? PF_OK : pf_tree_copy_parts(hunt, know, whole, e);
    for (size_t i = 0; s == PF_OK && i < open->len; i++)
        s = pf_task_copy_input(hunt, know, open->at[i].input, e);
    return s;
}

static pf_status send_knowledge(struct hunt_work *w, struct pf_fleet *f, struct pf_error *e)
{
    static const char *const parts[] = {"journal", "plans", NULL};
    char *know = pf_fleet_path(f, "know", f->know + 1, ""), *hunt = folder_of(f);
    pf_status s = pf_tree_copy_parts(hunt, know, parts, e);
    if (s == PF_OK)
        s = send_inputs(&w->open, hunt, know, e);
    if (s == PF_OK)
        s = write_open(&w->open, know, e);
    f->know++;
    free(hunt);
    free(know);
    return s;
}

/* The time limit of a task: --node-time, or the rest of the hunt's time if that is less. */
static uint64_t time_of_task(const struct hunt_work *w, const struct pf_fleet *f)
{
    uint64_t spent = pf_now_ms() - w->began_ms;
    uint64_t left = spent < w->h->time_ms ? w->h->time_ms - spent : 1;
    return w->h->time_ms && left < f->limit_ms ? left : f->limit_ms;
}

/* Adds a task that goes on from these runs. */
static pf_status add_task(struct hunt_work *w, struct pf_fleet *f, const pf_hunt_open_list *part,
                          uint64_t number, uint64_t runs, struct pf_error *e)
{
    char *count = pf_mem_format("%" PRIu64, runs),
         *time = pf_mem_format("%" PRIu64 "ms", time_of_task(w, f));
    char *what = pf_mem_format("part %" PRIu64 " of wave %" PRIu64, number, w->wave + 1);
    json_t *argv = json_pack("[s,s,o,s,s,s,s,s,o]", "hunt", "--state",
                             pf_fleet_word(PF_FLEET_IN_STATE, ""), "--runs", count, "--time", time,
                             "--json", pf_fleet_word(PF_FLEET_IN_RESULT, "/findings.json"));
    for (size_t i = 0; i < w->h->noptions; i++)
        json_array_append_new(argv, json_string(w->h->options[i]));
    json_array_append_new(argv, json_string("--"));
    for (size_t i = 0; i < w->h->nwords; i++)
        json_array_append_new(argv, json_string(w->h->words[i]));
    pf_status s = pf_task_add_program(w->programs, w->h->program, e);
    char *destination = folder_of(f);
    json_t *task = json_pack("{s:o,s:O,s:I,s:s}", "argv", argv, "programs", w->programs, "know",
                             (json_int_t)f->know, "destination", destination);
    char *input = pf_fleet_path(f, "input", 0, ""), *open = pf_hunt_open_text(part);
    if (task && part->len)
        json_object_set_new(task, "part", json_string(open));
    free(open);
    if (task && access(input, R_OK) == 0)
        json_object_set_new(task, "input", json_string(input));
    free(input);
    if (s == PF_OK && !task)
        s = pf_fail(e, PF_BAD, "a word of the command line is not UTF-8");
    if (s == PF_OK)
        s = pf_fleet_task_new(f, task, what, w->wave, e);
    free(destination);
    free(what);
    free(count);
    free(time);
    return s;
}

static uint64_t runs_of_task(const struct hunt_work *w, const struct pf_fleet *f, uint64_t tasks)
{
    uint64_t n = f->batch       ? f->batch
                 : w->wave == 0 ? FIRST_RUNS
                                : PF_FLEET_TARGET_MS * (w->runs + 1) / (w->ms + 1);
    if (n > RUNS_MOST)
        n = RUNS_MOST;
    if (w->h->runs) {
        uint64_t left = (w->h->runs - w->h->made + tasks - 1) / tasks;
        n = n < left ? n : left;
    }
    return n ? n : 1;
}

/* Joins the runs that the tasks of the last wave have left open. A task without a result leaves all
 * runs of its part open. */
static pf_status join_open(struct hunt_work *w, const struct pf_fleet *f, struct pf_error *e)
{
    pf_status s = PF_OK;
    pf_hunt_open_list all = {0};
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++) {
        const struct pf_fleet_task *t = &f->tasks.at[i];
        json_t *task = NULL;
        char *path = pf_fleet_path(f, "done", t->id, ".open");
        if (t->wave + 1 == w->wave && access(path, R_OK) == 0)
            s = pf_hunt_open_read(&all, path, e);
        else if (t->wave + 1 == w->wave && (s = pf_fleet_task_read(f, t->id, &task, e)) == PF_OK)
            pf_hunt_open_parse(&all, pf_json_get_text(task, "part"));
        json_decref(task);
        free(path);
    }
    pf_hunt_open_join(&all);
    pf_hunt_open_sort(&all);
    pf_hunt_open_list_release(&w->open);
    w->open = all;
    return s;
}

/* Adds the tasks of a wave. The first wave has a single task, because the time of a run is
 * unknown. */
static pf_status add_wave(struct hunt_work *w, struct pf_fleet *f, struct pf_error *e)
{
    size_t most = w->wave ? f->ntasks : 1, n = 0;
    pf_hunt_open_list *parts = pf_mem_zero(most, sizeof *parts);
    for (size_t i = 0; i < most; i++) {
        pf_hunt_open_part(&w->open, i, most, &parts[n]);
        n += parts[n].len > 0;
    }
    if (!n)
        n = 1; /* the inputs to start from */
    uint64_t runs = runs_of_task(w, f, n);
    pf_status s = send_knowledge(w, f, e);
    for (size_t i = 0; s == PF_OK && i < n; i++)
        s = add_task(w, f, &parts[i], i + 1, runs, e);
    for (size_t i = 0; i < most; i++)
        pf_hunt_open_list_release(&parts[i]);
    free(parts);
    w->wave++;
    return s;
}

static pf_status next_tasks(void *arg, struct pf_fleet *f, uint64_t room, bool *more,
                            struct pf_error *e)
{
    struct hunt_work *w = arg;
    bool failed = false;
    (void)room;
    *more = !w->over;
    if (w->over || pf_fleet_has_open_tasks(f))
        return PF_OK;
    pf_status s = w->wave ? join_open(w, f, e) : PF_OK;
    for (size_t i = 0; i < f->tasks.len; i++)
        failed |= f->tasks.at[i].state == PF_FLEET_FAILED; /* no other task tries its part */
    w->h->finished = w->wave && !w->open.len && !failed;
    w->over = failed || w->h->finished || (w->h->runs && w->h->made >= w->h->runs) ||
              (w->h->time_ms && pf_now_ms() - w->began_ms >= w->h->time_ms);
    *more = !w->over;
    return s == PF_OK && !w->over ? add_wave(w, f, e) : s;
}

/* --- results --- */

static pf_status merge(void *arg, struct pf_fleet *f, struct pf_fleet_task *t, const json_t *head,
                       const char *result, struct pf_error *e)
{
    static const char *const parts[] = {"corpus", "clips", "found", "plans", NULL};
    struct hunt_work *w = arg;
    uint64_t added = 0;
    char *from = pf_mem_format("%s/hunt", result), *to = folder_of(f);
    pf_status s = pf_tree_copy_parts(from, to, parts, e);
    char *a = pf_mem_format("%s/findings.json", result);
    char *b = pf_fleet_path(f, "done", t->id, ".findings");
    if (s == PF_OK)
        s = pf_tree_copy_file(a, b, e);
    free(a);
    free(b);
    a = pf_mem_format("%s/open", from);
    b = pf_fleet_path(f, "done", t->id, ".open");
    if (s == PF_OK)
        s = pf_tree_copy_file(a, b, e);
    free(a);
    free(b);
    a = pf_mem_format("%s/journal", from);
    b = pf_mem_format("%s/journal", to);
    if (s == PF_OK)
        s = pf_hunt_journal_merge(a, b, &added, e);
    free(a);
    free(b);
    free(from);
    free(to);
    w->h->made += added;
    w->runs += added;
    w->ms += pf_json_get_number(head, "wall_ms");
    return s;
}

static pf_status read_results(const struct pf_fleet *f, struct pf_findings *found,
                              json_t *summaries, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++) {
        json_t *document = NULL;
        char *path = pf_fleet_path(f, "done", f->tasks.at[i].id, ".findings");
        if (f->tasks.at[i].state == PF_FLEET_DONE) {
            s = pf_findings_read_document(found, path, NULL, e);
            if (s == PF_OK)
                s = pf_json_file_read(path, &document, e);
        }
        if (document)
            json_array_append(summaries, json_object_get(document, "hunt"));
        json_decref(document);
        free(path);
    }
    return s;
}

static void count_lines(const struct pf_fleet *f, struct pf_hunt_journal_counts *c)
{
    char *folder = folder_of(f);
    pf_hunt_journal_count(folder, c);
    free(folder);
}

static uint64_t count_runs(const struct pf_fleet *f)
{
    struct pf_hunt_journal_counts c;
    count_lines(f, &c);
    return c.runs;
}

/* Finds how many runs this fleet has made before. `runs-before` has the number of runs that our
 * journal had when the fleet began. */
static pf_status count_made(const struct pf_fleet *f, uint64_t *made, struct pf_error *e)
{
    char *path = pf_fleet_path(f, "runs-before", 0, ""), *text;
    size_t n;
    uint64_t now = count_runs(f), before = now;
    pf_status s = PF_OK;
    if (access(path, F_OK)) {
        text = pf_mem_format("%" PRIu64 "\n", now);
        s = pf_file_write(path, text, strlen(text), e);
        free(text);
    } else if ((s = pf_file_read(path, &text, &n, e)) == PF_OK) {
        before = strtoull(text, NULL, 10);
        free(text);
    }
    *made = now > before ? now - before : 0;
    free(path);
    return s;
}

/* Keeps standard input as a file, because every task reads it. */
static pf_status keep_input(const struct pf_fleet *f, struct pf_error *e)
{
    char *path = pf_fleet_path(f, "input", 0, ""), *text;
    struct stat info;
    size_t n;
    pf_status s = PF_OK;
    bool has = fstat(STDIN_FILENO, &info) == 0 && (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode));
    if (has && access(path, F_OK)) {
        s = pf_file_read("/dev/stdin", &text, &n, e);
        if (s == PF_OK) {
            s = pf_file_write(path, text, n, e);
            free(text);
        }
    }
    free(path);
    return s;
}

/* A new fleet begins with the open runs of the state folder, unless they are of another build. */
static pf_status begin(struct hunt_work *w, const struct pf_fleet *f, struct pf_error *e)
{
    char *folder = folder_of(f), *journal = pf_mem_format("%s/journal", folder);
    char *open = pf_mem_format("%s/open", folder);
    uint64_t program = 0;
    pf_status s = w->wave ? PF_OK : pf_clip_hash_file(w->h->program, &program, e);
    if (s == PF_OK && !w->wave) {
        if (!pf_hunt_journal_is_of(folder, program)) {
            unlink(journal);
            unlink(open);
        }
        s = pf_hunt_open_read(&w->open, open, e);
        pf_hunt_open_join(&w->open);
        pf_hunt_open_sort(&w->open);
    }
    free(open);
    free(journal);
    free(folder);
    return s;
}

/* Writes the open runs to the state folder; a later hunt continues from them. */
static pf_status end(struct hunt_work *w, const struct pf_fleet *f, struct pf_error *e)
{
    struct pf_hunt_journal_counts c;
    char *folder = folder_of(f);
    pf_status s = w->wave ? join_open(w, f, e) : PF_OK;
    if (s == PF_OK && w->wave)
        s = write_open(&w->open, folder, e);
    count_lines(f, &c);
    w->h->inputs = c.inputs;
    w->h->sites = c.sites;
    w->h->branches = c.directions;
    free(folder);
    return s;
}

pf_status pf_fleet_hunt_run(struct pf_fleet *f, struct pf_fleet_hunt *h, struct pf_findings *found,
                            json_t *summaries, struct pf_error *e)
{
    struct hunt_work w = {.h = h, .began_ms = pf_now_ms(), .programs = json_object()};
    struct pf_fleet_work work = {.arg = &w, .next = next_tasks, .merge = merge};
    uint64_t merged;
    for (size_t i = 0; i < f->tasks.len; i++) /* of a fleet that is continued */
        if (f->tasks.at[i].wave >= w.wave)
            w.wave = f->tasks.at[i].wave + 1;
    pf_status s = begin(&w, f, e);
    if (s == PF_OK)
        s = count_made(f, &h->made, e);
    if (s == PF_OK && !h->collect)
        s = keep_input(f, e);
    if (s == PF_OK)
        s = h->collect ? pf_fleet_collect(f, &work, &merged, e) : pf_fleet_run(f, &work, e);
    if (s == PF_OK)
        s = end(&w, f, e);
    json_decref(w.programs);
    pf_hunt_open_list_release(&w.open);
    return s == PF_OK ? read_results(f, found, summaries, e) : s;
}
