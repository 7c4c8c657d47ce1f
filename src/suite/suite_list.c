/* suite_list.c - see suite_list.h. */
#define _GNU_SOURCE
#include "suite_list.h"
#include "allocation.h"
#include "duration.h"
#include "program.h"
#include "text_format.h"
#include "textbuf.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pf_suite_list_init(struct pf_suite_list *l)
{
    *l = (struct pf_suite_list){0};
    pf_pool_init_malloc(&l->pool);
}

void pf_suite_list_release(struct pf_suite_list *l)
{
    pf_pool_release(&l->pool);
    *l = (struct pf_suite_list){0};
}

/* A line being parsed. */
struct words {
    struct pf_suite_list *list;
    const char *origin;
    unsigned line;
    const char *at, *end;
    struct pf_error *e;
};

static pf_status wrong(const struct words *w, const char *what)
{
    return pf_fail(w->e, PF_BAD, "%s:%u: %s", w->origin, w->line, what);
}

static pf_status needs_shell(const struct words *w, char c)
{
    return pf_fail(w->e, PF_BAD,
                   "%s:%u: '%c' needs a shell: quote it, or write sh -c '...' and use --any",
                   w->origin, w->line, c);
}

/* Parses one word and removes its quotes; NULL at the end of the line. */
static pf_status next_word(struct words *w, char **word)
{
    struct pf_text t;
    *word = NULL;
    while (w->at < w->end && isblank((unsigned char)*w->at))
        w->at++;
    if (w->at == w->end || *w->at == '#') {
        w->at = w->end;
        return PF_OK;
    }
    pf_text_init(&t, &w->list->pool);
    while (w->at < w->end && !isblank((unsigned char)*w->at)) {
        char c = *w->at++;
        if (c == '\'' || c == '"') {
            while (w->at < w->end && *w->at != c) {
                if (c == '"' && *w->at == '\\' && w->at + 1 < w->end && strchr("\"\\", w->at[1]))
                    w->at++;
                pf_text_char(&t, *w->at++);
            }
            if (w->at == w->end)
                return wrong(w, c == '"' ? "unterminated \"" : "unterminated '");
            w->at++;
        } else if (c == '\\') {
            if (w->at == w->end)
                return wrong(w, "a \\ at the end of the line; a command must be one line");
            pf_text_char(&t, *w->at++);
        } else if (strchr("|&;<>()$`", c)) {
            return needs_shell(w, c);
        } else {
            pf_text_char(&t, c);
        }
    }
    pf_text_char(&t, 0);
    *word = t.at;
    return PF_OK;
}

static pf_status read_setting(const struct words *w, const char *word, struct pf_suite_test *t)
{
    const char *value = strchr(word, '=');
    size_t n = value ? (size_t)(value - word) : 0;
    if (!value || !value[1])
        return wrong(w, "a setting is @name=value");
    value++;
    if (n == 5 && !strncmp(word, "@name", n)) {
        t->name = value;
    } else if (n == 4 && !strncmp(word, "@dir", n)) {
        t->dir = value;
    } else if (n == 6 && !strncmp(word, "@input", n)) {
        t->input = value;
    } else if (n == 7 && !strncmp(word, "@native", n)) {
        t->native = value;
    } else if (n == 6 && !strncmp(word, "@limit", n)) {
        if (!pf_duration_parse(value, &t->limit_ms) || t->limit_ms == 0)
            return wrong(w, "@limit needs a duration like 10s, 500ms, 2m");
    } else if (n == 7 && !strncmp(word, "@status", n)) {
        char *end;
        long v = strtol(value, &end, 10);
        t->status = !strcmp(value, "any") ? PF_ANY_STATUS : (int)v;
        if (strcmp(value, "any") && (*end || v < 0 || v > 255))
            return wrong(w, "@status needs a number from 0 to 255, or any");
    } else {
        return pf_fail(w->e, PF_BAD,
                       "%s:%u: unknown setting %.*s; known settings are @name, @dir, @input, "
                       "@limit, @status, @native",
                       w->origin, w->line, (int)n, word);
    }
    return PF_OK;
}

static bool is_assignment(const char *word)
{
    size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return n && word[n] == '=' && !isdigit((unsigned char)word[0]);
}

/* Appends to a NULL-terminated array whose capacity doubles. */
static void push(struct pf_pool *pool, const char ***at, size_t n, const char *word)
{
    if ((n & (n + 1)) == 0) { /* n is 0, 1, 3, 7, ...: the array is full */
        const char **more = pf_pool_get(pool, 2 * (n + 1) * sizeof *more);
        if (n)
            memcpy(more, *at, n * sizeof *more);
        *at = more;
    }
    (*at)[n] = word;
    (*at)[n + 1] = NULL;
}

static const char *unique_name(struct pf_suite_list *l, const char *name)
{
    for (unsigned copy = 1;; copy++) {
        char *longer = copy > 1 ? pf_mem_format("%s (%u)", name, copy) : NULL;
        const char *wanted = longer ? longer : name;
        bool taken = false;
        for (size_t i = 0; i < l->n && !taken; i++)
            taken = !strcmp(l->at[i].name, wanted);
        if (!taken) {
            const char *kept = longer ? pf_pool_text(&l->pool, longer, strlen(longer)) : name;
            free(longer);
            return kept;
        }
        free(longer);
    }
}

static void add(struct pf_suite_list *l, const struct pf_suite_test *t)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 32;
        struct pf_suite_test *at = pf_pool_get(&l->pool, cap * sizeof *at);
        if (l->n)
            memcpy(at, l->at, l->n * sizeof *at);
        l->at = at;
        l->cap = cap;
    }
    l->at[l->n++] = *t;
}

static pf_status parse_line(struct words *w)
{
    struct pf_suite_test t = {.line = w->line};
    const char **argv = NULL;
    size_t argc = 0;
    bool set = false;
    char *word;
    while (w->end > w->at && isspace((unsigned char)w->end[-1]))
        w->end--;
    if (memchr(w->at, 0, (size_t)(w->end - w->at)))
        return wrong(w, "a 0 byte; this is not a list of commands");
    for (;;) {
        const char *begin = w->at + strspn(w->at, " \t");
        pf_status s = next_word(w, &word);
        if (s != PF_OK)
            return s;
        if (!word)
            break;
        if (argc == 0 && word[0] == '@') {
            s = read_setting(w, word, &t);
            if (s != PF_OK)
                return s;
            set = true;
        } else if (argc == 0 && is_assignment(word)) {
            set = true;
            push(&w->list->pool, &t.env, t.nenv++, word);
        } else {
            if (argc == 0)
                t.command = pf_pool_text(&w->list->pool, begin, (size_t)(w->end - begin));
            push(&w->list->pool, &argv, argc++, word);
        }
    }
    if (argc == 0)
        return set ? wrong(w, "settings, but no command") : PF_OK;
    if (!*argv[0])
        return wrong(w, "the name of the program is empty");
    t.argv = (char **)argv;
    t.name = unique_name(w->list, t.name ? t.name : t.command);
    add(w->list, &t);
    return PF_OK;
}

pf_status pf_suite_list_parse(struct pf_suite_list *l, const char *origin, const char *text,
                              size_t n, struct pf_error *e)
{
    /* A copy that ends with a 0, so that looking one character ahead is safe. */
    const char *at = pf_pool_text(&l->pool, text, n);
    const char *end = at + n;
    pf_status s = PF_OK;
    for (unsigned line = 1; s == PF_OK && at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct words w = {l, origin, line, at, stop ? stop : end, e};
        s = parse_line(&w);
        at = stop ? stop + 1 : end;
    }
    return s;
}

/* Makes the path absolute, because a test may run in another folder. */
static const char *from_root(struct pf_suite_list *l, const char *path)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *whole = here ? pf_mem_format("%s/%s", here, path) : NULL;
    const char *kept = pf_pool_text(&l->pool, whole ? whole : path, strlen(whole ? whole : path));
    free(here);
    free(whole);
    return kept;
}

/* Finds the program relative to the folder in which the test runs. */
static pf_status find_program(struct pf_suite_list *l, struct pf_suite_test *t, bool any,
                              struct pf_error *e)
{
    const char *name = t->argv[0];
    bool relative = t->dir && name[0] != '/' && strchr(name, '/');
    char *joined = relative ? pf_mem_format("%s/%s", t->dir, name) : NULL;
    char *path;
    pf_status s = pf_program_find(joined ? joined : name, &path, e);
    free(joined);
    if (s != PF_OK)
        return s;
    t->path = from_root(l, path);
    free(path);
    return any ? PF_OK : pf_program_check(t->path, true, e);
}

pf_status pf_suite_list_find(struct pf_suite_list *l, const char *origin, bool any,
                             struct pf_error *e)
{
    for (size_t i = 0; i < l->n; i++) {
        struct pf_suite_test *t = &l->at[i];
        struct pf_error why;
        pf_status s = PF_OK;
        if (t->dir && access(t->dir, X_OK))
            s = pf_fail(&why, PF_IO, "@dir=%s: %s", t->dir, strerror(errno));
        if (s == PF_OK && t->input && access(t->input, R_OK))
            s = pf_fail(&why, PF_IO, "@input=%s: %s", t->input, strerror(errno));
        if (s == PF_OK && t->native && access(t->native, X_OK))
            s = pf_fail(&why, PF_IO, "@native=%s: %s", t->native, strerror(errno));
        if (s == PF_OK && t->native)
            t->native = from_root(l, t->native);
        if (s == PF_OK)
            s = find_program(l, t, any, &why);
        if (s != PF_OK)
            return pf_fail(e, s, "%s:%u: %s", origin, t->line, why.text);
    }
    return PF_OK;
}
