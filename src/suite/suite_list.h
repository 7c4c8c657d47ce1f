/*
 * suite_list.h - parses a list of test commands, one per line.
 *
 * Model:   a line is  [@setting=value | VAR=value]... PROG ARG...  with the shell's quotes ('', "",
 *          \), but no shell is run: constructs that need one are errors. docs/suite.md describes
 *          the settings. A test is identified by its name: @name, else the command as written; the
 *          second test of the same name becomes "name (2)".
 * Memory:  everything is allocated in the list's pool.
 * Errors:  PF_BAD names the file and the line.
 */
#ifndef PF_SUITE_SUITE_LIST_H
#define PF_SUITE_SUITE_LIST_H

#include "pool.h"
#include "status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_ANY_STATUS (-1)

struct pf_suite_test {
    unsigned line;
    const char *name, *command; /* the command as written */
    char **argv;                /* NULL-terminated */
    const char **env;           /* "VAR=value" */
    size_t nenv;
    const char *dir, *input; /* NULL: the current folder, no input */
    const char *native;      /* the same program without instrumentation; NULL: none */
    uint64_t limit_ms;       /* 0: the limit of the suite */
    int status;              /* the expected exit status, 128+n for signal n; PF_ANY_STATUS */
    const char *path;        /* path of the program; set by pf_suite_list_find */
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
/* Finds every program and, unless `any`, checks that it is instrumented. */
PF_MUST_USE pf_status pf_suite_list_find(struct pf_suite_list *l, const char *origin, bool any,
                                         struct pf_error *e);

#endif
