/* test_line.c - see test_line.h. */
#define _GNU_SOURCE
#include "test_line.h"
#include "allocation.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Appends a word with the quotes that a list of tests needs. */
static void add_word(FILE *out, const char *prefix, const char *word)
{
    fprintf(out, "%s'", prefix);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputs("' ", out);
}

void pf_test_line_write(FILE *out, const struct pf_suite_test *t)
{
    add_word(out, "@name=", t->name);
    if (t->dir)
        add_word(out, "@dir=", t->dir);
    if (t->input)
        add_word(out, "@input=", t->input);
    if (t->native)
        add_word(out, "@native=", t->native);
    if (t->limit_ms)
        fprintf(out, "@limit=%" PRIu64 "ms ", t->limit_ms);
    if (t->status == PF_ANY_STATUS)
        fputs("@status=any ", out);
    else
        fprintf(out, "@status=%d ", t->status);
    for (size_t i = 0; i < t->nenv; i++) {
        int n = (int)strcspn(t->env[i], "=") + 1;
        char *name = pf_mem_copy_n(t->env[i], (size_t)n);
        add_word(out, name, t->env[i] + n);
        free(name);
    }
    for (char **a = t->argv; *a; a++)
        add_word(out, "", *a);
    fputc('\n', out);
}
