/* verb_suite.c - `pf suite`: runs a list of tests repeatedly, under one or more policies, and
 * reports their findings and their cost. */
#define _GNU_SOURCE
#include "allocation.h"
#include "cli.h"
#include "duration.h"
#include "file.h"
#include "finding_group.h"
#include "findings.h"
#include "fleet_options.h"
#include "fleet_suite.h"
#include "fleet_task.h"
#include "launch.h"
#include "sample_policy.h"
#include "shell_word.h"
#include "suite_load.h"
#include "suite_run.h"
#include "text_format.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "suite"
#define LONGER_MS 120000 /* least difference of the time limits of a task and a test */
#define EXIT_FAILED 1

struct suite {
    const char *sample, *jobs, *repeat, *state, *limit, *grace, *json, *svg;
    bool any, fresh;
    struct pf_suite_settings settings;
    struct pf_suite_list tests;
    struct pf_campaign campaign;
    struct pf_fleet_options fleet;
    struct pf_pool pool;
};

static pf_status count_of(const char *option, const char *text, uint64_t most, uint64_t *v,
                          struct pf_error *e)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno || *end || text[0] < '0' || text[0] > '9' || n < 1 || n > most)
        return pf_fail(e, PF_BAD, "--%s=%s: expected a number from 1 to %" PRIu64, option, text,
                       most);
    *v = n;
    return PF_OK;
}

/* Parses "a,b": policies of the runtime, none, native; each at most once. */
static pf_status read_policies(struct suite *s, struct pf_error *e)
{
    char *rest = pf_pool_text(&s->pool, s->sample, strlen(s->sample));
    const char **at = pf_pool_get(&s->pool, (strlen(s->sample) + 1) * sizeof *at);
    s->campaign.policies = at;
    const char *overhead = s->settings.launch.overhead, *with_overhead = NULL;
    for (char *one; (one = strsep(&rest, ","));) {
        bool has_overhead = pf_sample_has_overhead(one);
        with_overhead = has_overhead ? one : with_overhead;
        s->settings.launch.sample = pf_policy_watches(one) ? one : "full";
        s->settings.launch.overhead = has_overhead ? overhead : NULL;
        struct pf_error why;
        if (pf_sample_check(s->settings.launch.sample, &why) != PF_OK)
            return pf_fail(e, PF_BAD, "%s; pf suite also has none and native", why.text);
        pf_status st = pf_launch_check(&s->settings.launch, e);
        for (size_t i = 0; i < s->campaign.npolicies && st == PF_OK; i++)
            if (!strcmp(at[i], one))
                st = pf_fail(e, PF_BAD, "--sample=%s: %s is given twice", s->sample, one);
        for (size_t i = 0; i < s->tests.n && st == PF_OK; i++)
            if (!strcmp(one, PF_POLICY_NATIVE) && !s->tests.at[i].native)
                st = pf_fail(e, PF_BAD, "%s:%u: --sample=native needs the setting @native=PROG",
                             s->campaign.list, s->tests.at[i].line);
        if (st != PF_OK)
            return st;
        at[s->campaign.npolicies++] = one;
    }
    s->settings.launch.overhead = overhead;
    return overhead && !with_overhead ? pf_sample_check_overhead(s->sample, overhead, e) : PF_OK;
}

/* --- the list --- */

static pf_status read_list(struct suite *s, int argc, char **argv, bool commands,
                           struct pf_error *e)
{
    struct pf_text t;
    char *text;
    size_t n;
    pf_status st;
    s->campaign.list = commands ? "command line" : argv[0];
    if (commands) {
        pf_text_init(&t, &s->pool);
        for (int i = 0; i < argc; i++) {
            pf_text_add(&t, argv[i]);
            pf_text_char(&t, '\n');
        }
        st = pf_suite_list_parse(&s->tests, s->campaign.list, t.at, t.n, e);
    } else {
        bool standard = !strcmp(argv[0], "-");
        s->campaign.list = standard ? "standard input" : argv[0];
        st = pf_file_read(standard ? "/dev/stdin" : argv[0], &text, &n, e);
        if (st == PF_OK) {
            st = pf_suite_list_parse(&s->tests, s->campaign.list, text, n, e);
            free(text);
        }
    }
    if (st == PF_OK && s->tests.n == 0)
        st = pf_fail(e, PF_BAD, "%s: contains no command", s->campaign.list);
    return st == PF_OK ? pf_suite_list_find(&s->tests, s->campaign.list, s->any, e) : st;
}

static uint64_t mix(uint64_t h, const char *s)
{
    do
        h = (h ^ (unsigned char)(s ? *s : 1)) * 0x100000001b3;
    while (s && *s++);
    return h;
}

/* A key that is equal for command lines of the same campaign: the second one then continues where
 * the first one was killed. */
static char *make_key(struct suite *s)
{
    char *here = getcwd(NULL, 0), number[96];
    uint64_t h = mix(0xcbf29ce484222325, here);
    free(here);
    for (size_t i = 0; i < s->tests.n; i++) {
        const struct pf_suite_test *t = &s->tests.at[i];
        h = mix(h, t->name);
        for (char **a = t->argv; *a; a++)
            h = mix(h, *a);
        for (size_t k = 0; k < t->nenv; k++)
            h = mix(h, t->env[k]);
        h = mix(mix(mix(h, t->dir), t->input), t->native);
        snprintf(number, sizeof number, "%" PRIu64 " %d", t->limit_ms, t->status);
        h = mix(h, number);
    }
    h = mix(mix(h, s->sample), s->settings.launch.suppressions);
    if (s->settings.launch.overhead)
        h = mix(h, s->settings.launch.overhead);
    snprintf(number, sizeof number, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d%d", s->campaign.rounds,
             s->settings.limit_ms, s->settings.grace_ms, s->any, s->settings.launch.strict);
    h = mix(h, number);
    return pf_mem_format("%016" PRIx64, h);
}

static const char *make_command(struct suite *s, int argc, char **argv)
{
    struct pf_text t;
    pf_text_init(&t, &s->pool);
    pf_text_add(&t, "[\"pf\"");
    for (int i = 0; i < argc; i++) {
        pf_text_char(&t, ',');
        pf_text_json(&t, argv[i]);
    }
    pf_text_char(&t, ']');
    pf_text_char(&t, 0);
    return t.at;
}

/* --- the result --- */

static void add_position(struct pf_text *t, const struct pf_access *a)
{
    const struct pf_stack_frame *p = pf_backtrace_source(&a->stack);
    pf_text_add(t, p && p->function ? p->function : "??");
    if (p && p->file) {
        pf_text_char(t, ' ');
        pf_text_name(t, p->file);
        pf_text_char(t, ':');
        pf_text_u64(t, p->line);
    }
}

/* One line for a group: its first member, and how many more there are. */
static void add_group(struct pf_text *t, const struct pf_finding *f, size_t members)
{
    pf_text_hex(t, f->id, 16);
    pf_text_char(t, ' ');
    pf_text_add(t, pf_kind_name(f->kind));
    pf_text_char(t, ' ');
    for (size_t i = 0; i < f->naccesses; i++) {
        pf_text_add(t, i ? " / " : "");
        add_position(t, &f->accesses[i]);
    }
    if (f->seen) {
        pf_text_add(t, ", in ");
        pf_text_u64(t, f->seen->executions);
        pf_text_add(t, f->seen->executions == 1 ? " execution of " : " executions of ");
        pf_text_u64(t, f->seen->ntests);
        pf_text_add(t, f->seen->ntests == 1 ? " test" : " tests");
    }
    if (members > 1)
        pf_text_format(t, ", and %zu more with the same cause", members - 1);
    pf_text_char(t, '\n');
}

static void add_count(struct pf_text *t, const char *before, uint64_t n, const char *what)
{
    pf_text_add(t, before);
    pf_text_u64(t, n);
    pf_text_char(t, ' ');
    pf_text_add(t, what);
}

static void add_summary(struct pf_text *t, const struct pf_findings *f, const struct pf_curves *c,
                        const char *state)
{
    const struct pf_suite_summary *u = f->suite;
    pf_curves_text(t, c);
    for (size_t i = 0, end; i < f->n; i = end) {
        end = pf_findings_group_end(f, i);
        add_group(t, f->at[i], end - i);
    }
    pf_findings_count_text(t, f);
    add_count(t, " in ", u->executions, u->executions == 1 ? "execution" : "executions");
    add_count(t, " of ", u->tests, u->tests == 1 ? "test" : "tests");
    add_count(t, ": ", u->passed, "passed");
    add_count(t, ", ", u->failed, "failed");
    if (u->interrupted)
        add_count(t, "; ", u->interrupted, "more were interrupted");
    if (f->n) {
        pf_text_add(t, "; details: pf report --state ");
        pf_text_shell_word(t, state);
    }
    pf_text_char(t, '\n');
}

static pf_status write_text(const char *path, const struct pf_text *t, struct pf_error *e)
{
    return pf_file_write(path, t->at, t->n, e);
}

static pf_status conclude(struct suite *s, struct pf_suite_db *db, int64_t campaign, size_t *found,
                          struct pf_error *e)
{
    struct pf_findings f;
    struct pf_curves c;
    struct pf_text t, losses;
    pf_findings_init(&f);
    pf_status st = pf_suite_load(db, campaign, &f, e);
    if (st == PF_OK)
        st = pf_curves_load(db, campaign, &c, e);
    if (st != PF_OK) {
        pf_findings_release(&f);
        return st;
    }
    pf_findings_group(&f);
    pf_findings_gather(&f);
    *found = pf_findings_counted(&f);
    pf_text_init(&losses, &s->pool);
    pf_findings_losses(&losses, &f);
    fwrite(losses.at, 1, losses.n, stderr);
    pf_text_init(&t, &s->pool);
    add_summary(&t, &f, &c, s->state);
    if (pf_quiet)
        st = PF_OK;
    else if (s->json && !strcmp(s->json, "-")) /* standard output is used for the JSON */
        fwrite(t.at, 1, t.n, stderr);
    else
        st = write_text("-", &t, e);
    if (st == PF_OK && s->json) {
        pf_text_init(&t, &s->pool);
        pf_findings_json(&t, &f, NULL, 0);
        st = write_text(s->json, &t, e);
    }
    if (st == PF_OK && s->svg) {
        pf_text_init(&t, &s->pool);
        pf_curves_svg(&t, &c);
        st = write_text(s->svg, &t, e);
    }
    pf_curves_release(&c);
    pf_findings_release(&f);
    return st;
}

/* --- the verb --- */

static pf_status prepare(struct suite *s, int argc, char **argv, bool commands, struct pf_error *e)
{
    pf_status st = count_of("jobs", s->jobs, 1024, &s->campaign.jobs, e);
    if (st == PF_OK)
        st = count_of("repeat", s->repeat, 1000000, &s->campaign.rounds, e);
    if (st == PF_OK)
        st = pf_duration_option("limit", s->limit, &s->settings.limit_ms, e);
    if (st == PF_OK)
        st = pf_duration_option("grace", s->grace, &s->settings.grace_ms, e);
    if (st == PF_OK && s->json)
        st = pf_file_check(s->json, e);
    if (st == PF_OK && s->svg)
        st = pf_file_check(s->svg, e);
    if (st == PF_OK)
        st = read_list(s, argc, argv, commands, e);
    if (st == PF_OK)
        st = read_policies(s, e);
    s->settings.launch.state = s->state;
    s->settings.tests = &s->tests;
    s->settings.campaign = &s->campaign;
    return st;
}

static void print_start(const struct pf_suite_db *db, bool continued, uint64_t salvaged)
{
    if (db->aside[0])
        pf_note("suite", "%s", db->aside);
    if (pf_quiet)
        return;
    if (continued)
        fprintf(stderr, "pf suite: continuing the interrupted suite; --fresh starts a new one\n");
    if (salvaged)
        fprintf(stderr, "pf suite: %" PRIu64 " interrupted %s; the findings are kept\n", salvaged,
                salvaged == 1 ? "execution" : "executions");
}

/* A hash of the programs, so that only results of the same build are merged. */
static uint64_t build_of(const struct suite *s)
{
    json_t *programs = json_object();
    struct pf_error ignored;
    uint64_t h = 0;
    for (size_t i = 0; i < s->tests.n; i++) {
        const char *path = s->tests.at[i].path;
        if (pf_task_add_program(programs, path, &ignored) == PF_OK)
            h = (h ^ pf_json_from_hex(programs, path)) * 0x100000001b3;
    }
    json_decref(programs);
    return h;
}

/* The default time limit of a task is longer than that of its tests, so that a test that hangs is
 * ended and reported as without a fleet. */
static void raise_limit(struct suite *s)
{
    uint64_t most = s->settings.limit_ms;
    for (size_t i = 0; i < s->tests.n; i++)
        if (s->tests.at[i].limit_ms > most)
            most = s->tests.at[i].limit_ms;
    s->fleet.least_ms = most + LONGER_MS;
}

/* Runs the executions as tasks of a fleet, or only merges the results that exist. */
static pf_status execute_on_fleet(struct suite *s, struct pf_suite_db *db, int64_t campaign,
                                  struct pf_fleet *f, int argc, char **argv,
                                  struct pf_suite_result *r, struct pf_error *e)
{
    const struct pf_fleet_suite suite = {
        .settings = &s->settings, .any = s->any, .db = db, .campaign = campaign, .result = r};
    uint64_t merged;
    raise_limit(s);
    pf_status st = pf_fleet_open(f, VERB, s->state, &s->fleet, argc, argv, build_of(s), e);
    if (st != PF_OK)
        return st;
    return s->fleet.collect ? pf_fleet_suite_collect(f, &suite, &merged, e)
                            : pf_fleet_suite_run(f, &suite, e);
}

static int work(struct suite *s, int argc, char **argv)
{
    struct pf_fleet fleet = {.lock = -1};
    struct pf_suite_db db;
    struct pf_suite_result r = {0};
    struct pf_error e;
    int64_t campaign = 0;
    bool continued = false;
    uint64_t salvaged = 0;
    size_t found = 0;
    char *last = NULL;
    char *key = make_key(s);
    s->campaign.key = key;
    s->campaign.command = make_command(s, argc, argv);
    pf_status st = pf_suite_db_open(&db, s->state, &e);
    if (st != PF_OK) {
        free(key);
        return pf_complain(VERB, "%s", e.text);
    }
    st = s->fleet.collect ? pf_fleet_last(s->state, VERB, &last, &e) : PF_OK;
    free(last);
    if (st == PF_OK)
        st = pf_suite_db_claim(&db, &s->campaign, &s->tests, s->fresh, &campaign, &continued,
                               &salvaged, &e);
    if (st == PF_OK) {
        print_start(&db, continued, salvaged);
        st = s->fleet.on ? execute_on_fleet(s, &db, campaign, &fleet, argc, argv, &r, &e)
                         : pf_suite_execute(&db, campaign, &s->settings, &r, &e);
    }
    if (st == PF_OK)
        st = conclude(s, &db, campaign, &found, &e);
    /* Done last: if pf is killed before this, the same command shows the result again. */
    if (st == PF_OK && r.finished)
        st = pf_suite_db_finish(&db, campaign, &e);
    pf_suite_db_close(&db);
    free(key);
    int status = r.signal   ? 128 + r.signal
                 : found    ? PF_EXIT_FOUND
                 : r.failed ? EXIT_FAILED
                            : PF_EXIT_OK;
    if (st != PF_OK)
        status = pf_complain(VERB, "%s", e.text);
    else if (!r.signal && !found && !r.failed && r.watched && r.empty == r.watched)
        status = pf_complain(VERB, "no instrumented process ran, so nothing was checked");
    if (st == PF_OK && s->fleet.on)
        status = pf_fleet_conclude(&fleet, VERB, r.finished, status);
    pf_fleet_release(&fleet);
    return status;
}

int pf_verb_suite(int argc, char **argv)
{
    struct suite s = {.sample = "full",
                      .jobs = "1",
                      .repeat = "1",
                      .state = PF_DEFAULT_STATE,
                      .limit = "10m",
                      .grace = "2s"};
    struct pf_launch *l = &s.settings.launch;
    const struct pf_cli_option options[] = {
        {"sample", "POLICY",
         "as in pf run; also none, native; several, separated by commas, are compared", &s.sample,
         NULL},
        {"overhead", "SHARE", "atexrace: share of time for watching (default 10%)", &l->overhead,
         NULL},
        {"jobs", "N", "run N tests in parallel (default 1)", &s.jobs, NULL},
        {"repeat", "N", "run the whole list N times (default 1)", &s.repeat, NULL},
        {"state", "DIR", "keep all files in DIR (default " PF_DEFAULT_STATE ")", &s.state, NULL},
        {"limit", "TIME", "end a test after TIME (default 10m; 0: never)", &s.limit, NULL},
        {"grace", "TIME", "time between SIGTERM and SIGKILL (default 2s)", &s.grace, NULL},
        {"json", "FILE", "write the findings as JSON; - is standard output", &s.json, NULL},
        {"svg", "FILE", "draw overhead and findings over the executions as SVG", &s.svg, NULL},
        {"suppressions", "FILE", "do not report findings that match FILE", &l->suppressions, NULL},
        {"strict", NULL, "never miss an access; slower", NULL, &l->strict},
        {"any", NULL, "also run scripts and uninstrumented programs", NULL, &s.any},
        {"fresh", NULL, "start a new suite, even if an interrupted one could be continued", NULL,
         &s.fresh},
        PF_CLI_QUIET,
        PF_FLEET_OPTIONS(s.fleet),
        PF_FLEET_CONTINUE(s.fleet),
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] FILE | -- COMMAND...",
        "Runs the tests in FILE, one command per line, or the tests that are given, each COMMAND "
        "in quotes,\n"
        "and collects their findings over all executions. It can be killed at any time: the same "
        "command\n"
        "continues where it stopped.\n"
        "Exit status: 66 if there are findings, else 1 if a test failed, 0 if none did; 2 on an "
        "error;\n"
        "128+n if signal n stopped it.",
        options, sizeof options / sizeof options[0]};
    struct pf_error e;
    int status = PF_EXIT_USAGE;
    int first = pf_cli_parse(&verb, argc, argv, &status);
    if (first < 0)
        return status;
    if (pf_fleet_options_check(VERB, &s.fleet) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (s.fleet.resume)
        return pf_fleet_resume(VERB, s.state);
    bool commands = first > 1 && !strcmp(argv[first - 1], "--");
    if (first >= argc)
        return pf_complain(VERB, "no tests given; usage: pf suite %s", verb.usage);
    if (!commands && argc - first > 1)
        return pf_complain(VERB, "give one FILE, or commands after --, each quoted as one word");
    pf_pool_init_malloc(&s.pool);
    pf_suite_list_init(&s.tests);
    if (prepare(&s, argc - first, argv + first, commands, &e) != PF_OK)
        status = pf_complain(VERB, "%s", e.text);
    else
        status = work(&s, argc, argv);
    pf_suite_list_release(&s.tests);
    pf_pool_release(&s.pool);
    return status;
}
