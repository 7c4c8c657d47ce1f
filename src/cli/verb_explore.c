/*
 * verb_explore.c - `pf explore`: runs a program under every schedule that makes a difference.
 */
#define _GNU_SOURCE
#include "allocation.h"
#include "cli.h"
#include "directed.h"
#include "explore.h"
#include "file.h"
#include "finding_json.h"
#include "finding_text.h"
#include "launch.h"
#include "load_trace.h"
#include "number_options.h"
#include "predicted_finding.h"
#include "program.h"
#include "progress.h"
#include "run_report.h"
#include "search_stop.h"
#include "symbolic_inputs.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "explore"

struct exploring {
    struct pf_explore_settings settings;
    struct pf_exploration x;
    struct pf_findings findings; /* of the failed runs */
    const char *json, *redact, *patch;
    bool keep_env, clips_only;
};

/* Replays the clip of each failure, which yields its findings. */
static void find_failures(struct exploring *v)
{
    for (size_t i = 0; i < v->x.failures.len; i++) {
        struct pf_error e;
        struct pf_trace t;
        if (!v->x.failures.at[i].clip)
            continue;
        struct pf_findings shown;
        pf_trace_init(&t);
        pf_findings_init(&shown);
        if (pf_load_trace_shown(VERB, v->x.failures.at[i].clip, NULL, &t, &shown, &e) != PF_OK)
            pf_note(VERB, "%s", e.text);
        else
            for (size_t k = 0; k < shown.n; k++) {
                struct pf_text text;
                struct pf_finding *same;
                pf_text_init(&text, &shown.pool);
                pf_finding_json(&text, shown.at[k]);
                if (pf_findings_add(&v->findings, VERB, text.at, text.n, 1, &same, &e) == PF_OK)
                    pf_findings_add_stage(&v->findings, same, VERB, VERB, PF_STATUS_CONFIRMED, 1);
            }
        pf_trace_release(&t);
        pf_findings_release(&shown);
    }
}

static int report(struct exploring *v, int argc, char **argv)
{
    struct pf_text text, json;
    struct pf_text_style style = {.color = pf_color_wanted(STDOUT_FILENO)};
    pf_text_init(&text, &v->findings.pool);
    pf_text_init(&json, &v->findings.pool);
    for (size_t i = 0; i < v->findings.n; i++)
        pf_finding_text(&text, v->findings.at[i], &style);
    pf_exploration_text(&text, &v->x);
    pf_predict_json_head(&json, argc, argv, pf_exploration_complete(&v->x));
    for (size_t i = 0; i < v->findings.n; i++) {
        pf_text_add(&json, i ? ",\n" : "\n");
        pf_finding_json(&json, v->findings.at[i]);
    }
    pf_text_add(&json, "],\n\"exploration\":");
    pf_exploration_json(&json, &v->x);
    pf_text_add(&json, "}\n");
    if (!pf_cli_write(VERB, &text, v->json, &json))
        return PF_EXIT_USAGE;
    for (size_t i = 0; i < v->x.failures.len; i++)
        if (!v->x.failures.at[i].gave_up)
            return PF_EXIT_FOUND;
    return PF_EXIT_OK;
}

static int explore(struct exploring *v, int argc, char **argv, char **program)
{
    struct pf_error e;
    struct pf_clip_meta m = {0};
    struct pf_directed d = {
        .schedule = "rr", .tracing = true, .keep_env = v->keep_env, .redact = v->redact};
    struct pf_patch patch = {0};
    char *path = NULL;
    bool existed = access(v->settings.folder, F_OK) == 0;
    pf_status s = v->patch ? pf_patch_read(&patch, v->patch, &e) : PF_OK;
    if (s == PF_OK)
        s = pf_patch_apply(&patch, program, &e);
    d.served = patch.served;
    if (s == PF_OK)
        s = pf_program_find(program[0], &path, &e);
    if (s == PF_OK)
        s = pf_program_check(path, false, &e);
    if (s == PF_OK)
        s = pf_directed_describe(&m, path, patch.argv, &d, &e);
    if (s == PF_OK)
        s = pf_folder_make(v->settings.folder, &e);
    pf_interrupt_catch();
    if (s == PF_OK)
        s = pf_explore(&v->x, &m, &v->settings, &e);
    pf_clip_meta_release(&m);
    pf_patch_release(&patch);
    free(path);
    if (!existed)
        rmdir(v->settings.folder); /* nothing happens if it has clips */
    if (s != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    pf_run_report.complete = pf_exploration_complete(&v->x);
    if (!v->clips_only)
        find_failures(v);
    return report(v, argc, argv);
}

int pf_verb_explore(int argc, char **argv)
{
    const char *time = NULL, *runs = NULL, *jobs = NULL, *folder = NULL, *state = NULL;
    struct exploring v = {0};
    const struct pf_cli_option options[] = {
        {"time", "TIME", "stop after TIME, such as 90s or 2m (default: no limit)", &time, NULL},
        {"runs", "N", "stop after N runs (default: no limit)", &runs, NULL},
        {"jobs", "N", "run N schedules in parallel (default 1); the result is the same", &jobs,
         NULL},
        {"json", "FILE", "write the result as JSON; - is standard output", &v.json, NULL},
        PF_CLI_QUIET,
        {"state", "DIR", "the state folder (default " PF_DEFAULT_STATE ")", &state, NULL},
        {"o", "DIR",
         "write clips of runs that failed or showed a data race to DIR (default: explored in the\n"
         "                         state folder)",
         &folder, NULL},
        {"clips-only", NULL, "do not replay the clips to describe what failed", NULL,
         &v.clips_only},
        {"allow-outside", NULL, "let runs use connections to other processes", NULL,
         &v.settings.allow_outside},
        {"patch", "FILE", "run with other input, or hide files; as in pf record", &v.patch, NULL},
        {"keep-env", NULL, "record the values of all environment variables", NULL, &v.keep_env},
        {"redact", "NAME",
         "never record the values of environment variables whose names match NAME, a glob;\n"
         "                         separate several by commas",
         &v.redact, NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] -- PROGRAM [ARGUMENT...]",
        "Runs PROGRAM under every schedule that makes a difference, from one checkpoint, until "
        "all\n"
        "its executions with this input were seen or a limit is reached. Runs that fail (crash,\n"
        "failed assertion, deadlock, hang, memory error, exit status) become findings with clips.\n"
        "Lists everything that it could not explore; if there is nothing, the result is complete.\n"
        "Exit status: 66 if a run failed, 0 if not, 2 on an error. A run does not count if the "
        "program\n"
        "gave up because the schedule ended a wait before its time limit.",
        options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_OK, next = pf_cli_parse(&verb, argc, argv, &status);
    char *standard = NULL;
    if (next < 0)
        return status;
    v.settings.jobs = 1;
    const struct pf_cli_number number = {"jobs", jobs, 1, PF_RESIDENT_MAX, &v.settings.jobs};
    if (pf_cli_numbers(VERB, &number, 1) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (next >= argc)
        return pf_complain(VERB, "no program given; usage: pf explore %s", verb.usage);
    if (pf_cli_count(VERB, "runs", runs, &v.settings.runs) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (pf_cli_duration(VERB, "time", time, &v.settings.time_ms) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (time && !v.settings.time_ms)
        return pf_complain(VERB, "--time=%s: expected a duration above 0", time);
    if (pf_cli_cannot_write(VERB, v.json))
        return PF_EXIT_USAGE;
    standard = pf_mem_format("%s/explored", state ? state : PF_DEFAULT_STATE);
    v.settings.folder = folder ? folder : standard;
    v.settings.should_stop = pf_interrupted;
    pf_findings_init(&v.findings);
    status = explore(&v, argc, argv, argv + next);
    pf_exploration_release(&v.x);
    pf_findings_release(&v.findings);
    free(standard);
    return status;
}
