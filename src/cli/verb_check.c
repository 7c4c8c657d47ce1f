/* verb_check.c - `pf check`: free runs, recordings, predictions and tries, in the order of the
 * chain, and one report of all findings. */
#define _GNU_SOURCE
#include "baseline.h"
#include "check_load.h"
#include "check_loop.h"
#include "check_parse.h"
#include "cli.h"
#include "clip.h"
#include "duration.h"
#include "file.h"
#include "fleet_check.h"
#include "fleet_options.h"
#include "launch.h"
#include "report_text.h"
#include "shell_word.h"
#include "state_limit.h"
#include "state_read.h"
#include "text_format.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int complain(const struct pf_error *e) { return pf_complain(PF_CHECK_VERB, "%s", e->text); }

/* --- the folder --- */

/* Steps that were cut off have no line in the journal; their numbers are not reused. */
static void skip_used(struct pf_check_work *w)
{
    static const char *const forms[] = {PF_CHECK_RUNS, PF_CHECK_CLIP, PF_CHECK_OUTPUT};
    uint64_t last = w->steps;
    for (uint64_t n = last + 1; n <= last + PF_CHECK_JOBS_MAX; n++)
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            char path[PATH_MAX];
            pf_check_path(path, w->folder->absolute, forms[i], n);
            if (access(path, F_OK) == 0)
                w->steps = n;
        }
}

/* Restores what a resumed check has already done. */
static pf_status restore(struct pf_check_work *w, struct pf_error *e)
{
    struct pf_check_lines lines;
    char path[PATH_MAX];
    pf_status s = pf_check_journal_read(w->folder->absolute, &lines, e);
    if (s == PF_OK)
        s = pf_check_found_reload(&w->found, w->folder, &lines, e);
    for (size_t i = 0; s == PF_OK && i < lines.len; i++) {
        pf_check_path(path, w->folder->absolute, PF_CHECK_CLIP, lines.at[i].step);
        bool records = lines.at[i].kind == PF_CHECK_RECORD || lines.at[i].kind == PF_CHECK_DIRECT;
        if (records && lines.at[i].test < w->chain.ntests)
            pf_check_add_children(w, &lines.at[i]);
        pf_chain_restore(&w->chain, &lines.at[i], access(path, R_OK) == 0);
        w->steps = lines.at[i].step > w->steps ? lines.at[i].step : w->steps;
    }
    free(lines.at);
    if (w->steps + 1 < w->settings->part.first)
        w->steps = w->settings->part.first - 1;
    pf_chain_start_at(&w->chain, w->settings->part.round);
    skip_used(w);
    return s;
}

/* Copies the other tool's report into the folder, because it may be gone when the check is
 * resumed. */
static pf_status copy_foreign(const struct pf_check_work *w, struct pf_error *e)
{
    char path[PATH_MAX], *data;
    size_t n;
    if (!w->settings->from)
        return PF_OK;
    snprintf(path, sizeof path, "%s/from", w->folder->absolute);
    pf_status s = pf_file_read(w->settings->from, &data, &n, e);
    if (s == PF_OK) {
        s = pf_file_write(path, data, n, e);
        free(data);
    }
    return s;
}

static pf_status read_foreign(struct pf_check_work *w, struct pf_error *e)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/from", w->folder->absolute);
    return access(path, R_OK) ? PF_OK : pf_check_found_foreign(&w->found, path, e);
}

/* --- the report --- */

static pf_status write_json(const char *file, const struct pf_findings *f, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    const struct pf_process *p = f->processes;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_findings_json(&t, f, p ? p->command : NULL, p ? p->ncommand : 0);
    pf_status s = pf_file_write(file, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

static pf_status write_text(const struct pf_findings *f, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_report_text(&t, f, NULL, pf_color_wanted(STDOUT_FILENO));
    pf_status s = pf_file_write("-", t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

/* True if there is a finding that makes the check fail. A report of another tool that pf could not
 * confirm does not. fail_on: as in the settings. */
static bool found_some(const struct pf_findings *f, const char *fail_on)
{
    int what = fail_on ? pf_fail_on_from(fail_on) : PF_FAIL_ANY;
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i]->status != PF_STATUS_PREDICTED &&
            pf_finding_fails(f->at[i], false, (enum pf_fail_on)what))
            return true;
    return false;
}

/* Says once that clips of findings contain the whole environment. */
static void print_environment(const struct pf_findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct pf_clip clip;
        struct pf_error ignored;
        if (!f->at[i]->clip || pf_clip_open(&clip, f->at[i]->clip, &ignored) != PF_OK)
            continue;
        bool whole = clip.end.whole;
        pf_clip_release(&clip);
        if (!whole)
            continue;
        pf_note(PF_CHECK_VERB,
                "the program read its whole environment or passed it to another program; clips "
                "contain all of it, private values included (--redact leaves variables out)");
        return;
    }
}

/* --require-full: true if some code has no checks, which is reported. */
static bool lacks_checks(const struct pf_findings *f)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_findings_unchecked_text(&t, f);
    bool some = t.n;
    if (some)
        pf_complain(PF_CHECK_VERB, "--require-full: code without checks: %.*s", (int)t.n, t.at);
    pf_pool_release(&pool);
    return some;
}

static int report(const struct pf_check_work *w)
{
    struct pf_findings f;
    struct pf_error e;
    int status = PF_EXIT_OK;
    pf_findings_init(&f);
    pf_status s = pf_check_load(&f, w->folder->path, &e);
    pf_findings_examine_objects(&f);
    pf_findings_sort(&f);
    bool alone = w->settings->json && !strcmp(w->settings->json, "-");
    if (s == PF_OK && !alone && !w->settings->quiet)
        s = write_text(&f, &e);
    if (s == PF_OK && w->settings->json)
        s = write_json(w->settings->json, &f, &e);
    if (s == PF_OK && !w->settings->quiet)
        print_environment(&f);
    if (s != PF_OK)
        status = complain(&e);
    else if (w->settings->require_full && lacks_checks(&f))
        status = PF_EXIT_USAGE;
    else if (found_some(&f, w->settings->fail_on) && pf_check_found_status(&w->found))
        status = pf_check_found_status(&w->found);
    else if (w->signal)
        status = 128 + w->signal;
    else if (!f.nprocesses && f.check->runs)
        status = pf_complain(PF_CHECK_VERB, "no instrumented process ran, so nothing was checked");
    pf_findings_release(&f);
    return status;
}

static void print_folder(const struct pf_check_work *w)
{
    if (w->settings->quiet)
        return;
    char *state = w->settings->state ? pf_shell_word(w->settings->state) : NULL;
    const char *option = state ? " --state " : "", *value = state ? state : "";
    if (w->signal)
        pf_note(PF_CHECK_VERB, "stopped; resume with: pf check --continue%s%s", option, value);
    pf_note(PF_CHECK_VERB, "kept in %s; for an HTML report: pf report --html -o report.html%s%s",
            w->folder->path, option, value);
    free(state);
}

/* Writes how the check ended; the report says "incomplete" if it was stopped or ended early. */
static pf_status write_end(const struct pf_check_work *w, bool stopped, struct pf_error *e)
{
    const char *how = stopped                                 ? PF_CHECK_END_SIGNAL
                      : !pf_chain_first_round_done(&w->chain) ? PF_CHECK_END_EARLY
                      : pf_chain_is_complete(&w->chain)       ? PF_CHECK_END_COMPLETE
                                                              : PF_CHECK_END_DONE;
    struct pf_check_end end = {.ms = w->earlier_ms + pf_now_ms() - w->began_ms};
    snprintf(end.how, sizeof end.how, "%s", how);
    return pf_check_end_write(w->folder->absolute, &end, e);
}

static int work(const struct pf_check_settings *settings, const struct pf_check_folder *folder,
                bool resume)
{
    struct pf_check_work w = {.settings = settings, .folder = folder, .began_ms = pf_now_ms()};
    struct pf_check_end end;
    struct pf_error e;
    char path[PATH_MAX];
    if (pf_check_end_read(&end, folder->absolute))
        w.earlier_ms = end.ms;
    snprintf(path, sizeof path, "%s/" PF_CHECK_END, folder->absolute);
    unlink(path);
    pf_check_found_init(&w.found);
    pf_status s = pf_chain_init(&w.chain, settings, &e);
    if (s == PF_OK && settings->launch.suppressions)
        s = pf_check_found_read_suppressions(&w.found, settings->launch.suppressions, &e);
    if (s == PF_OK)
        s = copy_foreign(&w, &e);
    if (s == PF_OK && resume)
        s = restore(&w, &e);
    if (resume && settings->rounds) /* --runs counts the rounds after the resumption */
        w.chain.rounds += w.chain.round;
    if (s == PF_OK)
        s = read_foreign(&w, &e);
    if (s == PF_OK)
        s = pf_check_loop(&w, &e);
    if (s == PF_OK)
        s = write_end(&w, w.signal, &e);
    if (s == PF_OK)
        pf_state_limit(folder, UINT64_MAX, settings->keep_bytes);
    int status = s == PF_OK ? report(&w) : complain(&e);
    if (s == PF_OK)
        print_folder(&w);
    pf_check_found_release(&w.found);
    pf_check_failures_release(&w.failures);
    pf_chain_release(&w.chain);
    return status;
}

/* --- on a fleet --- */

/* Runs the rounds as tasks of a fleet, merges them into one folder of a check, and reports that. */
static int work_on_fleet(const struct pf_check_settings *settings,
                         const struct pf_fleet_options *options, int argc, char **argv)
{
    struct pf_fleet f;
    struct pf_check_folder folder = {.lock = -1};
    struct pf_check_work w = {.settings = settings, .folder = &folder, .began_ms = pf_now_ms()};
    struct pf_error e;
    static const char *const own[] = {"seed",  "runs",  "time", "json",
                                      "state", "suite", "jobs", NULL};
    const char *state = settings->state ? settings->state : PF_DEFAULT_STATE;
    bool finished = false;
    int n, status;
    char **words = pf_fleet_strip(argc, argv, own, &n);
    pf_check_found_init(&w.found);
    pf_status s = pf_fleet_open(&f, PF_CHECK_VERB, state, options, argc, argv, settings->build, &e);
    if (s == PF_OK)
        s = pf_fleet_check_folder(&f, &folder, settings, argc, argv, &e);
    if (s == PF_OK)
        s = copy_foreign(&w, &e);
    if (s == PF_OK)
        s = pf_fleet_check_run(&f, settings, &folder, n, words, options->collect, &finished, &e);
    if (s == PF_OK)
        s = pf_chain_init(&w.chain, settings, &e);
    if (s == PF_OK)
        s = restore(&w, &e);
    if (s == PF_OK)
        s = write_end(&w, !finished, &e);
    status = s == PF_OK ? report(&w) : complain(&e);
    if (s == PF_OK)
        print_folder(&w);
    if (s == PF_OK)
        status = pf_fleet_conclude(&f, PF_CHECK_VERB, finished, status);
    pf_check_found_release(&w.found);
    pf_chain_release(&w.chain);
    pf_check_folder_release(&folder);
    pf_fleet_release(&f);
    free(words);
    return status;
}

/* --- the verb --- */

/* Reads from the plan which part of the check this task of a fleet works on. */
static pf_status read_part(struct pf_check_settings *settings, const struct pf_check_folder *folder,
                           struct pf_error *e)
{
    struct pf_check_description about;
    pf_status s = pf_check_description_read(&about, folder->absolute, e);
    if (s == PF_OK)
        settings->part = about.part;
    pf_check_description_release(&about);
    return s;
}

/* --continue: uses the stored command line; --time, --runs, --jobs and --keep of the current one
 * win. */
static int continue_check(const struct pf_check_settings *now)
{
    struct pf_check_folder folder;
    struct pf_check_settings settings = {0};
    struct pf_error e;
    char **argv = NULL;
    int argc = 0, status = PF_EXIT_USAGE;
    uint64_t build = 0;
    struct pf_fleet_options fleet = {0}; /* a local process may continue the check of a fleet */
    pf_status s = pf_check_folder_last(&folder, now->state ? now->state : PF_DEFAULT_STATE,
                                       now->words, now->nwords, &argc, &argv, &build, &e);
    if (s != PF_OK)
        status = complain(&e);
    else if (pf_check_settings_parse(&settings, &fleet, argc, argv, &status)) {
        settings.time = now->time ? now->time : settings.time;
        settings.runs = now->runs ? now->runs : settings.runs;
        settings.jobs = now->jobs ? now->jobs : settings.jobs;
        settings.keep = now->keep ? now->keep : settings.keep;
        settings.json = now->json;
        settings.quiet = now->quiet;
        settings.state = now->state;
        settings.from = NULL; /* a copy is in the folder */
        s = pf_check_settings_resolve(&settings, &e);
        if (s == PF_OK)
            s = read_part(&settings, &folder, &e);
        if (s == PF_OK && settings.build != build)
            s = pf_fail(&e, PF_BAD,
                        "%s: the program was rebuilt since, so its recordings no longer fit; start "
                        "a new check",
                        folder.path);
        status = s == PF_OK ? work(&settings, &folder, true) : complain(&e);
        pf_check_settings_release(&settings);
    }
    for (int i = 0; argv && i < argc; i++)
        free(argv[i]);
    free(argv);
    pf_check_folder_release(&folder);
    return status;
}

int pf_verb_check(int argc, char **argv)
{
    struct pf_check_settings settings = {0};
    struct pf_fleet_options fleet = {0};
    struct pf_check_folder folder;
    struct pf_error e;
    int status = PF_EXIT_USAGE;
    if (!pf_check_settings_parse(&settings, &fleet, argc, argv, &status))
        return status;
    if (pf_fleet_options_check(PF_CHECK_VERB, &fleet) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    if (settings.resume && fleet.on)
        return pf_fleet_resume(PF_CHECK_VERB, settings.state ? settings.state : PF_DEFAULT_STATE);
    if (settings.resume)
        return continue_check(&settings);
    pf_status s = pf_check_settings_resolve(&settings, &e);
    if (s == PF_OK && fleet.on) {
        status = work_on_fleet(&settings, &fleet, argc, argv);
    } else if (s == PF_OK) {
        const char *state = settings.state ? settings.state : PF_DEFAULT_STATE;
        s = pf_check_folder_new(&folder, state, &settings, argc, argv, &e);
        if (s == PF_OK)
            status = work(&settings, &folder, false);
        pf_check_folder_release(&folder);
    }
    if (s != PF_OK)
        status = complain(&e);
    pf_check_settings_release(&settings);
    return status;
}
