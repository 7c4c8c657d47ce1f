/* fleet_check.c - see fleet_check.h. */
#define _GNU_SOURCE
#include "fleet_check.h"
#include "behaviour_sets.h"
#include "check_chain.h"
#include "check_knowledge.h"
#include "check_rounds.h"
#include "duration.h"
#include "file.h"
#include "fleet_judge.h"
#include "fleet_pairs.h"
#include "fleet_task.h"
#include "task_size.h"
#include "test_line.h"
#include "tree_copy.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAG 2 /* wave n has the knowledge of the waves up to n - LAG */
#define GROUP_MOST 16 /* tests of a task */
#define UNLIMITED 1000000
#define LEAST_MS 1000 /* no task is made for less time than this */

struct check_work {
    const struct pf_check_settings *s;
    const struct pf_check_folder *folder;
    int argc;
    char **argv; /* the command line, without the options that each task sets */
    uint64_t group_size, ngroups;
    bool *started; /* per group: its first round is merged */
    uint8_t *stuck; /* per group: how many of its last tasks ended no round within their limit */
    char *input; /* file used as standard input; NULL: none */
    bool *complete; /* per test */
    pf_check_pieces pieces; /* still to be run */
    uint64_t wave; /* of the next tasks */
    uint64_t round_ms, rounds_done; /* rounds of groups that are done: total time, number */
    uint64_t began_ms;
    bool judges; /* all rounds are done: tasks judge races */
    bool judged; /* all tasks that judge races exist */
    struct pf_judge_times times;
    bool failed;
    json_t *programs;
};

/* --- the folder --- */

pf_status pf_fleet_check_folder(struct pf_fleet *f, struct pf_check_folder *folder,
                                const struct pf_check_settings *settings, int argc, char **argv,
                                struct pf_error *e)
{
    char *link = pf_fleet_path(f, "check", 0, ""), *path = NULL;
    size_t n;
    pf_status s;
    *folder = (struct pf_check_folder){.lock = -1};
    if (access(link, F_OK) == 0) {
        s = pf_file_read(link, &path, &n, e);
        if (s == PF_OK)
            s = pf_check_folder_open(folder, path, e);
        free(path);
    } else {
        s = pf_check_folder_new(folder, f->state, settings, argc, argv, e);
        if (s == PF_OK)
            s = pf_file_write(link, folder->absolute, strlen(folder->absolute), e);
    }
    free(link);
    return s;
}

/* --- knowledge --- */

struct wanted_waves {
    const struct pf_fleet *f;
    uint64_t before; /* tasks of earlier waves count */
};

static bool is_wanted(void *arg, uint64_t step)
{
    const struct wanted_waves *w = arg;
    uint64_t id = step / PF_CHECK_STRIDE;
    for (size_t i = 0; i < w->f->tasks.len; i++)
        if (w->f->tasks.at[i].id == id)
            return w->f->tasks.at[i].wave < w->before;
    return true; /* a step of a local process that has continued the check */
}

/* The file of behaviours that a task has returned. It is kept for the knowledge of later waves. */
static char *behaviours_of(const struct pf_fleet *f, uint64_t id, uint64_t test)
{
    return pf_mem_format("%s/know/task-%" PRIu64 "-%" PRIu64, f->folder, id, test);
}

static pf_status add_behaviours(const struct check_work *w, const struct pf_fleet *f,
                                uint64_t before, const char *know, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++)
        for (uint64_t t = 0; s == PF_OK && f->tasks.at[i].wave < before && t < w->s->tests.n; t++) {
            char to[PATH_MAX], *from = behaviours_of(f, f->tasks.at[i].id, t);
            pf_check_path(to, know, PF_CHECK_BEHAVIOURS, t);
            if (access(from, R_OK) == 0)
                s = pf_behaviours_add(from, to, e);
            free(from);
        }
    return s;
}

/* Writes a new folder of knowledge for the tasks of this wave. */
static pf_status send_knowledge(const struct check_work *w, struct pf_fleet *f, struct pf_error *e)
{
    struct wanted_waves wanted = {f, w->wave + 1 > LAG ? w->wave + 1 - LAG : 0};
    char *know = pf_fleet_path(f, "know", f->know + 1, "");
    char *from = pf_mem_format("%s/from", w->folder->absolute);
    char *to = pf_mem_format("%s/from", know);
    pf_tree_remove(know); /* left by a process that was killed */
    pf_status s = pf_check_knowledge_write(w->folder->absolute, know, is_wanted, &wanted, e);
    if (s == PF_OK)
        s = add_behaviours(w, f, wanted.before, know, e);
    if (s == PF_OK)
        s = pf_fleet_pairs_copy(w->folder->absolute, know, e);
    if (s == PF_OK && access(from, R_OK) == 0)
        s = pf_tree_copy_file(from, to, e);
    f->know++;
    free(know);
    free(from);
    free(to);
    return s;
}

/* --- tasks --- */

/* The plan of the check on the node: the command line, with the seeds of this task. */
static json_t *plan_of(const struct check_work *w, const struct pf_fleet *f,
                       const struct pf_check_piece *p, uint64_t id, uint64_t build, bool explores)
{
    char *seed =
        pf_mem_format("--seed=%" PRIu64, w->s->first_seed + p->round * PF_CHAIN_BATCH_MOST);
    json_t *argv = json_array(), *words = json_array();
    for (int i = 0; i < w->argc; i++) {
        json_array_append_new(argv, json_string(w->argv[i]));
        if (i == 0)
            json_array_append_new(argv, json_string(seed));
    }
    for (int i = 0; i < w->s->nwords; i++)
        json_array_append_new(words, json_string(w->s->words[i]));
    free(seed);
    return json_pack("{s:i,s:o,s:o,s:s,s:o,s:{s:I,s:I,s:b}}", "version", 1, "argv", argv, "words",
                     words, "folder", f->cwd, "build", pf_json_hex(build), "part", "first",
                     (json_int_t)(id * PF_CHECK_STRIDE), "round", (json_int_t)p->round, "explores",
                     explores);
}

/* The part of the time budget that is left; UINT64_MAX: `--runs` alone limits the check. */
static uint64_t left_ms(const struct check_work *w)
{
    uint64_t spent = pf_now_ms() - w->began_ms;
    if (w->s->rounds && !w->s->time)
        return UINT64_MAX;
    return spent < w->s->time_ms ? w->s->time_ms - spent : 0;
}

static json_t *command_of(const struct pf_fleet *f, const struct check_work *w, uint64_t rounds)
{
    uint64_t left = left_ms(w), ms = left < f->limit_ms ? left : f->limit_ms;
    char *runs = pf_mem_format("%" PRIu64, rounds), *time = pf_mem_format("%" PRIu64 "ms", ms);
    char *jobs = pf_mem_format("%" PRIu64, w->s->njobs);
    json_t *argv =
        json_pack("[s,s,s,o,s,s,s,s,s,s,s,s,o]", "check", "--continue", "--state",
                  pf_fleet_word(PF_FLEET_IN_STATE, ""), "--runs", runs, "--time", time, "--jobs",
                  jobs, "--quiet", "--json", pf_fleet_word(PF_FLEET_IN_RESULT, "/findings.json"));
    free(runs);
    free(time);
    free(jobs);
    return argv;
}

static pf_status add_task(struct check_work *w, struct pf_fleet *f, const struct pf_check_piece *p,
                          bool explores, struct pf_error *e)
{
    json_t *tests = json_array(), *programs = json_object();
    char *list = NULL, what[128];
    size_t n = 0;
    uint64_t build = 0, id = f->tasks.len ? f->tasks.at[f->tasks.len - 1].id + 1 : 1;
    uint64_t first = p->group * w->group_size, last = first + w->group_size;
    pf_status s = PF_OK;
    if (last > w->s->tests.n)
        last = w->s->tests.n;
    FILE *out = pf_mem_checked(open_memstream(&list, &n));
    for (uint64_t i = first; s == PF_OK && i < last; i++) {
        const struct pf_suite_test *t = &w->s->tests.at[i];
        if (w->s->suite)
            pf_test_line_write(out, t);
        json_array_append_new(tests, json_integer((json_int_t)i));
        s = pf_task_add_program(w->programs, t->path, e);
        json_object_set(programs, t->path, json_object_get(w->programs, t->path));
        build = (build ^ pf_json_from_hex(w->programs, t->path)) * 0x100000001b3ull;
    }
    fclose(out);
    int length = snprintf(what, sizeof what, "rounds %" PRIu64 " to %" PRIu64, p->round + 1,
                          p->round + p->rounds);
    if (w->s->suite)
        snprintf(what + length, sizeof what - (size_t)length, " of tests %" PRIu64 " to %" PRIu64,
                 first + 1, last);
    json_t *task = json_pack(
        "{s:o,s:o,s:o,s:o,s:s,s:I,s:I,s:I,s:I}", "argv", command_of(f, w, p->rounds), "plan",
        plan_of(w, f, p, id, build, explores), "tests", tests, "programs", programs, "list", list,
        "group", (json_int_t)p->group, "round", (json_int_t)p->round, "rounds",
        (json_int_t)p->rounds, "know", (json_int_t)f->know);
    if (task && w->input)
        json_object_set_new(task, "input", json_string(w->input));
    free(list);
    if (s == PF_OK && !task)
        s = pf_fail(e, PF_BAD, "a word of the command line is not UTF-8");
    if (s != PF_OK) {
        json_decref(task);
        return s;
    }
    return pf_fleet_task_new(f, task, what, w->wave, e);
}

/* How many rounds the next task gets. */
static uint64_t rounds_of_task(const struct check_work *w, const struct pf_fleet *f,
                               const struct pf_check_piece *p, uint64_t wave_size)
{
    if (p->round == 0)
        return 1; /* all other tasks need its findings */
    uint64_t left = 0, all = w->ngroups * (w->s->rounds ? w->s->rounds : UNLIMITED);
    for (size_t i = 0; i < w->pieces.len; i++)
        left += w->pieces.at[i].rounds;
    uint64_t n = f->batch ? f->batch
                 : !w->rounds_done
                     ? 1
                     : pf_task_units(w->round_ms, w->rounds_done, all, left, wave_size);
    return n > p->rounds ? p->rounds : n;
}

static bool is_complete(const struct check_work *w, uint64_t group)
{
    bool all = true;
    for (uint64_t i = group * w->group_size; i < w->s->tests.n && i < (group + 1) * w->group_size;
         i++)
        all &= w->complete[i];
    return all && !w->s->rounds;
}

/* The next piece that can run: round 0 of a group, or later rounds of a group whose round 0 is
 * merged. SIZE_MAX: none. */
static size_t find_piece(struct check_work *w)
{
    for (size_t i = 0; i < w->pieces.len; i++) {
        const struct pf_check_piece *p = &w->pieces.at[i];
        if (is_complete(w, p->group))
            w->pieces.at[i--] = w->pieces.at[--w->pieces.len];
        else if (p->round == 0 || w->started[p->group])
            return i;
    }
    return SIZE_MAX;
}

/* True if all waves whose knowledge this wave needs are merged. */
static bool is_known(const struct check_work *w, const struct pf_fleet *f)
{
    for (size_t i = 0; i < f->tasks.len; i++) {
        const struct pf_fleet_task *t = &f->tasks.at[i];
        if (t->wave + LAG <= w->wave && t->state != PF_FLEET_DONE && t->state != PF_FLEET_FAILED)
            return false;
    }
    return true;
}

static pf_status next_tasks(void *arg, struct pf_fleet *f, uint64_t room, bool *more,
                            struct pf_error *e)
{
    struct check_work *w = arg;
    uint64_t size = f->ntasks > 1 ? f->ntasks / LAG : 1;
    bool over = left_ms(w) < LEAST_MS || w->pieces.len == 0;
    pf_status s = PF_OK;
    *more = !over || !w->judged;
    w->judges |= over && !pf_fleet_has_open_tasks(f);
    if (w->judges) {
        w->judged |= w->s->server || w->s->for_ms;
        if (!w->judged && room) {
            s = pf_fleet_judge_check(f, w->folder->absolute, &w->times, w->wave + 1, room, more, e);
            w->judged = !*more;
        }
        *more = !w->judged;
        return s;
    }
    if (over || room < size || !is_known(w, f))
        return PF_OK;
    bool *explores = pf_mem_zero(w->ngroups + 1, sizeof *explores);
    uint64_t made = 0;
    for (size_t i; s == PF_OK && made < size && (i = find_piece(w)) != SIZE_MAX; made++) {
        struct pf_check_piece *p = &w->pieces.at[i], part = *p;
        part.rounds = rounds_of_task(w, f, p, size);
        if (made == 0)
            s = send_knowledge(w, f, e);
        if (s == PF_OK)
            s = add_task(w, f, &part, w->wave % LAG == 0 && !explores[p->group], e);
        explores[p->group] = true;
        p->round += part.rounds;
        p->rounds -= part.rounds;
        if (!p->rounds)
            w->pieces.at[i] = w->pieces.at[--w->pieces.len];
    }
    w->wave += made > 0;
    free(explores);
    return s;
}

/* --- results --- */

/* Adds the lines of a task's journal that the folder does not have. */
static pf_status add_lines(struct check_work *w, const char *from, uint64_t *last_round,
                           struct pf_error *e)
{
    struct pf_check_lines lines, old;
    pf_status s = pf_check_journal_read(w->folder->absolute, &old, e);
    if (s == PF_OK)
        s = pf_check_journal_read(from, &lines, e);
    for (size_t i = 0; s == PF_OK && i < lines.len; i++) {
        bool known = false;
        char a[PATH_MAX], b[PATH_MAX];
        for (size_t k = 0; k < old.len && !known; k++)
            known = old.at[k].step == lines.at[i].step;
        pf_check_path(a, from, PF_CHECK_EXPLORATION, lines.at[i].step);
        pf_check_path(b, w->folder->absolute, PF_CHECK_EXPLORATION, lines.at[i].step);
        if (access(a, R_OK) == 0)
            s = pf_tree_copy_file(a, b, e);
        if (s == PF_OK && !known)
            s = pf_check_journal_add(w->folder, &lines.at[i], e);
        if (lines.at[i].round > *last_round)
            *last_round = lines.at[i].round;
        if (lines.at[i].complete && lines.at[i].test < w->s->tests.n)
            w->complete[lines.at[i].test] = true;
    }
    if (s == PF_OK)
        free(lines.at);
    free(old.at);
    return s;
}

static pf_status take_behaviours(const struct check_work *w, const struct pf_fleet *f, uint64_t id,
                                 const char *from, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (uint64_t t = 0; s == PF_OK && t < w->s->tests.n; t++) {
        char a[PATH_MAX], b[PATH_MAX];
        pf_check_path(a, from, PF_CHECK_BEHAVIOURS, t);
        pf_check_path(b, w->folder->absolute, PF_CHECK_BEHAVIOURS, t);
        if (access(a, R_OK))
            continue;
        char *kept = behaviours_of(f, id, t);
        s = pf_behaviours_add(a, b, e);
        if (s == PF_OK)
            s = pf_tree_copy_file(a, kept, e);
        free(kept);
    }
    return s;
}

/* The task was cut off after `done` of its rounds. A further task runs the others. Round 0 is
 * given up when it reaches the time limit; other rounds, when PF_FLEET_ATTEMPTS tasks in a row
 * reached it before any of their rounds had ended. */
static void add_rest(struct check_work *w, const struct pf_fleet *f, struct pf_fleet_task *t,
                     const struct pf_check_piece *p, uint64_t done, bool limit)
{
    w->stuck[p->group] = limit && !done ? w->stuck[p->group] + 1 : 0;
    if (limit && p->round == 0) {
        w->failed = true;
        pf_fleet_give_up(f, t,
                         "its first round did not end within the time limit of a task "
                         "(--node-time)");
    } else if (w->stuck[p->group] >= PF_FLEET_ATTEMPTS) {
        w->failed = true;
        pf_fleet_give_up(f, t, "no round ended within the time limit of a task (--node-time)");
    } else if (done < p->rounds) {
        pf_vec_push(&w->pieces,
                    (struct pf_check_piece){p->group, p->round + done, p->rounds - done});
    }
}

/* Updates what is left to do after the result of a task. `last` is the last round in it, which was
 * cut off if the task was. */
static void update_pieces(struct check_work *w, const struct pf_fleet *f, struct pf_fleet_task *t,
                          const json_t *task, const json_t *head, uint64_t last)
{
    const struct pf_check_piece p = {pf_json_get_number(task, "group"),
                                     pf_json_get_number(task, "round"),
                                     pf_json_get_number(task, "rounds")};
    const char *ended = pf_json_get_text(head, "ended");
    bool cut = strcmp(ended, PF_TASK_DONE) != 0, limit = !strcmp(ended, PF_TASK_LIMIT);
    if (p.group >= w->ngroups)
        return;
    w->started[p.group] |= p.round > 0 || !cut || limit;
    w->round_ms += pf_json_get_number(head, "wall_ms");
    w->rounds_done += p.rounds;
    if (cut)
        add_rest(w, f, t, &p, last > p.round ? last - p.round : 0, limit);
}

static pf_status merge(void *arg, struct pf_fleet *f, struct pf_fleet_task *t, const json_t *head,
                       const char *result, struct pf_error *e)
{
    static const char *const parts[] = {".runs", "clips", "found", NULL};
    struct check_work *w = arg;
    char *from = pf_mem_format("%s/check", result);
    json_t *task;
    uint64_t last = 0;
    if (!strcmp(pf_json_get_text(head, "verb"), "judge")) {
        free(from);
        w->times.ms += pf_json_get_number(head, "wall_ms");
        return pf_fleet_judge_merge_check(f, w->folder, t, result, &w->times, e);
    }
    pf_status s = pf_fleet_task_read(f, t->id, &task, e);
    if (s != PF_OK) {
        free(from);
        return s;
    }
    s = pf_tree_copy_parts(from, w->folder->absolute, parts, e);
    if (s == PF_OK)
        s = take_behaviours(w, f, t->id, from, e);
    if (s == PF_OK)
        s = pf_fleet_pairs_return(NULL, from, w->folder->absolute, e);
    if (s == PF_OK)
        s = add_lines(w, from, &last, e);
    if (s == PF_OK)
        update_pieces(w, f, t, task, head, last);
    json_decref(task);
    free(from);
    return s;
}

static void failed(void *arg, struct pf_fleet *f, const struct pf_fleet_task *t)
{
    struct check_work *w = arg;
    struct pf_error ignored;
    json_t *task;
    w->failed = true;
    if (pf_fleet_task_read(f, t->id, &task, &ignored) != PF_OK)
        return;
    /* without its first round, a group cannot go on */
    for (size_t i = 0; pf_json_get_number(task, "round") == 0 && i < w->pieces.len; i++)
        if (w->pieces.at[i].group == pf_json_get_number(task, "group"))
            w->pieces.at[i--] = w->pieces.at[--w->pieces.len];
    json_decref(task);
}

/* --- begin and end --- */

/* Reads how a merged task ended, and the last round in its result. */
static bool was_cut(const struct pf_fleet *f, uint64_t id, const struct pf_check_lines *lines,
                    uint64_t *last)
{
    struct pf_error ignored;
    json_t *head;
    char *path = pf_fleet_path(f, "done", id, ".json");
    bool cut = pf_json_file_read(path, &head, &ignored) == PF_OK &&
               strcmp(pf_json_get_text(head, "ended"), PF_TASK_DONE) != 0;
    *last = 0;
    for (size_t i = 0; cut && i < lines->len; i++)
        if (lines->at[i].step / PF_CHECK_STRIDE == id && lines->at[i].round > *last)
            *last = lines->at[i].round;
    json_decref(head);
    free(path);
    return cut;
}

/* Adds the rounds that a task has done or will do. */
static pf_status add_covered(struct check_work *w, const struct pf_fleet *f,
                             const struct pf_fleet_task *t, const struct pf_check_lines *lines,
                             pf_check_pieces *covered, struct pf_error *e)
{
    json_t *task;
    uint64_t last;
    pf_status s = pf_fleet_task_read(f, t->id, &task, e);
    if (s != PF_OK)
        return s;
    struct pf_check_piece p = {pf_json_get_number(task, "group"), pf_json_get_number(task, "round"),
                               pf_json_get_number(task, "rounds")};
    if (!strcmp(pf_json_get_text(task, "verb"), "judge")) {
        w->judges = true;
    } else if (p.group < w->ngroups) {
        if (t->state == PF_FLEET_DONE && was_cut(f, t->id, lines, &last))
            p.rounds = last > p.round ? last - p.round : 0;
        pf_vec_push(covered, p);
        w->started[p.group] |= t->state == PF_FLEET_DONE && p.rounds;
        free(w->input);
        w->input = pf_mem_copy(json_string_value(json_object_get(task, "input")));
    }
    if (t->wave >= w->wave)
        w->wave = t->wave + 1;
    json_decref(task);
    return PF_OK;
}

/* Finds the rounds that the tasks of the fleet do not cover yet. */
static pf_status find_pieces(struct check_work *w, const struct pf_fleet *f, struct pf_error *e)
{
    pf_check_pieces covered = {0};
    struct pf_check_lines lines = {0};
    uint64_t rounds = w->s->rounds ? w->s->rounds : UNLIMITED;
    pf_status s = f->tasks.len ? pf_check_journal_read(w->folder->absolute, &lines, e) : PF_OK;
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++)
        s = add_covered(w, f, &f->tasks.at[i], &lines, &covered, e);
    if (s == PF_OK && !w->judges)
        pf_check_pieces_left(&w->pieces, &covered, w->ngroups, rounds);
    free(lines.at);
    pf_vec_release(&covered);
    return s;
}

pf_status pf_fleet_check_run(struct pf_fleet *f, const struct pf_check_settings *settings,
                             const struct pf_check_folder *folder, int argc, char **argv,
                             bool collect, bool *finished, struct pf_error *e)
{
    struct check_work w = {.s = settings,
                           .folder = folder,
                           .argc = argc,
                           .argv = argv,
                           .began_ms = pf_now_ms(),
                           .programs = json_object()};
    struct pf_fleet_work work = {.arg = &w, .next = next_tasks, .merge = merge, .failed = failed};
    uint64_t n = settings->tests.n, merged;
    w.group_size = (n + f->ntasks - 1) / f->ntasks;
    if (w.group_size > GROUP_MOST)
        w.group_size = GROUP_MOST;
    w.ngroups = (n + w.group_size - 1) / w.group_size;
    w.started = pf_mem_zero(w.ngroups + 1, sizeof *w.started);
    w.complete = pf_mem_zero(n, sizeof *w.complete);
    w.stuck = pf_mem_zero(w.ngroups + 1, sizeof *w.stuck);
    w.input = pf_mem_copy(settings->input); /* a continued fleet keeps the input of its tasks */
    pf_status s = find_pieces(&w, f, e);
    if (s == PF_OK)
        s = collect ? pf_fleet_collect(f, &work, &merged, e) : pf_fleet_run(f, &work, e);
    *finished = s == PF_OK && !f->signal && !w.failed && !pf_fleet_has_open_tasks(f) && w.judged;
    pf_vec_release(&w.pieces);
    free(w.started);
    free(w.complete);
    free(w.stuck);
    free(w.input);
    json_decref(w.programs);
    return s;
}
