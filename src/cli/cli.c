/* cli.c - see cli.h. */
#define _GNU_SOURCE
#include "cli.h"
#include "analysis.h"
#include "file.h"
#include "textbuf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(const struct pf_cli_verb *v)
{
    printf("usage: pf %s %s\n\n%s\n\noptions:\n", v->name, v->usage, v->about);
    for (size_t i = 0; i < v->noptions; i++) {
        const struct pf_cli_option *o = &v->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s", o->name[1] ? "--" : "-", o->name,
                 o->value ? " " : "", o->value ? o->value : "");
        printf("  %-22s %s\n", left, o->help);
    }
    printf("  %-22s %s\n", "--help", "show this text");
}

/* Finds the option arg[0..n), which includes its dashes. */
static const struct pf_cli_option *find_option(const struct pf_cli_verb *v, const char *arg,
                                               size_t n)
{
    for (size_t i = 0; i < v->noptions; i++) {
        const char *name = v->options[i].name;
        size_t len = strlen(name), dashes = len > 1 ? 2 : 1;
        if (n == len + dashes && !strncmp(arg, "--", dashes) && !strncmp(arg + dashes, name, len))
            return &v->options[i];
    }
    return NULL;
}

static int unknown_option(const struct pf_cli_verb *v, const char *arg)
{
    const char *names[64];
    size_t n = 0;
    for (; n < v->noptions && n < 64; n++)
        names[n] = v->options[n].name;
    const char *near = !strncmp(arg, "--", 2) ? pf_cli_closest(arg + 2, names, n) : NULL;
    if (near)
        return pf_complain(v->name, "unknown option %s; did you mean --%s?", arg, near);
    return pf_complain(v->name, "unknown option %s; see pf %s --help", arg, v->name);
}

int pf_cli_parse(const struct pf_cli_verb *v, int argc, char **argv, int *status)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        const char *arg = argv[i];
        if (!strcmp(arg, "--"))
            return i + 1;
        if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
            print_help(v);
            *status = PF_EXIT_OK;
            return -1;
        }
        if (!strcmp(arg, "--help=man")) {
            *status = pf_cli_print_man(v);
            return -1;
        }
        const char *equals = strchr(arg, '=');
        size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
        const struct pf_cli_option *o = find_option(v, arg, n);
        if (!o) {
            *status = unknown_option(v, arg);
            return -1;
        }
        if (o->flag && equals) {
            *status = pf_complain(v->name, "--%s takes no value", o->name);
            return -1;
        }
        if (o->flag) {
            *o->flag = true;
        } else if (equals) {
            *o->text = equals + 1;
        } else if (++i < argc) {
            *o->text = argv[i];
        } else {
            *status = pf_complain(v->name, "%s needs a value: %s", arg, o->value);
            return -1;
        }
        if (o->text && !**o->text) {
            *status = pf_complain(v->name, "the value of %s%s is empty", o->name[1] ? "--" : "-",
                                  o->name);
            return -1;
        }
    }
    return i;
}

/* Levenshtein distance, for words of up to 31 letters. */
static size_t distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), row[32];
    if (na > 31 || nb > 31)
        return 99;
    for (size_t k = 0; k <= nb; k++)
        row[k] = k;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= nb; k++) {
            size_t best = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = row[k];
            if (row[k] + 1 < best)
                best = row[k] + 1;
            if (row[k - 1] + 1 < best)
                best = row[k - 1] + 1;
            row[k] = best;
        }
    }
    return row[nb];
}

bool pf_cli_is_position(const char *word)
{
    const char *line = strrchr(word, ':');
    return line && line != word && line[1] && !line[1 + strspn(line + 1, "0123456789")];
}

const char *pf_cli_closest(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2; /* a larger distance is not a typing error */
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, words[i]);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    return best;
}

bool pf_cli_write(const char *verb, const struct pf_text *text, const char *file,
                  const struct pf_text *json)
{
    struct pf_error e;
    bool print = !pf_quiet && !(file && !strcmp(file, "-"));
    if ((!print || pf_file_write("-", text->at, text->n, &e) == PF_OK) &&
        (!file || pf_file_write(file, json->at, json->n, &e) == PF_OK))
        return true;
    pf_complain(verb, "%s", e.text);
    return false;
}

bool pf_cli_replaces_input(const char *verb, const char *output, const char *input)
{
    if (!output || !strcmp(output, "-") || !pf_file_same(output, input))
        return false;
    pf_complain(verb, "%s: the output would replace the file that pf %s needs", output, verb);
    return true;
}

bool pf_cli_cannot_write(const char *verb, const char *output)
{
    struct pf_error e;
    if (!output || pf_file_check(output, &e) == PF_OK)
        return false;
    pf_complain(verb, "%s", e.text);
    return true;
}

uint32_t pf_cli_window(const char *text)
{
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 10) : pf_limits_default.window;
    return n < 2 || n > 1000000 || (end && *end) ? 0 : (uint32_t)n;
}

const char *pf_cli_late_option(int argc, char **argv, int first)
{
    for (int i = first; i < argc; i++)
        if (argv[i][0] == '-')
            return argv[i];
    return NULL;
}
