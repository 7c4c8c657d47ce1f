/*
 * ignore.c - reads ignore lists and matches names against them; see ignore.h.
 */
#define _GNU_SOURCE
#include "ignore.h"
#include "ignore_line.h"
#include "ptrmap.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

struct rule {
    enum pf_ignore_kind kind;
    char *glob;
};

struct pf_ignore {
    struct rule *rules;
    size_t n, cap;
};

static void load_file(struct pf_ignore *list, const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        fprintf(stderr, "pf cc: error: cannot read the ignore list %s: %s\n", path,
                strerror(errno));
        exit(1);
    }
    char *line = NULL, *glob;
    size_t size = 0;
    for (unsigned number = 1; getline(&line, &size, in) >= 0; number++) {
        enum pf_ignore_kind kind = pf_ignore_line(line, &glob);
        if (kind == PF_IGNORE_BAD) {
            fprintf(stderr, "pf cc: error: %s:%u: expected fun:GLOB or src:GLOB, found \"%s\"\n",
                    path, number, glob - 4);
            exit(1);
        }
        if (kind != PF_IGNORE_BLANK)
            PF_PUSH(list->rules, list->n, list->cap) = (struct rule){kind, pf_copy_string(glob)};
    }
    free(line);
    fclose(in);
}

struct pf_ignore *pf_ignore_load(void)
{
    const char *given = getenv("PF_PLUGIN_IGNORE");
    if (!given || !*given)
        return NULL;
    struct pf_ignore *list = pf_grow(NULL, sizeof *list);
    *list = (struct pf_ignore){0};
    char *paths = pf_copy_string(given), *rest = paths;
    for (char *path; (path = strsep(&rest, "\n"));)
        load_file(list, path);
    free(paths);
    return list;
}

void pf_ignore_free(struct pf_ignore *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->n; i++)
        free(list->rules[i].glob);
    free(list->rules);
    free(list);
}

static bool matches(const struct pf_ignore *list, enum pf_ignore_kind kind, const char *text)
{
    for (size_t i = 0; list && text && i < list->n; i++)
        if (list->rules[i].kind == kind && !fnmatch(list->rules[i].glob, text, 0))
            return true;
    return false;
}

bool pf_ignore_function(const struct pf_ignore *list, const char *name)
{
    return matches(list, PF_IGNORE_FUN, name);
}

bool pf_ignore_source(const struct pf_ignore *list, const char *path)
{
    return matches(list, PF_IGNORE_SRC, path);
}
