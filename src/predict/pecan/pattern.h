/*
 * pattern.h - patterns of access anomalies: which threads access which variables in which order
 * (PECAN, section 3).
 *
 * Model:   a pattern is five sequences of equal length: events, their threads, variables, atomic
 *          regions and access types. Labels only express what is equal and what differs. `next`
 *          requires that two events follow each other directly; otherwise anything may happen in
 *          between.
 * Memory:  a pattern is a plain value.
 * Errors:  an invalid file is rejected with the line and the reason. docs/format/patterns.md is
 *          normative.
 */
#ifndef PF_PECAN_PATTERN_H
#define PF_PECAN_PATTERN_H

#include "status.h"
#include "trace.h"

#define PF_PATTERN_MAX 255 /* events; an event number fits into a byte */

enum pf_pattern_kind { PF_PATTERN_RACE, PF_PATTERN_ATOMICITY, PF_PATTERN_ATOMIC_SET };

struct pf_pattern {
    char name[48];
    uint8_t kind; /* enum pf_pattern_kind */
    uint8_t n;
    /* Labels, numbered from 0 in the order in which they first appear. */
    uint8_t thread[PF_PATTERN_MAX], var[PF_PATTERN_MAX], region[PF_PATTERN_MAX];
    bool write[PF_PATTERN_MAX];
    bool next[PF_PATTERN_MAX]; /* event i directly follows event i - 1 */
    uint8_t nthreads, nvars, nregions;
    bool builtin; /* not from a file of the user */
};
typedef PF_VEC(struct pf_pattern) pf_patterns;

/* Appends the patterns of a file's text. PF_BAD: `e` has the path, the line and the reason. */
PF_MUST_USE pf_status pf_patterns_parse(pf_patterns *out, const char *path, const char *text,
                                        size_t len, struct pf_error *e);
/* Appends the built-in patterns. */
void pf_patterns_builtin(pf_patterns *out);

#endif
