/* fleet_suite.c - see fleet_suite.h. */
#define _GNU_SOURCE
#include "fleet_suite.h"
#include "file.h"
#include "fleet_pairs.h"
#include "fleet_task.h"
#include "sample_policy.h"
#include "suite_transfer.h"
#include "task_size.h"
#include "test_line.h"
#include "tree_copy.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNKNOWN_TESTS 4 /* tests of a task, while no time is known */
#define TESTS_MOST 5000

/* A unit is a test in a round, under all policies. */
enum unit_state { UNIT_OPEN, UNIT_QUEUED, UNIT_DONE, UNIT_GIVEN_UP };

struct suite_work {
    const struct pf_fleet_suite *s;
    enum unit_state *units; /* [round * tests + test] */
    uint64_t nunits, next; /* units before `next` are not open */
    uint32_t *most; /* per unit: the most units of a task that contains it; 0: any number */
    uint8_t *tries; /* per unit: tasks with this unit alone that reached their time limit */
    uint64_t *ms; /* time of each test; 0: unknown */
    uint64_t all_ms, left_ms; /* time of all units, of the open ones */
    bool learns; /* a policy keeps function pairs (fleet_pairs.h) */
    json_t *programs;
};

static size_t ntests(const struct suite_work *w) { return w->s->settings->tests->n; }

/* --- tasks --- */

static void add_option(json_t *argv, const char *name, const char *value)
{
    json_array_append_new(argv, json_string(name));
    if (value)
        json_array_append_new(argv, json_string(value));
}

static void add_number(json_t *argv, const char *name, uint64_t value, const char *unit)
{
    char *text = pf_mem_format("%" PRIu64 "%s", value, unit);
    add_option(argv, name, text);
    free(text);
}

static json_t *command_of(const struct suite_work *w)
{
    const struct pf_suite_settings *s = w->s->settings;
    const struct pf_campaign *c = s->campaign;
    char *policies = pf_mem_copy(c->policies[0]);
    for (size_t i = 1; i < c->npolicies; i++) {
        char *longer = pf_mem_format("%s,%s", policies, c->policies[i]);
        free(policies);
        policies = longer;
    }
    json_t *argv = json_array();
    add_option(argv, "suite", NULL);
    add_option(argv, "--state", NULL);
    json_array_append_new(argv, pf_fleet_word(PF_FLEET_IN_STATE, ""));
    add_option(argv, "--sample", policies);
    add_number(argv, "--jobs", c->jobs, "");
    add_number(argv, "--limit", s->limit_ms, "ms");
    add_number(argv, "--grace", s->grace_ms, "ms");
    char *suppressions = s->launch.suppressions ? realpath(s->launch.suppressions, NULL) : NULL;
    if (suppressions)
        add_option(argv, "--suppressions", suppressions);
    if (s->launch.overhead)
        add_option(argv, "--overhead", s->launch.overhead);
    if (s->launch.strict)
        add_option(argv, "--strict", NULL);
    if (w->s->any)
        add_option(argv, "--any", NULL);
    add_option(argv, "--quiet", NULL);
    json_array_append_new(argv, pf_fleet_word("scratch", "/tests"));
    free(suppressions);
    free(policies);
    return argv;
}

/* Replaces unknown times of tests by the mean of the others. False: no time is known. */
static bool guess_times(struct suite_work *w)
{
    uint64_t known = 0, sum = 0;
    for (size_t i = 0; i < ntests(w); i++) {
        known += w->ms[i] != 0;
        sum += w->ms[i];
    }
    for (size_t i = 0; known && i < ntests(w); i++)
        if (!w->ms[i])
            w->ms[i] = sum / known;
    return known;
}

/* The time of a unit on a node, where tests run in parallel. */
static uint64_t unit_ms(const struct suite_work *w, uint64_t unit)
{
    const struct pf_campaign *c = w->s->settings->campaign;
    return w->ms[unit % ntests(w)] * c->npolicies / c->jobs;
}

/* Adds up the times of all units and of the open ones. Returns the number of open ones. */
static uint64_t add_times(struct suite_work *w)
{
    uint64_t open = 0;
    w->all_ms = w->left_ms = 0;
    for (uint64_t u = 0; u < w->nunits; u++) {
        w->all_ms += unit_ms(w, u);
        w->left_ms += w->units[u] == UNIT_OPEN ? unit_ms(w, u) : 0;
        open += w->units[u] == UNIT_OPEN;
    }
    return open;
}

/* The next units of one round that make a task. Returns how many; at most `most`. */
static size_t take_units(struct suite_work *w, const struct pf_fleet *f, uint64_t most,
                         pf_vec_u64 *units)
{
    uint64_t sum = 0, target = pf_task_target(w->all_ms, w->left_ms, f->ntasks);
    pf_vec_clear(units);
    while (w->next < w->nunits && w->units[w->next] != UNIT_OPEN)
        w->next++;
    for (uint64_t u = w->next; u < w->nunits && units->len < most; u++) {
        if (w->units[u] != UNIT_OPEN)
            continue;
        if (w->most[u] && w->most[u] < most)
            most = w->most[u];
        if (units->len >= most)
            break;
        if (units->len && u / ntests(w) != units->at[0] / ntests(w))
            break;
        if (!f->batch && units->len && !pf_task_takes(sum, unit_ms(w, u), target))
            break;
        sum += unit_ms(w, u);
        pf_vec_push(units, u);
    }
    w->left_ms -= sum;
    return units->len;
}

/* Writes the current knowledge to a new folder. */
static pf_status send_knowledge(struct suite_work *w, struct pf_fleet *f, struct pf_error *e)
{
    if (!w->learns)
        return PF_OK;
    char *know = pf_fleet_path(f, "know", f->know + 1, "");
    pf_status s = pf_folder_make(know, e);
    if (s == PF_OK)
        s = pf_fleet_pairs_copy(f->state, know, e);
    f->know++;
    free(know);
    return s;
}

static pf_status add_task(struct suite_work *w, struct pf_fleet *f, const pf_vec_u64 *units,
                          struct pf_error *e)
{
    json_t *tests = json_array(), *programs = json_object();
    char *list = NULL, what[96];
    size_t n = 0;
    pf_status s = PF_OK;
    FILE *out = pf_mem_checked(open_memstream(&list, &n));
    for (size_t i = 0; s == PF_OK && i < units->len; i++) {
        const struct pf_suite_test *t = &w->s->settings->tests->at[units->at[i] % ntests(w)];
        pf_test_line_write(out, t);
        json_array_append_new(tests, json_integer((json_int_t)(units->at[i] % ntests(w))));
        s = pf_task_add_program(w->programs, t->path, e);
        if (s == PF_OK)
            json_object_set(programs, t->path, json_object_get(w->programs, t->path));
        w->units[units->at[i]] = UNIT_QUEUED;
    }
    fclose(out);
    uint64_t round = units->at[0] / ntests(w);
    snprintf(what, sizeof what, "tests %" PRIu64 " to %" PRIu64 ", round %" PRIu64,
             units->at[0] % ntests(w) + 1, units->at[units->len - 1] % ntests(w) + 1, round + 1);
    json_t *task = json_pack("{s:o,s:o,s:o,s:s,s:I,s:I,s:b}", "argv", command_of(w), "tests", tests,
                             "programs", programs, "list", list, "round", (json_int_t)round, "know",
                             (json_int_t)f->know, "learns", w->learns);
    free(list);
    if (s == PF_OK && !task)
        s = pf_fail(e, PF_BAD, "a test of the list is not UTF-8");
    if (s != PF_OK) {
        json_decref(task);
        return s;
    }
    return pf_fleet_task_new(f, task, what, 0, e);
}

static pf_status next_tasks(void *arg, struct pf_fleet *f, uint64_t room, bool *more,
                            struct pf_error *e)
{
    struct suite_work *w = arg;
    pf_vec_u64 units = {0};
    uint64_t open = add_times(w);
    pf_status s = PF_OK;
    *more = open > 0;
    if (!open || !room)
        return PF_OK;
    s = pf_suite_times(w->s->db, w->s->settings->tests, w->ms, e);
    if (s == PF_OK)
        s = send_knowledge(w, f, e);
    uint64_t share = (open + f->ntasks - 1) / f->ntasks, /* so that every node gets a part */
        first = UNKNOWN_TESTS * w->s->settings->campaign->jobs;
    uint64_t most = f->batch         ? f->batch
                    : guess_times(w) ? TESTS_MOST
                    : share < first  ? share
                                     : first;
    (void)add_times(w);
    for (; s == PF_OK && room && take_units(w, f, most, &units); room--)
        s = add_task(w, f, &units, e);
    pf_vec_release(&units);
    return s;
}

/* --- results --- */

static void set_units(struct suite_work *w, const json_t *task, enum unit_state from,
                      enum unit_state to)
{
    const json_t *tests = json_object_get(task, "tests");
    uint64_t round = pf_json_get_number(task, "round");
    for (size_t i = 0; i < json_array_size(tests); i++) {
        uint64_t u = round * ntests(w) + (uint64_t)json_integer_value(json_array_get(tests, i));
        if (u < w->nunits && w->units[u] == from)
            w->units[u] = to;
        if (u < w->next)
            w->next = u;
    }
}

/* Marks the units that are done. */
static pf_status update_done(struct suite_work *w, struct pf_error *e)
{
    const struct pf_campaign *c = w->s->settings->campaign;
    bool *done = pf_mem_zero(w->nunits * c->npolicies, sizeof *done);
    pf_status s = pf_suite_db_done(w->s->db, w->s->campaign, c, ntests(w), done, e);
    for (uint64_t u = 0; s == PF_OK && u < w->nunits; u++) {
        bool all = true;
        for (size_t p = 0; p < c->npolicies; p++)
            all &= done[u * c->npolicies + p];
        if (all)
            w->units[u] = UNIT_DONE;
    }
    free(done);
    return s;
}

/* A task reached its time limit before any of its tests ended. Halves the tasks of these tests, so
 * that a test that hangs is soon alone. Gives it up when it was alone PF_FLEET_ATTEMPTS times. */
static void halve(struct suite_work *w, const struct pf_fleet *f, struct pf_fleet_task *t,
                  const uint64_t *tests, size_t n, uint64_t round)
{
    for (size_t i = 0; i < n; i++)
        w->most[round * ntests(w) + tests[i]] = (uint32_t)(n + 1) / 2;
    uint64_t u = round * ntests(w) + tests[0];
    if (n > 1 || ++w->tries[u] < PF_FLEET_ATTEMPTS)
        return;
    w->units[u] = UNIT_GIVEN_UP;
    pf_fleet_give_up(f, t, "its test did not end within the time limit of a task (--node-time)");
}

static pf_status merge(void *arg, struct pf_fleet *f, struct pf_fleet_task *t, const json_t *head,
                       const char *result, struct pf_error *e)
{
    struct suite_work *w = arg;
    json_t *task;
    pf_status s = pf_fleet_task_read(f, t->id, &task, e);
    if (s != PF_OK)
        return s;
    const json_t *list = json_object_get(task, "tests");
    uint64_t *tests = pf_mem_zero(json_array_size(list) + 1, sizeof *tests);
    for (size_t i = 0; i < json_array_size(list); i++)
        tests[i] = (uint64_t)json_integer_value(json_array_get(list, i));
    struct pf_suite_import how = {.campaign = w->s->campaign,
                                  .source = f->name,
                                  .task = t->id,
                                  .tests = tests,
                                  .ntests = json_array_size(list),
                                  .round = pf_json_get_number(task, "round")};
    struct pf_suite_imported added = {0};
    char *journal = pf_mem_format("%s/journal", result);
    char *document = pf_mem_format("%s/findings.json", result);
    s = pf_suite_import(w->s->db, &how, journal, document, &added, e);
    if (s == PF_OK)
        s = pf_fleet_pairs_return(NULL, result, f->state, e);
    w->s->result->executions += added.executions;
    w->s->result->failed += added.failed;
    w->s->result->watched += added.watched;
    w->s->result->empty += added.empty;
    const struct pf_campaign *c = w->s->settings->campaign;
    bool whole = added.executions == how.ntests * c->npolicies;
    if (s == PF_OK && whole)
        set_units(w, task, UNIT_QUEUED, UNIT_DONE);
    if (s == PF_OK && !whole)
        s = update_done(w, e);
    if (s == PF_OK && !whole) /* the task was cut off: other tasks run the rest */
        set_units(w, task, UNIT_QUEUED, UNIT_OPEN);
    if (s == PF_OK && !added.executions && !strcmp(pf_json_get_text(head, "ended"), PF_TASK_LIMIT))
        halve(w, f, t, tests, how.ntests, how.round);
    free(journal);
    free(document);
    free(tests);
    json_decref(task);
    return s;
}

static pf_status begin_merges(void *arg, struct pf_error *e)
{
    const struct suite_work *w = arg;
    return pf_suite_import_begin(w->s->db, e);
}

static pf_status commit_merges(void *arg, struct pf_error *e)
{
    const struct suite_work *w = arg;
    return pf_suite_import_commit(w->s->db, e);
}

static void failed(void *arg, struct pf_fleet *f, const struct pf_fleet_task *t)
{
    struct pf_error ignored;
    json_t *task;
    if (pf_fleet_task_read(f, t->id, &task, &ignored) == PF_OK) {
        set_units(arg, task, UNIT_QUEUED, UNIT_GIVEN_UP);
        json_decref(task);
    }
}

/* --- begin and end --- */

static pf_status begin(struct suite_work *w, struct pf_fleet *f, struct pf_error *e)
{
    const struct pf_campaign *c = w->s->settings->campaign;
    w->nunits = c->rounds * ntests(w);
    w->units = pf_mem_zero(w->nunits, sizeof *w->units);
    w->most = pf_mem_zero(w->nunits, sizeof *w->most);
    w->tries = pf_mem_zero(w->nunits, sizeof *w->tries);
    w->ms = pf_mem_zero(ntests(w), sizeof *w->ms);
    w->programs = json_object();
    for (size_t i = 0; i < c->npolicies; i++)
        w->learns |= pf_sample_keeps_state(c->policies[i]);
    pf_status s = update_done(w, e);
    for (size_t i = 0; s == PF_OK && i < f->tasks.len; i++) { /* tasks of a continued fleet */
        json_t *task;
        if (f->tasks.at[i].state == PF_FLEET_DONE)
            continue;
        s = pf_fleet_task_read(f, f->tasks.at[i].id, &task, e);
        if (s == PF_OK)
            set_units(w, task, UNIT_OPEN, UNIT_QUEUED);
        json_decref(task);
    }
    return s;
}

static void release(struct suite_work *w)
{
    w->s->result->finished = true;
    for (uint64_t u = 0; w->units && u < w->nunits; u++)
        w->s->result->finished &= w->units[u] == UNIT_DONE;
    free(w->units);
    free(w->most);
    free(w->tries);
    free(w->ms);
    json_decref(w->programs);
}

pf_status pf_fleet_suite_run(struct pf_fleet *f, const struct pf_fleet_suite *suite,
                             struct pf_error *e)
{
    struct suite_work w = {.s = suite};
    struct pf_fleet_work work = {.arg = &w,
                                 .next = next_tasks,
                                 .merge = merge,
                                 .begin = begin_merges,
                                 .commit = commit_merges,
                                 .failed = failed};
    pf_status s = begin(&w, f, e);
    if (s == PF_OK)
        s = pf_fleet_run(f, &work, e);
    release(&w);
    return s;
}

pf_status pf_fleet_suite_collect(struct pf_fleet *f, const struct pf_fleet_suite *suite,
                                 uint64_t *merged, struct pf_error *e)
{
    struct suite_work w = {.s = suite};
    struct pf_fleet_work work = {
        .arg = &w, .merge = merge, .begin = begin_merges, .commit = commit_merges};
    pf_status s = begin(&w, f, e);
    if (s == PF_OK)
        s = pf_fleet_collect(f, &work, merged, e);
    release(&w);
    return s;
}
