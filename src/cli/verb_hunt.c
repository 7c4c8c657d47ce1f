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

/* Options that are words, as given; NULL: not given. */
struct hunt_options {
    const char *time, *runs, *state, *solver, *without;
    struct pf_fleet_options fleet;
};

/* Parses the command line. Returns the index of the program in argv; -1: there is nothing more to
 * do, and *status is the exit status. */
static int parse_options(struct hunt_options *o, struct hunting *v, int argc, char **argv,
                         int *status)
{
    const struct pf_cli_option options[] = {
        {"time", "TIME", "stop after TIME, such as 90s or 2m (default: 10m)", &o->time, NULL},
        {"runs", "N", "stop after N runs that no earlier session made (default: no limit)",
         &o->runs, NULL},
        {"input", "SPEC",
         "the input that may change: argv, argv[N], stdin, env:NAME, file:PATH, socket, random;\n"
         "                         separate several by commas (default: the arguments, standard "
         "input, and files\n"
         "                         that arguments name)",
         &v->settings.inputs, NULL},
        {"corpus", "DIR", "start from the inputs in DIR, too", &v->settings.corpus, NULL},
        {"export", "DIR", "write the inputs of the corpus to DIR, for other fuzzers",
         &v->settings.export, NULL},
        {"solver", "TIME", "limit of CPU time of each question to the solver (default: 2s)",
         &o->solver, NULL},
        {"without", "LIST",
         "leave parts of the search out, to compare: improve (other schedules), solver, changes "
         "(of inputs,\n"
         "                         without the solver); separate several by commas",
         &o->without, NULL},
        {"json", "FILE", "write the result as JSON; - is standard output", &v->json, NULL},
        PF_CLI_QUIET,
        {"state", "DIR", "the state folder (default " PF_DEFAULT_STATE ")", &o->state, NULL},
        PF_FLEET_OPTIONS(o->fleet),
        PF_FLEET_CONTINUE(o->fleet),
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
    int next = pf_cli_parse(&verb, argc, argv, status);
    if (next < 0)
        return -1;
    *status = pf_fleet_options_check(VERB, &o->fleet);
    if (*status != PF_EXIT_OK)
        return -1;
    if (next >= argc && !o->fleet.resume) {
        *status = pf_complain(VERB, "no program given; usage: pf hunt %s", verb.usage);
        return -1;
    }
    return next;
}

/* Checks the options, and fills in the settings. Returns an exit status. */
static int check_options(const struct hunt_options *o, struct hunting *v)
{
    struct pf_hunt_settings *s = &v->settings;
    struct pf_error e;
    s->time_ms = 600000;
    s->solver_ms = 2000;
    if (pf_cli_count(VERB, "runs", o->runs, &s->runs) != PF_EXIT_OK ||
        pf_cli_duration(VERB, "time", o->time, &s->time_ms) != PF_EXIT_OK ||
        pf_cli_duration(VERB, "solver", o->solver, &s->solver_ms) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (!leave_out(s, o->without))
        return pf_complain(VERB, "--without=%s: expected improve, solver or changes", o->without);
    if (o->fleet.on && o->without)
        return pf_complain(VERB, "--without and --on exclude each other");
    if (pf_cli_cannot_write(VERB, v->json))
        return PF_EXIT_USAGE;
    if (s->export && pf_folder_make(s->export, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    return PF_EXIT_OK;
}

int pf_verb_hunt(int argc, char **argv)
{
    struct hunt_options o = {0};
    struct hunting v = {0};
    int status = PF_EXIT_OK, next = parse_options(&o, &v, argc, argv, &status);
    if (next < 0)
        return status;
    const char *state = o.state ? o.state : PF_DEFAULT_STATE;
    if (o.fleet.resume)
        return pf_fleet_resume(VERB, state);
    if ((status = check_options(&o, &v)) != PF_EXIT_OK)
        return status;
    if (o.fleet.on) {
        struct pf_hunt_on_fleet h = {.options = &o.fleet,
                                     .state = state,
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
    char *folder = pf_mem_format("%s/hunt", state);
    v.settings.state = folder;
    v.settings.argv = argv + next;
    v.settings.should_stop = pf_interrupted;
    v.settings.progress = show_progress;
    status = run(&v, argc, argv);
    free(folder);
    return status;
}
