/* check_folder.c - see check_folder.h: the folder, its description plan.json, and its lock. */
#define _GNU_SOURCE
#include "check_folder.h"
#include "allocation.h"
#include "channel.h"
#include "file.h"
#include "finding_json.h"
#include "text_format.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

void pf_check_path(char *to, const char *folder, const char *format, uint64_t n)
{
    char tail[64];
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    snprintf(tail, sizeof tail, format, (unsigned long long)n);
#pragma clang diagnostic pop
    snprintf(to, PATH_MAX, "%s%s", folder, tail);
}

void pf_check_searched_path(char *to, const char *folder, const struct pf_check_line *line)
{
    pf_check_path(to, folder, PF_CHECK_CLIP, line->from_step);
    size_t n = strlen(to);
    if (line->child[0])
        snprintf(to + n, PATH_MAX - n, PF_FORKED_SUFFIX "%s", line->child);
}

pf_status pf_check_end_write(const char *folder, const struct pf_check_end *end, struct pf_error *e)
{
    char path[PATH_MAX], line[64];
    snprintf(path, sizeof path, "%s/" PF_CHECK_END, folder);
    int n = snprintf(line, sizeof line, "%s %" PRIu64, end->how, end->ms);
    return pf_file_write(path, line, (size_t)n, e);
}

bool pf_check_end_read(struct pf_check_end *end, const char *folder)
{
    char path[PATH_MAX], *line;
    size_t n;
    struct pf_error ignored;
    *end = (struct pf_check_end){.ms = 0};
    snprintf(path, sizeof path, "%s/" PF_CHECK_END, folder);
    if (access(path, R_OK) || pf_file_read(path, &line, &n, &ignored) != PF_OK)
        return false;
    sscanf(line, "%15s %" SCNu64, end->how, &end->ms);
    free(line);
    return true;
}

static void add_words(struct pf_text *t, const char *name, char **words, int n)
{
    pf_json_key(t, name);
    pf_text_char(t, '[');
    for (int i = 0; i < n; i++) {
        pf_text_add(t, i ? "," : "");
        pf_text_json(t, words[i]);
    }
    pf_text_char(t, ']');
}

static pf_status write_plan(const struct pf_check_folder *c,
                            const struct pf_check_settings *settings, int argc, char **argv,
                            struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    char path[PATH_MAX], *here = getcwd(NULL, 0);
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_text_char(&t, '{');
    pf_json_num(&t, "version", 1);
    add_words(&t, "argv", argv, argc);
    char *suite[] = {"--suite", (char *)settings->suite};
    add_words(&t, "words", settings->suite ? suite : settings->words,
              settings->suite ? 2 : settings->nwords);
    pf_json_str(&t, "folder", here ? here : "");
    pf_json_address(&t, "build", settings->build);
    pf_text_add(&t, "}\n");
    snprintf(path, sizeof path, "%s/" PF_CHECK_PLAN, c->path);
    pf_status s = pf_file_write(path, t.at, t.n, e);
    pf_pool_release(&pool);
    free(here);
    return s;
}

static pf_status take_lock(struct pf_check_folder *c, struct pf_error *e)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lock", c->path);
    c->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (c->lock < 0)
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (flock(c->lock, LOCK_EX | LOCK_NB))
        return pf_fail(e, PF_IO, "%s: in use by another pf check", c->path);
    c->absolute = realpath(c->path, NULL);
    return c->absolute ? PF_OK : pf_fail(e, PF_IO, "%s: %s", c->path, strerror(errno));
}

/* Removes the folder of a check that could not begin. */
static void remove_new(const struct pf_check_folder *c, const char *const *parts, size_t n)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lock", c->path);
    unlink(path);
    while (n-- > 0) {
        snprintf(path, sizeof path, "%s%s", c->path, parts[n]);
        rmdir(path);
    }
}

pf_status pf_check_folder_new(struct pf_check_folder *c, const char *state,
                              const struct pf_check_settings *settings, int argc, char **argv,
                              struct pf_error *e)
{
    static const char *const parts[] = {"", "/.runs", "/clips", "/found"};
    struct timespec now;
    pf_status s = PF_OK;
    *c = (struct pf_check_folder){.lock = -1};
    clock_gettime(CLOCK_REALTIME, &now);
    /* The time in milliseconds comes first, so that names sort by time. */
    c->path =
        pf_mem_format("%s/" PF_CHECK_FOLDER "/%" PRIu64 "-%d", state,
                      (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000, (int)getpid());
    for (size_t i = 0; s == PF_OK && i < sizeof parts / sizeof parts[0]; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", c->path, parts[i]);
        s = pf_folder_make(path, e);
    }
    if (s == PF_OK)
        s = take_lock(c, e);
    if (s == PF_OK)
        s = write_plan(c, settings, argc, argv, e);
    if (s != PF_OK)
        remove_new(c, parts, sizeof parts / sizeof parts[0]);
    return s;
}

static int is_check(const struct dirent *d) { return d->d_name[0] >= '0' && d->d_name[0] <= '9'; }

char **pf_check_folder_list(const char *state)
{
    char path[PATH_MAX];
    struct dirent **found;
    snprintf(path, sizeof path, "%s/" PF_CHECK_FOLDER, state);
    int n = scandir(path, &found, is_check, alphasort);
    char **names = pf_mem_zero((n > 0 ? (size_t)n : 0) + 1, sizeof *names);
    for (int i = 0; i < n; i++) {
        names[i] = pf_mem_copy(found[i]->d_name);
        free(found[i]);
    }
    if (n >= 0)
        free(found);
    return names;
}

/* --- plan.json --- */

static char **read_words(const json_t *list, int *n)
{
    *n = (int)json_array_size(list);
    char **words = pf_mem_zero((size_t)*n + 1, sizeof *words);
    for (int i = 0; i < *n; i++) {
        const char *s = json_string_value(json_array_get(list, (size_t)i));
        words[i] = pf_mem_copy(s ? s : "");
    }
    return words;
}

pf_status pf_check_description_read(struct pf_check_description *a, const char *folder,
                                    struct pf_error *e)
{
    char path[PATH_MAX], *text;
    size_t n;
    json_error_t why;
    *a = (struct pf_check_description){0};
    snprintf(path, sizeof path, "%s/" PF_CHECK_PLAN, folder);
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    json_t *o = json_loadb(text, n, JSON_ALLOW_NUL, &why);
    free(text);
    const char *build = json_string_value(json_object_get(o, "build"));
    const char *cwd = json_string_value(json_object_get(o, "folder"));
    if (!o || json_integer_value(json_object_get(o, "version")) != 1 || !build || !cwd)
        s = pf_fail(e, PF_BAD, "%s: expected the plan of a check, version 1", path);
    else {
        const json_t *part = json_object_get(o, "part");
        a->part.first = (uint64_t)json_integer_value(json_object_get(part, "first"));
        a->part.round = (uint64_t)json_integer_value(json_object_get(part, "round"));
        a->part.explores = json_is_true(json_object_get(part, "explores"));
        a->build = strtoull(build, NULL, 16);
        a->cwd = pf_mem_copy(cwd);
        a->argv = read_words(json_object_get(o, "argv"), &a->argc);
        a->words = read_words(json_object_get(o, "words"), &a->nwords);
        const char *slash = strrchr(folder, '/');
        snprintf(a->name, sizeof a->name, "%s", slash ? slash + 1 : folder);
    }
    json_decref(o);
    return s;
}

static void free_words(char **words)
{
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

void pf_check_description_release(struct pf_check_description *a)
{
    free_words(a->argv);
    free_words(a->words);
    free(a->cwd);
    *a = (struct pf_check_description){0};
}

static bool same_words(const struct pf_check_description *a, char **words, int n)
{
    if (n && a->nwords != n)
        return false;
    for (int i = 0; i < n; i++)
        if (strcmp(a->words[i], words[i]))
            return false;
    return true;
}

/* A plan has U+FFFD in place of bytes that are not UTF-8, so the exact words are unknown. */
static pf_status check_words(const struct pf_check_folder *c, const struct pf_check_description *a,
                             struct pf_error *e)
{
    for (int i = 0; i < a->argc; i++)
        if (strstr(a->argv[i], "\xef\xbf\xbd"))
            return pf_fail(e, PF_BAD,
                           "%s: its command line is not UTF-8, so it cannot be continued", c->path);
    return PF_OK;
}

/* Changes to the folder in which the check was started. A relative path of the check's folder is
 * then replaced by the absolute one. */
static pf_status enter_folder(struct pf_check_folder *c, const char *folder, struct pf_error *e)
{
    char *here = getcwd(NULL, 0);
    bool same = here && !strcmp(here, folder);
    free(here);
    if (same)
        return PF_OK;
    if (chdir(folder))
        return pf_fail(e, PF_IO, "%s: cannot enter the folder of the check: %s", folder,
                       strerror(errno));
    free(c->path);
    c->path = pf_mem_copy(c->absolute);
    return PF_OK;
}

pf_status pf_check_folder_last(struct pf_check_folder *c, const char *state, char **words,
                               int nwords, int *argc, char ***argv, uint64_t *build,
                               struct pf_error *e)
{
    char **names = pf_check_folder_list(state);
    size_t n = 0;
    pf_status s = pf_fail(e, PF_BAD, "%s: has no check%s to continue", state,
                          nwords ? " of this program" : "");
    *c = (struct pf_check_folder){.lock = -1};
    while (names[n])
        n++;
    for (bool found = false; n-- > 0;) {
        struct pf_check_description a = {0};
        if (!found)
            c->path = pf_mem_format("%s/" PF_CHECK_FOLDER "/%s", state, names[n]);
        if (!found && pf_check_description_read(&a, c->path, e) == PF_OK &&
            same_words(&a, words, nwords)) {
            found = true;
            s = check_words(c, &a, e);
            *argc = a.argc;
            *argv = a.argv;
            a.argv = NULL;
            *build = a.build;
            if (s == PF_OK)
                s = take_lock(c, e);
            if (s == PF_OK)
                s = enter_folder(c, a.cwd, e);
        } else if (!found) {
            free(c->path);
            c->path = NULL;
        }
        pf_check_description_release(&a);
        free(names[n]);
    }
    free(names);
    return s;
}

pf_status pf_check_folder_open(struct pf_check_folder *c, const char *path, struct pf_error *e)
{
    *c = (struct pf_check_folder){.lock = -1, .path = pf_mem_copy(path)};
    return take_lock(c, e);
}

void pf_check_folder_release(struct pf_check_folder *c)
{
    if (c->lock >= 0)
        close(c->lock);
    free(c->path);
    free(c->absolute);
    *c = (struct pf_check_folder){.lock = -1};
}
