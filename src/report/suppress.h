/*
 * suppress.h - findings that the user does not want to see.
 *
 * Model:   one suppression per line, `type:pattern`. A pattern is matched against the function, the
 *          file and the object file of a frame, and (type race) against the name of the variable.
 *          `*` matches any text and is implied at both ends, unless `^` or `$` is written there.
 *          Frames joined by ` <- ` match a stack from #0 outwards; `...` matches any number of
 *          frames. docs/suppressions.md.
 * Memory:  allocated from the given pool; the text is copied.
 * Threads: the caller serialises matches (they count hits).
 * Errors:  the first bad line is described in the error, with its number.
 */
#ifndef PF_REPORT_SUPPRESS_H
#define PF_REPORT_SUPPRESS_H

#include "finding.h"
#include "textbuf.h"

enum pf_suppress_type {
    PF_SUPPRESS_NONE = -1, /* of kinds that cannot be suppressed */
#define PF_SUPPRESS(name, word, help) PF_SUPPRESS_##name,
#include "suppress.def"
#undef PF_SUPPRESS
    PF_SUPPRESS_TYPES
};

struct pf_suppression {
    enum pf_suppress_type type;
    const char *line;          /* as written, without surrounding spaces */
    /* the pattern's frames; "..." matches any number. ThreadSanitizer's patterns have one */
    const char *const *frames;
    size_t nframes;
    uint64_t hits;
    struct pf_suppression *next;
};

struct pf_suppressions {
    struct pf_suppression *first, **end;
    size_t n;
};

struct pf_suppress_error {
    uint32_t line;
    const char *reason;
    const char *text; /* the bad line */
};

void pf_suppressions_init(struct pf_suppressions *s);
/* Adds the lines of text[0..n). On false, `error` describes the bad line; line 0: out of memory. */
bool pf_suppressions_parse(struct pf_suppressions *s, struct pf_pool *pool, const char *text,
                           size_t n, struct pf_suppress_error *error);
/* Returns the first suppression that matches and counts the hit; NULL if none matches. *by_name
 * is set if only the variable's name matched: the same two stacks with another variable may not
 * match. */
struct pf_suppression *pf_suppressions_match(struct pf_suppressions *s, const struct pf_finding *f,
                                             bool *by_name);
/* Adds a comment and a suppression line that matches f and as little else as possible. */
void pf_suppression_text(struct pf_text *t, const struct pf_finding *f);

/* Matches one string against `pattern` (syntax above); a NULL string never matches. */
bool pf_pattern_match(const char *pattern, const char *s);

#endif
