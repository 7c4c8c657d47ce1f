/* check_step.c - see check_step.h. */
#define _GNU_SOURCE
#include "check_step.h"
#include "channel.h"
#include "cores.h"
#include "file.h"
#include "private_files.h"
#include "server_driver.h"
#include "text_format.h"
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 32 }; /* most words of our own in a command */

/* Restricts the process to one core, a different one for each job. Jobs take cores from the highest
 * number down, as directed mode does. */
static void choose_core(size_t slot)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) == 0)
        return;
    size_t skip = slot % (size_t)CPU_COUNT(&all);
    for (int i = CPU_SETSIZE - 1; i >= 0; i--)
        if (CPU_ISSET(i, &all) && skip-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

/* In the child, before exec. */
static pf_status prepare(const void *arg, struct pf_error *e)
{
    const struct pf_check_step *s = arg;
    const struct pf_suite_test *t = &s->settings->tests.at[s->line.test];
    pf_status status = PF_OK;
    for (size_t i = 0; i < t->nenv; i++)
        putenv((char *)t->env[i]);
    if (s->line.kind == PF_CHECK_RUN) {
        struct pf_launch launch = s->settings->launch;
        char folder[PATH_MAX], run[64];
        launch.sample = s->line.schedule;
        launch.state = s->folder->absolute;
        pf_check_path(folder, s->folder->absolute, PF_CHECK_RUNS, s->line.step);
        snprintf(run, sizeof run, PF_CHECK_RUN_NAME, (unsigned long long)s->line.step);
        status = pf_launch_environment(&launch, folder, run, e);
    } else {
        choose_core(s->slot);
    }
    return status;
}

/* In the child, instead of the program: runs it and drives it. */
static int drive(const void *arg)
{
    const struct pf_check_step *s = arg;
    char report[PATH_MAX];
    pf_check_path(report, s->folder->absolute, PF_CHECK_DRIVER, s->line.step);
    bool once = s->line.kind == PF_CHECK_RUN || s->line.kind == PF_CHECK_RECORD ||
                s->line.kind == PF_CHECK_DIRECT;
    return pf_server_driver_run(s->settings, s->command.path, s->command.argv, report, once);
}

static char *word(struct pf_check_step *s, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *text = pf_pool_get(&s->pool, n + m + 1);
    memcpy(text, a, n);
    memcpy(text + n, b, m);
    return text;
}

static char *path_word(struct pf_check_step *s, const char *format, uint64_t n)
{
    char path[PATH_MAX];
    pf_check_path(path, s->folder->absolute, format, n);
    return word(s, path, "");
}

static char *searched_word(struct pf_check_step *s)
{
    char path[PATH_MAX];
    pf_check_searched_path(path, s->folder->absolute, &s->line);
    return word(s, path, "");
}

/* OPTION followed by a number and a unit. */
static char *number_word(struct pf_check_step *s, const char *option, uint64_t v, const char *unit)
{
    char text[48];
    snprintf(text, sizeof text, "%llu%s", (unsigned long long)v, unit);
    return word(s, option, text);
}

/* The options of a batch. */
static size_t set_batch_words(struct pf_check_step *s, char **argv, size_t n)
{
    const struct pf_check_line *l = &s->line;
    argv[n++] = "--watch";
    argv[n++] = "--news";
    if (s->settings->allow_outside)
        argv[n++] = "--allow-outside";
    argv[n++] = l->late ? "--at=switch" : "--at=T0:1";
    argv[n++] = number_word(s, "--continue=", l->schedules, "");
    argv[n++] = number_word(s, "--first=", l->first, "");
    argv[n++] = word(s, "--tail=", l->schedule);
    argv[n++] = "--folder";
    argv[n++] = path_word(s, PF_CHECK_OUTPUT, l->step);
    argv[n++] = "--behaviours";
    argv[n++] = path_word(s, PF_CHECK_BEHAVIOURS, l->test);
    argv[n++] = number_word(s, "--each=", s->each_ms, "ms");
    argv[n++] = number_word(s, "--limit=", s->own_limit_ms, "ms");
    argv[n++] = "--json";
    argv[n++] = path_word(s, PF_CHECK_RAW, l->step);
    return n;
}

/* The options of a systematic search. */
static size_t set_explore_words(struct pf_check_step *s, char **argv, size_t n)
{
    const struct pf_check_line *l = &s->line;
    argv[n++] = "--clips-only";
    if (s->settings->njobs > 1)
        argv[n++] = number_word(
            s,
            "--jobs=", s->settings->njobs < PF_RESIDENT_MAX ? s->settings->njobs : PF_RESIDENT_MAX,
            "");
    if (s->settings->allow_outside)
        argv[n++] = "--allow-outside";
    argv[n++] = number_word(s, "--runs=", l->schedules, "");
    argv[n++] = number_word(s, "--time=", s->own_limit_ms, "ms");
    argv[n++] = "-o";
    argv[n++] = path_word(s, PF_CHECK_OUTPUT, l->step);
    argv[n++] = "--json";
    argv[n++] = path_word(s, PF_CHECK_RAW, l->step);
    return n;
}

/* The program with its arguments. */
static void add_command(struct pf_check_step *s, char **argv, size_t n)
{
    const struct pf_suite_test *t = &s->settings->tests.at[s->line.test];
    argv[n++] = "--";
    argv[n++] = word(s, t->path, "");
    for (char **w = t->argv + 1; *w; w++)
        argv[n++] = *w;
}

/* The options about the environment, and the program with its arguments. */
static void set_program_words(struct pf_check_step *s, char **argv, size_t n)
{
    if (s->line.hides) {
        char folder[PATH_MAX], *list;
        pf_check_path(folder, s->folder->absolute, PF_CHECK_CREATED, s->line.test);
        list = pf_private_files_list(folder);
        argv[n++] = word(s, "--patch=", list);
        free(list);
    }
    if (s->settings->keep_env)
        argv[n++] = "--keep-env";
    if (s->settings->redact)
        argv[n++] = word(s, "--redact=", s->settings->redact);
    add_command(s, argv, n);
}

static void set_words(struct pf_check_step *s, char **argv)
{
    const struct pf_check_line *l = &s->line;
    size_t n = 0;
    argv[n++] = "pf";
    argv[n++] = "--report-to";
    argv[n++] = path_word(s, PF_CHECK_REPORT, l->step);
    argv[n++] = "--cores";
    argv[n++] = pf_cores_text();
    switch (l->kind) {
    case PF_CHECK_RECORD:
    case PF_CHECK_DIRECT:
    case PF_CHECK_BATCH:
        argv[n++] = "record";
        argv[n++] = "-o";
        argv[n++] = path_word(s, PF_CHECK_CLIP, l->step);
        if (l->kind == PF_CHECK_BATCH)
            n = set_batch_words(s, argv, n);
        else
            argv[n++] = word(s, "--schedule=", l->schedule);
        set_program_words(s, argv, n);
        break;
    case PF_CHECK_EXPLORE:
        argv[n++] = "explore";
        n = set_explore_words(s, argv, n);
        set_program_words(s, argv, n);
        break;
    case PF_CHECK_HUNT:
        argv[n++] = "hunt";
        argv[n++] = "--state";
        argv[n++] = path_word(s, PF_CHECK_HUNTED, l->test);
        argv[n++] = number_word(s, "--time=", s->own_limit_ms, "ms");
        argv[n++] = "--json";
        argv[n++] = path_word(s, PF_CHECK_RAW, l->step);
        add_command(s, argv, n);
        break;
    case PF_CHECK_HATCH:
        argv[n++] = "hatch";
        if (s->settings->atomic)
            argv[n++] = word(s, "--atomic=", s->settings->atomic);
        argv[n++] = number_word(s, "--limit=", s->own_limit_ms, "ms");
        argv[n++] = "--known";
        argv[n++] = path_word(s, "/known", 0);
        argv[n++] = "-o";
        argv[n++] = path_word(s, PF_CHECK_OUTPUT, l->step);
        argv[n++] = "--json";
        argv[n++] = path_word(s, PF_CHECK_RAW, l->step);
        argv[n++] = searched_word(s);
        break;
    case PF_CHECK_JUDGE:
        argv[n++] = "judge";
        argv[n++] = "--check";
        argv[n++] = word(s, s->folder->absolute, "");
        argv[n++] = number_word(s, "--time=", s->own_limit_ms, "ms");
        argv[n++] = "-o";
        argv[n++] = path_word(s, PF_CHECK_OUTPUT, l->step);
        argv[n++] = "--json";
        argv[n++] = path_word(s, PF_CHECK_RAW, l->step);
        break;
    default:
        argv[n++] = "predict";
        argv[n++] = "--analysis=hb";
        argv[n++] = "--verify";
        argv[n++] = "--json";
        argv[n++] = path_word(s, PF_CHECK_RAW, l->step);
        argv[n++] = searched_word(s);
    }
}

pf_status pf_check_step_init(struct pf_check_step *s, const char *pf, struct pf_error *e)
{
    const struct pf_suite_test *t = &s->settings->tests.at[s->line.test];
    pf_pool_init_malloc(&s->pool);
    bool driven = s->line.kind != PF_CHECK_LOOK && (s->settings->server || s->settings->for_ms);
    s->command = (struct pf_command){.path = pf,
                                     .function = driven ? drive : NULL,
                                     .dir = t->dir,
                                     .input = t->input,
                                     .output = PF_OUTPUT_KEPT,
                                     .forwards = !driven && s->line.kind != PF_CHECK_RUN,
                                     .limit_ms = s->limit_ms,
                                     .grace_ms = s->settings->grace_ms,
                                     .kill_at_ms = s->kill_at_ms,
                                     .prepare = prepare,
                                     .arg = s};
    char folder[PATH_MAX];
    if (s->line.kind == PF_CHECK_RUN) {
        pf_check_path(folder, s->folder->absolute, PF_CHECK_RUNS, s->line.step);
        s->command.path = t->path;
        s->command.argv = t->argv;
        return pf_folder_make(folder, e);
    }
    pf_check_path(folder, s->folder->absolute, PF_CHECK_OUTPUT, s->line.step);
    if (s->line.kind == PF_CHECK_BATCH && pf_folder_make(folder, e) != PF_OK)
        return PF_IO;
    size_t n = 0;
    while (t->argv[n])
        n++;
    char **argv = pf_pool_get(&s->pool, (n + FIXED) * sizeof *argv);
    s->command.argv = argv;
    set_words(s, argv);
    return PF_OK;
}

void pf_check_step_release(struct pf_check_step *s) { pf_pool_release(&s->pool); }
