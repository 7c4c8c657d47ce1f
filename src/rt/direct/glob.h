/*
 * glob.h - matches names against patterns with `*` and `?`, without calling any library.
 */
#ifndef PF_RT_GLOB_H
#define PF_RT_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* True if all of `text` matches the pattern [g, end). */
static inline bool pf_glob_matches(const char *g, const char *end, const char *text)
{
    const char *star = NULL, *again = NULL;
    for (;;) {
        if (g < end && *g == '*') {
            star = ++g;
            again = text;
        } else if (*text && g < end && (*g == '?' || *g == *text)) {
            g++;
            text++;
        } else if (!*text && g == end) {
            return true;
        } else if (star && *again) {
            g = star;
            text = ++again;
        } else {
            return false;
        }
    }
}

#endif
