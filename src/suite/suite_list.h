/*
 * suite_list.h - a list of test commands, one a line.
 *
 * Model:   a line is  [@setting=value | VAR=value]... PROG ARG...  with the shell's quotes ('', "", \),
 *          but there is no shell: what only a shell can do is refused. docs/suite.md has the settings.
 *          A test is known by its name: @name, else the command as it is written; of two with the same
 *          name the second is "name (2)".
 * Memory:  everything lives in the list's pool.
 * Errors:  PF_BAD names the file and the line.
 */
#ifndef PF_CLI_SUITE_LIST_H
#define PF_CLI_SUITE_LIST_H

#include "pool.h"
#include "status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_ANY_STATUS (-1)

struct pf_suite_test {
    unsigned line;
    const char *name, *command; /* the command as it is written */
    char **argv;                /* ends with NULL */
    const char **env;           /* "VAR=value" */
    size_t nenv;
    const char *dir, *input; /* NULL: where pf is, nothing */
    const char *native;      /* the same program without instrumentation; NULL: not known */
    uint64_t limit_ms;       /* 0: the suite's */
    int status;              /* the exit status wanted, 128+n for a signal; PF_ANY_STATUS */
    const char *path;        /* the program; set by pf_suite_list_find */
};

struct pf_suite_list {
    struct pf_pool pool;
    struct pf_suite_test *at;
    size_t n, cap;
};

void pf_suite_list_init(struct pf_suite_list *l);
void pf_suite_list_release(struct pf_suite_list *l);
/* Adds the tests of a text; `origin` is its name in messages. */
PF_MUST_USE pf_status pf_suite_list_parse(struct pf_suite_list *l, const char *origin,
                                          const char *text, size_t n, struct pf_error *e);
/* Finds every program, and without `any` checks that it is instrumented. */
PF_MUST_USE pf_status pf_suite_list_find(struct pf_suite_list *l, const char *origin, bool any,
                                         struct pf_error *e);

#endif
