/* verb_fleet.c - `pf fleet`: shows, merges and cancels fleets, and runs their tasks. */
#define _GNU_SOURCE
#include "allocation.h"
#include "file.h"
#include "fleet_engine.h"
#include "fleet_options.h"
#include "fleet_task.h"
#include "launch.h"
#include "state_read.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "fleet"

/* --- status --- */

static void print_task(const struct pf_fleet *f, const struct pf_fleet_task *t, bool alive)
{
    char *done = pf_fleet_path(f, "done", t->id, ".json");
    char *result = pf_fleet_path(f, "results", t->id, "");
    json_t *head = NULL;
    struct pf_error ignored;
    const char *state = alive                       ? "waits or runs"
                        : access(result, F_OK) == 0 ? "has a result that is not merged"
                        : t->state == PF_FLEET_DONE ? "done"
                                                    : "lost; pf submits it again on --continue";
    printf("  task %" PRIu64 " (", t->id);
    pf_print_name(stdout, t->what);
    printf("): %s", state);
    if (t->state == PF_FLEET_DONE && pf_json_file_read(done, &head, &ignored) == PF_OK) {
        const char *ended = pf_json_get_text(head, "ended");
        bool cut = strcmp(ended, PF_TASK_DONE) != 0;
        printf(" on %s, %.1f s%s%s", pf_json_get_text(head, "node"),
               (double)pf_json_get_number(head, "wall_ms") / 1000, cut ? ", cut off: " : "",
               cut ? ended : "");
    }
    putchar('\n');
    json_decref(head);
    free(done);
    free(result);
}

static int show(const char *folder, bool all)
{
    struct pf_fleet f;
    struct pf_error e;
    pf_vec_u64 alive = {0};
    size_t done = 0;
    pf_status s = pf_fleet_view(&f, folder, &e);
    bool ended = s == PF_OK && pf_fleet_has_ended(&f);
    if (s == PF_OK && !ended)
        s = f.engine->list(&f, &alive, &e);
    for (size_t i = 0; s == PF_OK && i < f.tasks.len; i++)
        done += f.tasks.at[i].state == PF_FLEET_DONE;
    if (s == PF_OK) {
        printf("%s: pf %s on %s%s%s: %s, %zu of %zu tasks are done\n", folder, f.verb,
               f.engine->name, *f.where ? ":" : "", f.where, ended ? "ended" : "not ended", done,
               f.tasks.len);
        for (size_t i = 0; i < f.tasks.len && (all || !ended); i++) {
            bool is_alive = false;
            for (size_t k = 0; k < alive.len; k++)
                is_alive |= alive.at[k] == f.tasks.at[i].id;
            if (all || f.tasks.at[i].state != PF_FLEET_DONE)
                print_task(&f, &f.tasks.at[i], is_alive);
        }
    }
    pf_vec_release(&alive);
    pf_fleet_release(&f);
    return s == PF_OK ? PF_EXIT_OK : pf_complain(VERB, "%s", e.text);
}

static int cancel(const char *folder)
{
    struct pf_fleet f;
    struct pf_error e;
    pf_status s = pf_fleet_view(&f, folder, &e);
    if (s == PF_OK && !pf_fleet_has_ended(&f))
        s = pf_fleet_cancel(&f, &e);
    if (s == PF_OK) {
        char *command = pf_fleet_command_text(&f);
        printf("%s: cancelled; to go on: %s\n", folder, command);
        free(command);
    }
    pf_fleet_release(&f);
    return s == PF_OK ? PF_EXIT_OK : pf_complain(VERB, "%s", e.text);
}

/* Runs `what` on every fleet that has not ended; status also shows the last fleet, or all of them.
 * Returns the first exit status that is not 0. */
static int on_fleets(const char *state, const char *what, bool all)
{
    char **folders = pf_fleet_list(state);
    size_t n = 0;
    int status = PF_EXIT_OK;
    while (folders[n])
        n++;
    if (!n)
        status = pf_complain(VERB, "%s: no fleet in this state folder", state);
    for (size_t i = 0; i < n; i++) {
        struct pf_fleet f;
        struct pf_error e;
        int one = PF_EXIT_OK;
        bool read = pf_fleet_view(&f, folders[i], &e) == PF_OK;
        bool open = read && !pf_fleet_has_ended(&f);
        if (!read && strcmp(what, "status"))
            one = pf_complain(VERB, "%s", e.text);
        else if (!strcmp(what, "status"))
            one = open || all || i + 1 == n ? show(folders[i], all) : PF_EXIT_OK;
        else if (!strcmp(what, "cancel") && open)
            one = cancel(folders[i]);
        else if (!strcmp(what, "collect") && open)
            one = pf_fleet_rerun(f.verb, folders[i], true);
        status = status == PF_EXIT_OK ? one : status;
        pf_fleet_release(&f);
    }
    for (size_t i = 0; i < n; i++)
        free(folders[i]);
    free(folders);
    return status;
}

/* --- the verb --- */

/* Sets the variables that standard input has as NAME=VALUE, each ended by a byte 0. */
static pf_status read_variables(struct pf_error *e)
{
    char *text;
    size_t n;
    pf_status s = pf_file_read("/dev/stdin", &text, &n, e);
    if (s != PF_OK)
        return s;
    for (size_t at = 0; at < n; at += strlen(text + at) + 1) {
        char *value = strchr(text + at, '=');
        if (value) {
            *value = 0;
            pf_mem_setenv(text + at, "%s", value + 1);
            *value = '=';
        }
    }
    free(text);
    return PF_OK;
}

static int run_task(int argc, char **argv)
{
    struct pf_error e;
    char *end = NULL;
    bool variables = argc == 3 && !strcmp(argv[0], "-");
    argc -= variables;
    argv += variables;
    uint64_t id = argc == 2 ? strtoull(argv[1], &end, 10) : 0;
    if (!id || *end)
        return pf_complain(VERB, "usage: pf fleet task [-] FOLDER N");
    if (variables && read_variables(&e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    return pf_fleet_task_run(argv[0], id, &e) == PF_OK ? PF_EXIT_OK
                                                       : pf_complain(VERB, "%s", e.text);
}

int pf_verb_fleet(int argc, char **argv)
{
    const char *state = PF_DEFAULT_STATE;
    bool all = false;
    const struct pf_cli_option options[] = {
        {"all", NULL, "status: also show tasks that are done, and fleets that have ended", NULL,
         &all},
        {"state", "DIR", "the state folder (default " PF_DEFAULT_STATE ")", &state, NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] status | collect | cancel | task [-] FOLDER N",
        "Shows, merges and cancels work that suite, check, hunt or judge has spread over nodes "
        "with --on.\n"
        "status: which tasks are done, wait or run. collect: merges the results that are there "
        "into "
        "the\n"
        "state folder, and shows the report so far. cancel: ends all tasks. task: runs one task; "
        "batch\n"
        "systems call it. With -, it reads environment variables from standard input, as "
        "NAME=VALUE, each\n"
        "ended by a byte 0.\n"
        "Exit status: 0; that of the verb for collect; 2 on an error.",
        options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_OK, next = pf_cli_parse(&verb, argc, argv, &status);
    if (next < 0)
        return status;
    const char *what = next < argc ? argv[next] : "";
    if (next < argc && strcmp(what, "task")) { /* options may follow the word */
        int more = pf_cli_parse(&verb, argc - next, argv + next, &status);
        if (more < 0)
            return status;
        next += more - 1;
    }
    if (!strcmp(what, "task"))
        return run_task(argc - next - 1, argv + next + 1);
    if (next + 1 == argc &&
        (!strcmp(what, "status") || !strcmp(what, "collect") || !strcmp(what, "cancel")))
        return on_fleets(state, what, all);
    return pf_complain(VERB, "expected status, collect, cancel or task; usage: pf fleet %s",
                       verb.usage);
}
