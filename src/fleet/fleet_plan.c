/* fleet_plan.c - see fleet.h: the plan of a fleet, which holds the command line that started it. */
#define _GNU_SOURCE
#include "fleet.h"
#include "shell_word.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *path_of(const char *folder) { return pf_mem_format("%s/plan.json", folder); }

/* The command line without the options that choose what this process does with the fleet; NULL: it
 * is not UTF-8. */
static json_t *words_of(int argc, char **argv)
{
    json_t *list = json_array();
    bool options = true, valid = true;
    for (int i = 0; i < argc; i++) {
        options &= strcmp(argv[i], "--") != 0;
        if (!options || (strcmp(argv[i], "--collect") && strcmp(argv[i], "--continue")))
            valid &= json_array_append_new(list, json_string(argv[i])) == 0;
    }
    if (valid)
        return list;
    json_decref(list);
    return NULL;
}

pf_status pf_fleet_plan_check(int argc, char **argv, struct pf_error *e)
{
    json_t *words = words_of(argc, argv);
    pf_status s =
        words ? PF_OK
              : pf_fail(e, PF_BAD, "the command line is not UTF-8, so it cannot run on a fleet");
    json_decref(words);
    return s;
}

pf_status pf_fleet_plan_write(const struct pf_fleet *f, const char *on, int argc, char **argv,
                              struct pf_error *e)
{
    char *path = path_of(f->folder);
    json_t *plan =
        json_pack("{s:i,s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:I,s:I}", "version", PF_FLEET_VERSION, "name",
                  f->name, "verb", f->verb, "on", on, "state", f->state, "folder", f->cwd, "argv",
                  words_of(argc, argv), "build", pf_json_hex(f->build), "started",
                  (json_int_t)time(NULL), "limit_ms", (json_int_t)f->limit_ms);
    pf_status s = plan ? pf_json_file_write(path, plan, e)
                       : pf_fail(e, PF_BAD, "the path of a folder is not UTF-8");
    json_decref(plan);
    free(path);
    return s;
}

pf_status pf_fleet_plan_read(const char *folder, json_t **plan, struct pf_error *e)
{
    char *path = path_of(folder);
    pf_status s = pf_json_file_read(path, plan, e);
    if (s == PF_OK && pf_json_get_number(*plan, "version") != PF_FLEET_VERSION) {
        json_decref(*plan);
        *plan = NULL;
        s = pf_fail(e, PF_BAD, "%s: expected the plan of a fleet, version %d", path,
                    PF_FLEET_VERSION);
    }
    free(path);
    return s;
}

bool pf_fleet_plan_is(const struct pf_fleet *f, const json_t *plan, int argc, char **argv)
{
    json_t *words = words_of(argc, argv);
    bool same = json_equal(words, json_object_get(plan, "argv")) &&
                !strcmp(pf_json_get_text(plan, "verb"), f->verb) &&
                !strcmp(pf_json_get_text(plan, "folder"), f->cwd);
    json_decref(words);
    return same;
}

pf_status pf_fleet_plan_words(const char *folder, int *argc, char ***argv, char **cwd,
                              struct pf_error *e)
{
    json_t *plan;
    pf_status s = pf_fleet_plan_read(folder, &plan, e);
    if (s != PF_OK)
        return s;
    const json_t *words = json_object_get(plan, "argv");
    *argc = (int)json_array_size(words);
    *argv = pf_mem_zero((size_t)*argc + 1, sizeof **argv);
    for (int i = 0; i < *argc; i++)
        (*argv)[i] = pf_mem_copy(json_string_value(json_array_get(words, (size_t)i)));
    *cwd = pf_mem_copy(pf_json_get_text(plan, "folder"));
    json_decref(plan);
    return PF_OK;
}

pf_status pf_fleet_last(const char *state, const char *verb, char **folder, struct pf_error *e)
{
    char **folders = pf_fleet_list(state);
    struct pf_error ignored;
    size_t n = 0;
    *folder = NULL;
    while (folders[n])
        n++;
    while (n-- > 0) {
        json_t *plan = NULL;
        if (!*folder && !pf_fleet_folder_has_ended(folders[n]) &&
            pf_fleet_plan_read(folders[n], &plan, &ignored) == PF_OK &&
            !strcmp(pf_json_get_text(plan, "verb"), verb))
            *folder = pf_mem_copy(folders[n]);
        json_decref(plan);
        free(folders[n]);
    }
    free(folders);
    return *folder ? PF_OK : pf_fail(e, PF_BAD, "%s: no unfinished fleet of pf %s", state, verb);
}

char *pf_fleet_command_text(const struct pf_fleet *f)
{
    struct pf_error ignored;
    char *text = NULL, *here = getcwd(NULL, 0);
    size_t n = 0;
    json_t *plan = NULL;
    FILE *out = pf_mem_checked(open_memstream(&text, &n));
    if (pf_fleet_plan_read(f->folder, &plan, &ignored) == PF_OK) {
        const json_t *words = json_object_get(plan, "argv");
        const char *folder = pf_json_get_text(plan, "folder");
        if (!here || strcmp(here, folder)) {
            char *word = pf_shell_word(folder);
            fprintf(out, "cd %s && ", word);
            free(word);
        }
        fputs("pf", out);
        for (size_t i = 0; i < json_array_size(words); i++) {
            char *word = pf_shell_word(json_string_value(json_array_get(words, i)));
            fprintf(out, " %s", word);
            free(word);
        }
    }
    fclose(out);
    json_decref(plan);
    free(here);
    return text;
}
