/*
 * cc_sanitize.h - the sanitizer flags of a clang command line, as pf cc understands them.
 *
 * Model:   pf cc is clang with -fsanitize=thread, where photofinish's plugin and runtime take the
 *          place of ThreadSanitizer's. Every flag means what it means there, or is refused. A later
 *          flag overrides an earlier one, as in clang.
 * Memory:  strings belong to the caller; the array of ignore lists is leaked: the process is about
 *          to become clang.
 * Errors:  _refuse prints a message and returns the exit status.
 */
#ifndef PF_CLI_CC_SANITIZE_H
#define PF_CLI_CC_SANITIZE_H

#include "vector.h"
#include <stdbool.h>
#include <stddef.h>

/* Sanitizers that need the shadow, the allocator, the stack or the interceptors for themselves. */
enum { PF_CC_INCOMPATIBLE = 13 };

struct pf_cc_sanitize {
    bool off;         /* -fno-sanitize=thread: no checks and no runtime */
    bool named;       /* -fsanitize=thread was given, even if a later flag turned it off */
    bool no_accesses; /* -fno-sanitize-thread-memory-access */
    PF_VEC(const char *) ignorelists;
    /* The given flags that pf cc refuses, by kind; NULL: not given. */
    const char *incompatible[PF_CC_INCOMPATIBLE]; /* indexed by sanitizer */
    const char *no_frames, *no_atomics, *no_recover, *pass_option;
};

/* Reads one argument and, if the argument takes one, its value. Returns true if it is a flag of the
 * sanitizers. */
bool pf_cc_sanitize_scan(struct pf_cc_sanitize *s, const char *arg, const char *value);
/* True if the flag selects what ThreadSanitizer checks. pf cc obeys it, and clang must not get it:
 * clang would warn that it is not used. */
bool pf_cc_sanitize_is_ours(const char *arg);
/* Returns 0, or the exit status after a message about a flag that cannot work. */
int pf_cc_sanitize_refuse(const struct pf_cc_sanitize *s, const char *verb);

#endif
