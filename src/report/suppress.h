/*
 * suppress.h - findings the user does not want to see.
 *
 * Model:   one suppression a line, `type:pattern`. A pattern is matched with the function, the file
 *          and the object file of a frame, and (race) with the name of the variable; `*` is any
 *          text and is implied at both ends unless `^` or `$` stands there. Frames joined by ` <- `
 *          match a stack from #0 outwards; `...` is any number of frames. docs/suppressions.md.
 * Memory:  the given pool; the text is copied.
 * Threads: the caller serialises matches (they count hits).
 * Errors:  the first bad line is described in the error, with its number.
 */
#ifndef PF_REPORT_SUPPRESS_H
#define PF_REPORT_SUPPRESS_H

#include "finding.h"
#include "textbuf.h"

enum pf_suppress_type {
#define PF_SUPPRESS(name, word, help) PF_SUPPRESS_##name,
#include "suppress.def"
#undef PF_SUPPRESS
    PF_SUPPRESS_TYPES
};

struct pf_suppression {
    enum pf_suppress_type type;
    const char *line;          /* as written, without spaces around */
    const char *const *frames; /* "..." is any frames; a single one is TSan's form */
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
    const char *text; /* the line itself */
};

void pf_suppressions_init(struct pf_suppressions *s);
/* Adds the lines of text[0..n). False: `error` says what is wrong, or line 0 for no memory. */
bool pf_suppressions_parse(struct pf_suppressions *s, struct pf_pool *pool, const char *text,
                           size_t n, struct pf_suppress_error *error);
/* The first suppression that matches, its hits counted; NULL if none. *by_name: it was the variable that
 * matched, the same two stacks with another variable may not. */
struct pf_suppression *pf_suppressions_match(struct pf_suppressions *s, const struct pf_finding *f,
                                             bool *by_name);
/* Adds a comment and a line that suppresses f and little else. */
void pf_suppression_text(struct pf_text *t, const struct pf_finding *f);

/* `pattern` as above against one string; a NULL string matches nothing. */
bool pf_pattern_match(const char *pattern, const char *s);

#endif
