/*
 * check_settings.c - see check_settings.h.
 */
#define _GNU_SOURCE
#include "check_settings.h"
#include "clip.h"
#include "command.h"
#include "duration.h"
#include "file.h"
#include "foreign.h"
#include "program.h"
#include "state_limit.h"
#include "textbuf.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_TIME_MS 60000

static pf_status number(const char *option, const char *text, uint64_t most, uint64_t *v,
                        struct pf_error *e)
{
    char *end;
    *v = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || *v < 1 || *v > most)
        return pf_fail(e, PF_BAD, "--%s=%s: expected a number from 1 to %llu", option, text,
                       (unsigned long long)most);
    return PF_OK;
}

static pf_status duration(const char *option, const char *text, uint64_t *ms, struct pf_error *e)
{
    pf_status s = pf_duration_option(option, text, ms, e);
    return s != PF_OK || *ms ? s : pf_fail(e, PF_BAD, "--%s=%s: must not be 0", option, text);
}

static pf_status read_numbers(struct pf_check_settings *p, struct pf_error *e)
{
    pf_status s = PF_OK;
    p->time_ms = DEFAULT_TIME_MS;
    p->grace_ms = PF_GRACE_PROGRAM_MS;
    p->njobs = p->first_seed = 1;
    p->keep_bytes = PF_STATE_LIMIT_DEFAULT;
    if (p->keep && !pf_state_limit_parse(p->keep, &p->keep_bytes))
        return pf_fail(e, PF_BAD, "--keep=%s: expected a size such as 500M or 2G", p->keep);
    if (p->time)
        s = duration("time", p->time, &p->time_ms, e);
    if (s == PF_OK && p->grace)
        s = duration("grace", p->grace, &p->grace_ms, e);
    if (s == PF_OK && p->run_for)
        s = duration("for", p->run_for, &p->for_ms, e);
    if (s == PF_OK && p->runs)
        s = number("runs", p->runs, 1000000, &p->rounds, e);
    if (s == PF_OK && p->seed)
        s = number("seed", p->seed, 1000000000, &p->first_seed, e);
    if (s == PF_OK && p->jobs)
        s = number("jobs", p->jobs, PF_CHECK_JOBS_MAX, &p->njobs, e);
    return s;
}

/* Makes a list of one test from the program of the command line. */
static pf_status use_program(struct pf_check_settings *p, struct pf_error *e)
{
    struct pf_suite_list *l = &p->tests;
    struct pf_text t;
    l->at = pf_pool_get(&l->pool, sizeof *l->at);
    pf_text_init(&t, &l->pool);
    for (int i = 0; i < p->nwords; i++) {
        pf_text_add(&t, i ? " " : "");
        pf_text_add(&t, p->words[i]);
    }
    pf_text_char(&t, 0);
    *l->at = (struct pf_suite_test){.name = t.at,
                                    .command = t.at,
                                    .argv = p->words,
                                    .status = PF_ANY_STATUS,
                                    .input = p->input};
    l->n = l->cap = 1;
    char *path;
    pf_status s = pf_program_find(p->words[0], &path, e);
    if (s != PF_OK)
        return s;
    l->at->path = pf_pool_text(&l->pool, path, strlen(path));
    free(path);
    return p->any ? PF_OK : pf_program_check(l->at->path, true, e);
}

static pf_status read_suite(struct pf_check_settings *p, struct pf_error *e)
{
    char *text;
    size_t n;
    pf_status s = pf_file_read(p->suite, &text, &n, e);
    if (s != PF_OK)
        return s;
    s = pf_suite_list_parse(&p->tests, p->suite, text, n, e);
    free(text);
    if (s == PF_OK)
        s = pf_suite_list_find(&p->tests, p->suite, p->any, e);
    if (s == PF_OK && !p->tests.n)
        s = pf_fail(e, PF_BAD, "%s: has no tests", p->suite);
    return s;
}

static pf_status hash_programs(struct pf_check_settings *p, struct pf_error *e)
{
    for (size_t i = 0; i < p->tests.n; i++) {
        uint64_t hash;
        pf_status s = pf_clip_hash_file(p->tests.at[i].path, &hash, e);
        if (s != PF_OK)
            return s;
        p->build = (p->build ^ hash) * 0x100000001b3ull;
    }
    return PF_OK;
}

/* If standard input is a file, every run reads it from its beginning. */
static void find_input(struct pf_check_settings *p)
{
    struct stat s;
    if (fstat(STDIN_FILENO, &s) == 0 && S_ISREG(s.st_mode))
        p->input = realpath("/proc/self/fd/0", NULL);
}

/* --hunt needs a program with symbolic code. Programs of a list that have none are not hunted. */
static pf_status check_hunt(const struct pf_check_settings *p, struct pf_error *e)
{
    pf_status s = PF_OK;
    if (p->hunt && (p->server || p->for_ms))
        return pf_fail(e, PF_BAD, "--hunt cannot be used with --server or --for");
    for (size_t i = 0; p->hunt && i < p->tests.n; i++)
        if ((s = pf_program_check_symbolic(p->tests.at[i].path, e)) == PF_OK)
            break;
    return s;
}

/* Checks that the file of --from is a report of another tool. The check keeps a copy of
 * it, and pf report could not read a copy of any other file. */
static pf_status check_foreign(const char *path, struct pf_error *e)
{
    struct pf_findings ignored;
    struct pf_foreign_summary sum;
    pf_findings_init(&ignored);
    pf_status s = pf_foreign_read(&ignored, path, &sum, e);
    pf_findings_release(&ignored);
    return s;
}

pf_status pf_check_settings_resolve(struct pf_check_settings *p, struct pf_error *e)
{
    struct pf_error wrong;
    pf_suite_list_init(&p->tests);
    pf_status s = read_numbers(p, e);
    p->launch.sample = p->sample ? p->sample : "full";
    p->launch.quiet = p->launch.own_status = true;
    if (s == PF_OK)
        s = pf_launch_check(&p->launch, e);
    if (s == PF_OK && p->json)
        s = pf_file_check(p->json, e);
    if (s == PF_OK && p->from)
        s = check_foreign(p->from, e);
    if (s != PF_OK)
        return s;
    find_input(p);
    s = p->suite ? read_suite(p, &wrong) : use_program(p, &wrong);
    if (s != PF_OK)
        return pf_fail(e, s, "%s", wrong.text);
    s = check_hunt(p, e);
    return s == PF_OK ? hash_programs(p, e) : s;
}

void pf_check_settings_release(struct pf_check_settings *p)
{
    pf_suite_list_release(&p->tests);
    free(p->input);
    *p = (struct pf_check_settings){0};
}
