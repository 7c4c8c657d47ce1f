/* check_settings.c - see check_settings.h. It is in src/cli because it defines the options of pf
 * check. */
#define _GNU_SOURCE
#include "check_settings.h"
#include "cli.h"
#include "clip.h"
#include "duration.h"
#include "file.h"
#include "program.h"
#include "state_read.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_TIME_MS 60000
#define DEFAULT_GRACE_MS 2000

bool pf_check_settings_parse(struct pf_check_settings *p, int argc, char **argv, int *status)
{
    const struct pf_cli_option options[] = {
        {"time", "T", "time budget (default 60s)", &p->time, NULL},
        {"runs", "N",
         "at most N rounds; each has a free run, a batch of schedules and tries of predictions",
         &p->runs, NULL},
        {"seed", "N", "take the seeds of schedules from N on (default 1)", &p->seed, NULL},
        {"jobs", "N", "run N steps in parallel (default 1)", &p->jobs, NULL},
        {"continue", NULL, "resume the last check in the state folder", NULL, &p->resume},
        {"server", "CLIENT",
         "PROG is a server: run CLIENT (with sh) once its port is open, then end PROG", &p->server,
         NULL},
        {"for", "T", "end PROG after T", &p->period, NULL},
        {"suite", "FILE", "check every test of the list FILE, see pf suite", &p->suite, NULL},
        {"from", "FILE",
         "try to confirm the races that ThreadSanitizer or Helgrind reported in FILE", &p->from,
         NULL},
        {"atomic", "GLOB", "treat calls of functions whose names match as atomic regions",
         &p->atomic, NULL},
        {"state", "DIR", "keep all files in DIR (default " PF_DEFAULT_STATE ")", &p->state, NULL},
        {"json", "FILE", "write the findings as JSON; - is standard output", &p->json, NULL},
        {"sample", "POLICY",
         "sampling policy of the free runs (default: full and atexrace alternate)", &p->sample,
         NULL},
        {"suppressions", "FILE", "do not report findings that match FILE", &p->launch.suppressions,
         NULL},
        {"grace", "T", "time between SIGTERM and SIGKILL (default 2s)", &p->grace, NULL},
        {"any", NULL, "with --suite: also run scripts and uninstrumented programs", NULL, &p->any},
        {"keep-env", NULL, "record the values of all environment variables", NULL, &p->keep_env},
        {"redact", "NAME",
         "never record the values of environment variables whose names match NAME, a glob",
         &p->redact, NULL},
        {"quiet", NULL, "print no progress", NULL, &p->quiet},
    };
    const struct pf_cli_verb verb = {
        PF_CHECK_VERB, "[OPTION...] -- PROG ARG...",
        "Runs PROG, built with pf cc or pf c++, freely and under many schedules, makes the "
        "predicted\n"
        "races happen, and reports what it found. Each confirmed finding has a clip, which pf "
        "replay\n"
        "reproduces every time.\n"
        "Exit status: 66 if there are findings, 0 if not, 1 if there are none but PROG crashed or "
        "hung,\n"
        "128+n if signal n stopped pf check before it found anything, 2 on an error of pf itself.",
        options, sizeof options / sizeof options[0]};
    int first = pf_cli_parse(&verb, argc, argv, status);
    if (first < 0)
        return false;
    p->words = argv + first;
    p->nwords = argc - first;
    *status = PF_EXIT_USAGE;
    if (p->suite && p->nwords)
        pf_complain(PF_CHECK_VERB, "give either --suite or a program");
    else if (!p->suite && !p->nwords && !p->resume)
        pf_complain(PF_CHECK_VERB, "no program given; usage: pf check %s", verb.usage);
    else
        return true;
    return false;
}

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
    return pf_duration_parse(text, ms) && *ms
               ? PF_OK
               : pf_fail(e, PF_BAD, "--%s=%s: expected a duration such as 90s or 5m", option, text);
}

static pf_status read_numbers(struct pf_check_settings *p, struct pf_error *e)
{
    pf_status s = PF_OK;
    p->time_ms = DEFAULT_TIME_MS;
    p->grace_ms = DEFAULT_GRACE_MS;
    p->njobs = p->first_seed = 1;
    if (p->time)
        s = duration("time", p->time, &p->time_ms, e);
    if (s == PF_OK && p->grace)
        s = duration("grace", p->grace, &p->grace_ms, e);
    if (s == PF_OK && p->period)
        s = duration("for", p->period, &p->for_ms, e);
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
    return p->any ? PF_OK : pf_program_check(l->at->path, e);
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
        char *bytes;
        size_t n;
        pf_status s = pf_file_read(p->tests.at[i].path, &bytes, &n, e);
        if (s != PF_OK)
            return s;
        p->build = (p->build ^ pf_clip_hash(bytes, n)) * 0x100000001b3ull;
        free(bytes);
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
    if (s == PF_OK && p->from && access(p->from, R_OK))
        s = pf_fail(e, PF_IO, "%s: %s", p->from, strerror(errno));
    if (s != PF_OK)
        return s;
    find_input(p);
    s = p->suite ? read_suite(p, &wrong) : use_program(p, &wrong);
    if (s != PF_OK)
        return pf_fail(e, s, "%s", wrong.text);
    return hash_programs(p, e);
}

void pf_check_settings_release(struct pf_check_settings *p)
{
    pf_suite_list_release(&p->tests);
    free(p->input);
    *p = (struct pf_check_settings){0};
}
