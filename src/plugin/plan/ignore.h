/*
 * ignore.h - the list of functions and files that are not to be watched (-fpf-ignore=FILE).
 *
 * Model:   shell globs; `fun:` is matched with the symbol and with the readable name of a function,
 *          `src:` with the path of the source file as it was given to the compiler.
 */
#ifndef PF_IGNORE_H
#define PF_IGNORE_H

#include <stdbool.h>

struct pf_ignore;

/* From the files that the environment variable PF_PLUGIN_IGNORE names, one a line; NULL if it is
 * not set. A bad file ends the compiler with a message. */
struct pf_ignore *pf_ignore_load(void);
void pf_ignore_free(struct pf_ignore *list);
bool pf_ignore_function(const struct pf_ignore *list, const char *name);
bool pf_ignore_source(const struct pf_ignore *list, const char *path);

#endif
