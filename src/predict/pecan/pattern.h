/*
 * pattern.h - access anomalies as patterns: who accesses what, in which order (PECAN, section 3).
 *
 * Model:   a pattern is five sequences of one length: events, their threads, variables, atomic regions
 *          and access types. Labels only say what is equal and what differs. `next` asks that two
 *          events follow each other at once; otherwise anything may happen between two events.
 * Memory:  a pattern is a plain value.
 * Errors:  a bad file is refused with its line and the reason. docs/format/patterns.md is normative.
 */
#ifndef PF_PECAN_PATTERN_H
#define PF_PECAN_PATTERN_H

#include "trace.h"

#define PF_PATTERN_MAX 255 /* events; a number of one is a byte */

enum pf_pattern_kind { PF_PATTERN_RACE, PF_PATTERN_ATOMICITY, PF_PATTERN_ATOMIC_SET };

struct pf_pattern {
    char name[48];
    uint8_t kind; /* enum pf_pattern_kind */
    uint8_t n;
    /* Numbered from 0 in the order in which the labels first appear. */
    uint8_t thread[PF_PATTERN_MAX], var[PF_PATTERN_MAX], region[PF_PATTERN_MAX];
    bool write[PF_PATTERN_MAX];
    bool next[PF_PATTERN_MAX]; /* event i comes right after event i - 1 */
    uint8_t nthreads, nvars, nregions;
};
typedef PF_VEC(struct pf_pattern) pf_patterns;

/* Appends the patterns of a file's text. False: `error` names path, line and reason. */
bool pf_patterns_parse(pf_patterns *out, const char *path, const char *text, size_t len,
                       struct pf_trace_error *error);
/* Appends the built-in ones. */
void pf_patterns_builtin(pf_patterns *out);

#endif
