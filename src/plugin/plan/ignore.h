/*
 * ignore.h - the list of functions and files that are not instrumented (-fpf-ignore=FILE).
 *
 * Model:   shell globs. `fun:` matches the symbol or the readable name of a function; `src:`
 *          matches the path of the source file as given to the compiler.
 * Memory:  pf_ignore_load allocates the list; pf_ignore_free frees it.
 * Errors:  an unreadable or malformed file ends the compiler with a message.
 */
#ifndef PF_PLUGIN_IGNORE_H
#define PF_PLUGIN_IGNORE_H

#include <stdbool.h>

struct pf_ignore;

/* Reads the files named in the environment variable PF_PLUGIN_IGNORE, one path per line. Returns
 * NULL if the variable is not set or empty. */
struct pf_ignore *pf_ignore_load(void);
void pf_ignore_free(struct pf_ignore *list);
bool pf_ignore_function(const struct pf_ignore *list, const char *name);
bool pf_ignore_source(const struct pf_ignore *list, const char *path);

#endif
