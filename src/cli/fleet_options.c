/* fleet_options.c - see fleet_options.h. */
#define _GNU_SOURCE
#include "fleet_options.h"
#include "allocation.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run_verb(const char *verb, int argc, char **argv)
{
#define PF_VERB(word, function, help)                                                              \
    if (!strcmp(verb, word))                                                                       \
        return function(argc, argv);
#include "verbs.def"
#undef PF_VERB
    return pf_complain("fleet", "unknown verb '%s'", verb);
}

/* True if the word is the option --NAME or --NAME=VALUE; *separate: its value is the next word. */
static bool is_option(const char *word, const char *name, bool has_value, bool *separate)
{
    size_t n = strlen(name), dashes = n == 1 ? 1 : 2;
    const char *rest = word + dashes + n;
    if (strncmp(word, "--", dashes) || strncmp(word + dashes, name, n) || (*rest && *rest != '='))
        return false;
    *separate = has_value && !*rest;
    return true;
}

int pf_fleet_options_check(const char *verb, const struct pf_fleet_options *f)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {{"tasks", f->tasks},    {"batch", f->batch},     {"node-time", f->node_time},
                   {"shared", f->shared},  {"scratch", f->scratch}, {"env", f->env},
                   {"collect", f->collect}};
    for (size_t i = 0; !f->on && i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return pf_complain(verb, "--%s needs --on", options[i].name);
    return PF_EXIT_OK;
}

char **pf_fleet_strip(int argc, char **argv, const char *const *own, int *n)
{
    static const char *const values[] = {"on",     "tasks",   "batch", "node-time",
                                         "shared", "scratch", "env"};
    static const char *const flags[] = {"collect", "continue", "quiet"};
    char **kept = pf_mem_zero((size_t)argc + 1, sizeof *kept);
    bool options = true;
    *n = 0;
    for (int i = 0; i < argc; i++) {
        bool drop = false, separate = false;
        options &= strcmp(argv[i], "--") != 0;
        for (size_t k = 0; options && i && !drop && k < sizeof values / sizeof *values; k++)
            drop = is_option(argv[i], values[k], true, &separate);
        for (const char *const *o = own; options && i && !drop && *o; o++)
            drop = is_option(argv[i], *o, true, &separate);
        for (size_t k = 0; options && i && !drop && k < sizeof flags / sizeof *flags; k++)
            drop = is_option(argv[i], flags[k], false, &separate);
        if (!drop)
            kept[(*n)++] = argv[i];
        i += separate;
    }
    return kept;
}

int pf_fleet_rerun(const char *verb, const char *folder, bool collect)
{
    struct pf_error e;
    int argc = 0, status;
    char **argv = NULL, *cwd = NULL;
    if (pf_fleet_plan_words(folder, &argc, &argv, &cwd, &e) != PF_OK)
        return pf_complain(verb, "%s", e.text);
    char **words = pf_mem_zero((size_t)argc + 2, sizeof *words);
    int n = 0;
    for (int i = 0; i < argc; i++) {
        words[n++] = argv[i];
        if (i == 0 && collect)
            words[n++] = "--collect";
    }
    if (chdir(cwd))
        status =
            pf_complain(verb, "%s: cannot enter the folder of the fleet: %s", cwd, strerror(errno));
    else
        status = run_verb(verb, n, words);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    free(argv);
    free(words);
    free(cwd);
    return status;
}

int pf_fleet_resume(const char *verb, const char *state)
{
    struct pf_error e;
    char *folder;
    if (pf_fleet_last(state, verb, &folder, &e) != PF_OK)
        return pf_complain(verb, "%s", e.text);
    int status = pf_fleet_rerun(verb, folder, false);
    free(folder);
    return status;
}

int pf_fleet_conclude(struct pf_fleet *f, const char *verb, bool finished, int status)
{
    struct pf_error e;
    size_t left = pf_fleet_incomplete(f);
    if (finished && !left && !f->signal && !f->cancelled)
        return pf_fleet_end(f, &e) == PF_OK ? status : pf_complain(verb, "%s", e.text);
    char *command = pf_fleet_command_text(f);
    if (left)
        pf_complain(verb, "incomplete: %zu %s not end; to go on: %s", left,
                    left == 1 ? "task did" : "tasks did", command);
    else
        pf_complain(verb, "incomplete: work is left; to go on: %s", command);
    free(command);
    return f->signal ? 128 + f->signal : status == PF_EXIT_OK ? PF_EXIT_USAGE : status;
}
