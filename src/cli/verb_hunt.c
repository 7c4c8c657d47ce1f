/*
 * verb_hunt.c - `pf hunt`: searches for an input and a schedule that reach a race.
 */
#define _GNU_SOURCE
#include "allocation.h"
#include "cli.h"
#include "file.h"
#include "fleet_options.h"
#include "hunt.h"
#include "hunt_on_fleet.h"
#include "launch.h"
#include "libdir.h"
#include "number_options.h"
#include "progress.h"
#include "search_stop.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "hunt"
#define WORKER "/pf-z3"

struct hunting {
    struct pf_hunt_settings settings;
    struct pf_hunt hunt;
    const char *json;
};

static void show_progress(const struct pf_hunt *h)
{
    uint64_t open = 0, found = 0, abandoned = 0;
    if (pf_quiet || !isatty(STDERR_FILENO))
        return;
    for (size_t i = 0; i < h->candidates.len; i++) {
        open += h->candidates.at[i].state == PF_HUNT_OPEN;
        found += h->candidates.at[i].state == PF_HUNT_FOUND;
        abandoned += h->candidates.at[i].state == PF_HUNT_ABANDONED;
    }
    fprintf(stderr,
            "\r\033[Kphase %u: candidates %" PRIu64 " open, %" PRIu64 " found, %" PRIu64
            " abandoned; %zu sites; %zu inputs, %zu runs",
            h->phase, open, found, abandoned, h->sites.len, h->inputs.len, h->runs.len);
}

static int report(struct hunting *v, int argc, char **argv)
{
    struct pf_hunt *h = &v->hunt;
    struct pf_text object;
    for (size_t i = 0; i < h->races.len; i++) {
        h->races.at[i].finding->input = h->races.at[i].folder;
        h->races.at[i].finding->command = h->races.at[i].command;
    }
    pf_text_init(&object, &h->findings.pool);
    pf_hunt_json(&object, h);
    json_t *hunt = pf_mem_checked(json_loadb(object.at, object.n, JSON_ALLOW_NUL, NULL));
    int status = pf_hunt_write_report(&h->findings, hunt, v->json, argc, argv);
    json_decref(hunt);
    return status;
}

static int run(struct hunting *v, int argc, char **argv)
{
    struct pf_error e;
    const char *folder = pf_libdir_find(WORKER);
    char *worker = folder ? pf_mem_format("%s%s", folder, WORKER) : NULL;
    if (!worker)
        return pf_complain(VERB, "pf-z3 is missing: it is installed in lib/photofinish with pf");
    v->settings.worker = worker;
    pf_interrupt_catch();
    pf_status s = pf_hunt(&v->hunt, &v->settings, &e);
    if (!pf_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    int status = s == PF_OK ? report(v, argc, argv) : pf_complain(VERB, "%s", e.text);
    pf_hunt_release(&v->hunt);
    free(worker);
    return status;
}

/* Reads the list of --without. False: it has another word. */
static bool leave_out(struct pf_hunt_settings *s, const char *list)
{
    const struct {
        const char *name;
        bool *off;
    } parts[] = {
        {"improve", &s->no_improve}, {"solver", &s->no_solver}, {"changes", &s->no_changes}};
    bool known = true;
    for (const char *p = list; p && known; p = *p ? p + 1 : NULL) {
        size_t n = strcspn(p, ",");
        known = false;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strlen(parts[i].name) == n && !strncmp(parts[i].name, p, n))
                known = *parts[i].off = true;
        p += n;
    }
    return known;
}

int pf_verb_hunt(int argc, char **argv)
{
    const char *time = NULL, *runs = NULL, *state = NULL, *solver = NULL, *without = NULL;
    struct pf_fleet_options fleet = {0};
    struct hunting v = {0};
    const struct pf_cli_option options[] = {
        {"time", "TIME", "stop after TIME, such as 90s or 2m (default: 10m)", &time, NULL},
        {"runs", "N", "stop after N runs that no earlier session made (default: no limit)", &runs,
         NULL},
        {"input", "SPEC",
         "the input that may change: argv, argv[N], stdin, env:NAME, file:PATH, socket, random;\n"
         "                         separate several by commas (default: the arguments, standard "
         "input, and files\n"
         "                         that arguments name)",
         &v.settings.inputs, NULL},
        {"corpus", "DIR", "start from the inputs in DIR, too", &v.settings.corpus, NULL},
        {"export", "DIR", "write the inputs of the corpus to DIR, for other fuzzers",
         &v.settings.export, NULL},
        {"solver", "TIME", "limit of CPU time of each question to the solver (default: 2s)",
         &solver, NULL},
        {"without", "LIST",
         "leave parts of the search out, to compare: improve (other schedules), solver, changes "
         "(of inputs,\n"
         "                         without the solver); separate several by commas",
         &without, NULL},
        {"json", "FILE", "write the result as JSON; - is standard output", &v.json, NULL},
        PF_CLI_QUIET,
        {"state", "DIR", "the state folder (default " PF_DEFAULT_STATE ")", &state, NULL},
        PF_FLEET_OPTIONS(fleet),
        PF_FLEET_CONTINUE(fleet),
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] -- PROGRAM [ARGUMENT...]",
        "Searches for races that the given input cannot reach: for each candidate, for an input "
        "and a\n"
        "schedule that make it happen. PROGRAM must be built with pf cc --symbolic (or "
        "--on-demand).\n"
        "Every race is confirmed by an ordinary run, and has a clip, its input as files, and the "
        "command that\n"
        "uses it.\n"
        "Exit status: 66 if a race was found, 0 if not, 2 on an error.",
        options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_OK, next = pf_cli_parse(&verb, argc, argv, &status);
    if (next < 0)
        return status;
    if (pf_fleet_options_check(VERB, &fleet) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    v.settings.time_ms = 600000;
    v.settings.solver_ms = 2000;
    if (fleet.resume)
        return pf_fleet_resume(VERB, state ? state : PF_DEFAULT_STATE);
    if (next >= argc)
        return pf_complain(VERB, "no program given; usage: pf hunt %s", verb.usage);
    if (pf_cli_count(VERB, "runs", runs, &v.settings.runs) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (pf_cli_duration(VERB, "time", time, &v.settings.time_ms) != PF_EXIT_OK ||
        pf_cli_duration(VERB, "solver", solver, &v.settings.solver_ms) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (!leave_out(&v.settings, without))
        return pf_complain(VERB, "--without=%s: expected improve, solver or changes", without);
    if (fleet.on && without)
        return pf_complain(VERB, "--without and --on exclude each other");
    if (pf_cli_cannot_write(VERB, v.json))
        return PF_EXIT_USAGE;
    struct pf_error e;
    if (v.settings.export && pf_folder_make(v.settings.export, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    if (fleet.on) {
        struct pf_hunt_on_fleet h = {.options = &fleet,
                                     .state = state ? state : PF_DEFAULT_STATE,
                                     .json = v.json,
                                     .export = v.settings.export,
                                     .inputs = v.settings.inputs,
                                     .argc = argc,
                                     .argv = argv,
                                     .first = next,
                                     .time_ms = v.settings.time_ms,
                                     .runs = v.settings.runs};
        return pf_hunt_on_fleet(&h);
    }
    char *folder = pf_mem_format("%s/hunt", state ? state : PF_DEFAULT_STATE);
    v.settings.state = folder;
    v.settings.argv = argv + next;
    v.settings.should_stop = pf_interrupted;
    v.settings.progress = show_progress;
    status = run(&v, argc, argv);
    free(folder);
    return status;
}
