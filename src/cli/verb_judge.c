/* verb_judge.c - `pf judge`: how bad is each race? Runs the program with the two accesses of the
 * race in both orders. */
#define _GNU_SOURCE
#include "cli.h"
#include "duration.h"
#include "file.h"
#include "finding_json.h"
#include "judge_on_fleet.h"
#include "judge_races.h"
#include "judged_text.h"
#include "launch.h"
#include "libdir.h"
#include "memory_model_name.h"
#include "number_options.h"
#include "predicted_finding.h"
#include "search_stop.h"
#include "self_run.h"
#include "state_read.h"
#include "text_format.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "judge"
#define RACE_FAIR_MS 60000 /* most fair time for one race (src/clip/fair_time.h) */
#define WORKER "/pf-z3"
#define MET 10 /* default of --met */
static bool interrupted(void *arg)
{
    (void)arg;
    return pf_interrupted();
}

/* Sets the end of the time that --time gives, which includes finding the races of a recording.
 * Returns an exit status. */
static int parse_end(const char *limit, uint64_t *end_ms)
{
    uint64_t ms = 0;
    int status = pf_cli_duration(VERB, "time", limit, &ms);
    if (limit && status == PF_EXIT_OK)
        *end_ms = pf_now_ms() + ms;
    return status;
}

/* Judges the races of the list, then those that happened in runs of an alternate order only, until
 * there are no new ones or enough. */
static void judge_all(struct pf_judge_verb *v)
{
    bool meets = v->met && !v->race && !v->blind && !v->check;
    for (size_t first = 0; first < v->items.len;) {
        size_t n = v->items.len;
        v->list.items = v->items.at;
        v->list.n = n;
        pf_judge_list_run(&v->list);
        for (size_t i = first; meets && i < n && v->met && !pf_interrupted(); i++) {
            const char *clip =
                v->items.at[i].judged ? pf_judged_clip(v->items.at[i].f, "alternate") : NULL;
            if (clip && (!v->list.end_ms || pf_now_ms() < v->list.end_ms))
                pf_judge_races_met(v, clip);
        }
        first = n;
    }
}

/* --- results --- */

static void add_json(struct pf_text *t, const struct pf_judge_verb *v, int argc, char **argv)
{
    bool complete = true, first = true;
    for (size_t i = 0; i < v->items.len; i++)
        complete &= v->items.at[i].judged;
    pf_predict_json_head(t, argc, argv, complete);
    for (size_t i = 0; i < v->items.len; i++) {
        pf_text_add(t, first ? "\n" : ",\n");
        pf_finding_json(t, v->items.at[i].f);
        first = false;
    }
    pf_text_add(t, "]}\n");
}

/* Stores the verdicts in the state folder, and the races that were met while judging. The counts of
 * other races are 0: the document adds nothing to them. */
static pf_status store(struct pf_judge_verb *v, struct pf_error *e)
{
    struct pf_text t;
    char *path = pf_mem_format("%s/" PF_JUDGED_FILE, v->state);
    char *words[] = {"judge"};
    bool first = true;
    pf_text_init(&t, &v->pool);
    pf_predict_json_head(&t, 1, words, true);
    for (size_t i = 0; i < v->all.n; i++) {
        struct pf_finding f = *v->all.at[i];
        if (!f.judged)
            continue;
        if (i < v->all.n - v->all.nmet)
            f.count = 0;
        f.stages = NULL;
        pf_text_add(&t, first ? "\n" : ",\n");
        pf_finding_json(&t, &f);
        first = false;
    }
    for (size_t i = v->items.len - v->nmet; i < v->items.len; i++) { /* not in v->all */
        pf_text_add(&t, first ? "\n" : ",\n");
        pf_finding_json(&t, v->items.at[i].f);
        first = false;
    }
    pf_text_add(&t, "]}\n");
    pf_status s = pf_file_write(path, t.at, t.n, e);
    free(path);
    return s;
}

static int report(struct pf_judge_verb *v, int argc, char **argv)
{
    struct pf_text text, json;
    struct pf_error e;
    pf_text_init(&text, &v->pool);
    pf_text_init(&json, &v->pool);
    for (int c = 0; c < PF_JUDGED_CLASSES; c++) /* the worst first */
        for (size_t i = 0; i < v->items.len; i++)
            if (v->items.at[i].judged && pf_judge_class_from(v->items.at[i].f->verdict) == c)
                pf_judged_text(&text, v->items.at[i].f);
    pf_judge_summary(&text, &v->items);
    add_json(&json, v, argc, argv);
    if (!pf_cli_write(VERB, &text, v->json, &json))
        return PF_EXIT_USAGE;
    if (v->from_state && !v->check && !v->findings && store(v, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    return pf_judge_worst(&v->items) <= (int)v->fail_on ? PF_EXIT_FOUND : PF_EXIT_OK;
}

static int judge_on_fleet(struct pf_judge_verb *v, int argc, char **argv)
{
    struct pf_judge_fleet j = {.options = &v->fleet,
                               .state = v->state,
                               .folder = v->list.folder,
                               .items = &v->items,
                               .argc = argc,
                               .argv = argv,
                               .first = v->first,
                               .until_ms = v->list.end_ms};
    int status = pf_judge_on_fleet(&j, &v->returned);
    v->nmet = j.met;
    if (status == PF_EXIT_OK)
        status = pf_fleet_conclude(&j.fleet, VERB, j.finished, report(v, argc, argv));
    pf_fleet_release(&j.fleet);
    return status;
}

static int run(struct pf_judge_verb *v, int argc, char **argv)
{
    struct pf_error e;
    char *own = NULL;
    if (!v->folder)
        v->folder = own = v->from_state
                              ? pf_mem_format("%s/judged", v->state)
                              : pf_mem_format("%s.judged", v->from ? v->from : v->job.path);
    int status = PF_EXIT_OK;
    if (pf_folder_make(v->folder, &e) != PF_OK)
        status = pf_complain(VERB, "%s", e.text);
    pf_interrupt_catch();
    char *absolute = status == PF_EXIT_OK ? realpath(v->folder, NULL) : NULL;
    if (status == PF_EXIT_OK && !absolute)
        status = pf_complain(VERB, "%s: %s", v->folder, strerror(errno));
    const char *libraries = pf_libdir_find(WORKER);
    char *worker = libraries ? pf_mem_format("%s%s", libraries, WORKER) : NULL;
    v->list.how.worker = worker;
    v->list.folder = absolute;
    v->list.pool = &v->pool;
    v->list.loaded = v->job.path ? &v->job.t : NULL;
    v->list.loaded_path = v->job.path;
    v->list.exact = v->race || v->blind;
    v->list.how.should_stop = interrupted;
    if (status == PF_EXIT_OK && v->fleet.on && !v->from_state)
        status = pf_complain(VERB, "--on judges the races of a state folder, not of a recording");
    else if (status == PF_EXIT_OK && v->fleet.on)
        status = judge_on_fleet(v, argc, argv);
    else if (status == PF_EXIT_OK) {
        judge_all(v);
        status = report(v, argc, argv);
    }
    free(worker);
    free(absolute);
    free(own);
    return status;
}

static void release(struct pf_judge_verb *v)
{
    pf_vec_release(&v->items);
    for (size_t i = 0; i < v->met_jobs.len; i++) {
        pf_predict_job_release(v->met_jobs.at[i]);
        free(v->met_jobs.at[i]);
    }
    pf_vec_release(&v->met_jobs);
    pf_predict_job_release(&v->job);
    pf_findings_release(&v->all);
    pf_findings_release(&v->returned);
    pf_pool_release(&v->pool);
    free(v->removal);
    free(v);
}

/* Options that are words, as given; NULL: not given. */
struct judge_options {
    const char *schedules, *control, *jobs, *limit, *method, *fail_on, *require, *memory;
    const char *memory_runs, *met, *paths, *inputs, *recordings, *solver, *runs;
    bool no_adhoc, no_symbolic;
};

/* Checks the options, and fills in v->list.how. Returns an exit status. */
static int check_options(struct pf_judge_verb *v, const struct judge_options *o)
{
    static const char *const methods[] = {
        [PF_METHOD_BOTH_ORDERS] = "both-orders",
        [PF_METHOD_RECORD_REPLAY] = "record-replay-analyzer",
        [PF_METHOD_ADHOC] = "adhoc",
    };
    struct pf_judge_settings *how = &v->list.how;
    const struct pf_cli_number numbers[] = {
        {"schedules", o->schedules, 0, 100, &how->schedules},
        {"memory-runs", o->memory_runs, 1, 100000, &how->stale_runs},
        {"runs", o->runs, 1, 1000000, &how->most_runs},
        {"control", o->control, 0, 200, &how->control},
        {"jobs", o->jobs, 1, 64, &how->jobs},
        {"met", o->met, 0, 1000, &v->met},
        {"recordings", o->recordings, 0, 100, &how->recordings},
        {"paths", o->paths, 1, 1000, &how->paths},
        {"inputs", o->inputs, 0, 16, &how->inputs},
    };
    const char *wrong;
    int class = v->fail_on, status;
    size_t m = 0;
    while (o->method && m < sizeof methods / sizeof *methods && strcmp(o->method, methods[m]))
        m++;
    if (m == sizeof methods / sizeof *methods)
        return pf_complain(
            VERB, "--method=%s: expected both-orders, record-replay-analyzer or adhoc", o->method);
    how->method = (enum pf_judge_method)m;
    how->adhoc = !o->no_adhoc;
    how->symbolic_output = !o->no_symbolic;
    if ((status = pf_cli_numbers(VERB, numbers, sizeof numbers / sizeof *numbers)) != PF_EXIT_OK ||
        (status = pf_cli_duration(VERB, "solver", o->solver, &how->solver_ms)) != PF_EXIT_OK ||
        (status = parse_end(o->limit, &v->list.end_ms)) != PF_EXIT_OK)
        return status;
    if (o->memory && !pf_memory_model_parse(o->memory, &how->memory))
        return pf_complain(VERB, "--memory=%s: expected sc, tso or weak", o->memory);
    if (o->memory_runs && how->memory == PF_MEMORY_SC)
        return pf_complain(VERB, "--memory-runs needs --memory=tso or --memory=weak");
    if (o->require && (wrong = pf_requirements_parse(v->requirements, PF_JUDGE_REQUIREMENTS,
                                                     o->require, &how->nrequirements)))
        return pf_complain(VERB, "--require=%s: expected a condition such as 'count >= 0'", wrong);
    if (o->fail_on && (class = pf_judge_class_from(o->fail_on)) < 0)
        return pf_complain(VERB, "--fail-on=%s: expected a class such as output-differs",
                           o->fail_on);
    v->fail_on = (enum pf_judge_class) class;
    if (v->without_lock && !pf_cli_is_position(v->without_lock))
        return pf_complain(VERB, "--without-lock=%s: expected FILE:LINE", v->without_lock);
    if (v->from && (v->race || v->without_lock || v->check || v->findings || v->fleet.on))
        return pf_complain(VERB, "--from cannot be combined with --race, --without-lock, --check, "
                                 "--findings or --on");
    return PF_EXIT_OK;
}

/* Chooses the races that the arguments from number `next` on name. Returns an exit status. */
static int choose_races(struct pf_judge_verb *v, int argc, char **argv, int next)
{
    const char *wrong;
    bool is_clip = next == argc - 1 && pf_clip_is_file(argv[next]);
    if (v->from)
        return pf_cli_cannot_write(VERB, v->json) ? PF_EXIT_USAGE
                                                  : pf_judge_races_from(v, argv + next);
    if ((wrong = pf_cli_late_option(argc, argv, next)))
        return pf_complain(VERB, "%s: options come before the ids and the recording", wrong);
    if ((next == argc - 1 && pf_cli_replaces_input(VERB, v->json, argv[next])) ||
        pf_cli_cannot_write(VERB, v->json))
        return PF_EXIT_USAGE;
    if (v->fleet.on && is_clip)
        return pf_complain(VERB, "--on judges races of a state folder; %s is a recording",
                           argv[next]);
    if (is_clip)
        return v->without_lock ? pf_judge_races_without_lock(v, argv[next])
                               : pf_judge_races_clip(v, argv[next]);
    if (v->without_lock)
        return pf_complain(VERB, "--without-lock needs a recording");
    if (v->race || v->blind)
        return pf_complain(VERB, "--%s needs a recording", v->race ? "race" : "blind");
    return pf_judge_races_state(v, argc - next, argv + next);
}

int pf_verb_judge(int argc, char **argv)
{
    struct judge_options o = {0};
    struct pf_judge_verb *v = pf_mem_zero(1, sizeof *v);
    struct pf_judge_settings *how = &v->list.how;
    *how = pf_judge_default;
    how->requirements = v->requirements;
    how->fair_ms = RACE_FAIR_MS;
    v->state = PF_DEFAULT_STATE;
    v->fail_on = PF_JUDGED_OUTPUT_DIFFERS;
    v->met = MET;
    pf_predict_job_init(&v->job);
    pf_findings_init(&v->all);
    pf_findings_init(&v->returned);
    pf_pool_init_malloc(&v->pool);
    const struct pf_cli_option options[] = {
        {"as-paper", NULL,
         "judge as in the paper that defines the classes: without a control group", NULL,
         &how->as_paper},
        {"blind", NULL, "for tests: find the races of CLIP without regard to locks", NULL,
         &v->blind},
        {"check", "DIR", "judge the confirmed races of one check, in its folder DIR", &v->check,
         NULL},
        {"control", "N", "run the recorded order at most N times (default 50)", &o.control, NULL},
        {"fail-on", "CLASS", "exit with 66 if a race is in CLASS or worse (default output-differs)",
         &o.fail_on, NULL},
        {"findings", "FILE", "judge the races of FILE, a document of pf report --json",
         &v->findings, NULL},
        {"from", "FILE",
         "judge the races of FILE: ThreadSanitizer's text, Helgrind's XML, or JSON of another verb",
         &v->from, NULL},
        {"inputs", "N", "with --paths: change at most N sources of input (default 2)", &o.inputs,
         NULL},
        {"jobs", "N", "make N runs in parallel (default 1)", &o.jobs, NULL},
        {"json", "FILE", "write the judged findings as JSON; - is standard output", &v->json, NULL},
        PF_CLI_QUIET,
        {"met", "N", "also judge at most N races that only runs of pf judge show (default 10)",
         &o.met, NULL},
        {"memory", "MODEL",
         "also judge with reads that tso or weak memory permits; sc (default): the newest write",
         &o.memory, NULL},
        {"memory-runs", "N", "with --memory: make at most N runs for each race (default 100)",
         &o.memory_runs, NULL},
        {"method", "NAME", "both-orders, record-replay-analyzer or adhoc", &o.method, NULL},
        {"no-adhoc", NULL, "do not look for ad hoc synchronisation", NULL, &o.no_adhoc},
        {"no-symbolic-output", NULL, "do not compare outputs as formulas over the input", NULL,
         &o.no_symbolic},
        {"o", "DIR", "write the clips of the evidence to DIR", &v->folder, NULL},
        {"paths", "N",
         "judge each race with at most N inputs (default 5); needs pf cc --symbolic or --on-demand",
         &o.paths, NULL},
        {"race", "A,B", "judge the accesses A and B of CLIP, such as T1:137,T2:40", &v->race, NULL},
        {"recordings", "N", "judge harmless races in N more recordings (default 2)", &o.recordings,
         NULL},
        {"require", "COND",
         "every run must satisfy COND, such as 'count >= 0', at synchronisation, output and end",
         &o.require, NULL},
        {"runs", "N", "make no further runs for a race after N runs", &o.runs, NULL},
        {"schedules", "N", "run each order under N random schedules (default 2)", &o.schedules,
         NULL},
        {"solver", "TIME", "limit of CPU time of each question to the solver (default 2s)",
         &o.solver, NULL},
        {"state", "DIR", "the state folder (default " PF_DEFAULT_STATE ")", &v->state, NULL},
        {"time", "TIME", "stop after TIME, such as 90s or 2m", &o.limit, NULL},
        {"without-lock", "FILE:LINE",
         "record CLIP's program without this lock operation, and judge the races that this creates",
         &v->without_lock, NULL},
        PF_FLEET_OPTIONS(v->fleet),
        PF_FLEET_CONTINUE(v->fleet),
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] [ID...|CLIP], or --from FILE [OPTION...] -- PROG [ARG...]",
        "Judges how bad races are: runs the program with the two accesses of each race in both "
        "orders, and\n"
        "compares what it does. ID is a finding of the state folder; without ID, all its races are "
        "judged.\n"
        "CLIP is a recording, whose races are judged. With --from, PROG is the program that FILE "
        "is about,\n"
        "built with pf cc; it is recorded so that the races happen.\n"
        "Exit status: 66 if a race violates the specification or changes the output, 0 if not, 2 "
        "on an error.",
        options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_OK;
    int next = v->first = pf_cli_parse(&verb, argc, argv, &status);
    if (next >= 0 && (status = pf_fleet_options_check(VERB, &v->fleet)) != PF_EXIT_OK)
        next = -1;
    if (next >= 0 && v->fleet.resume) {
        status = pf_fleet_resume(VERB, v->state);
    } else if (next >= 0) {
        status = check_options(v, &o);
        if (status == PF_EXIT_OK)
            status = choose_races(v, argc, argv, next);
        if (status == PF_EXIT_OK)
            status = run(v, argc, argv);
    }
    release(v);
    return status;
}
