/*
 * foreign.h - reports of other tools as candidates: races that they saw or suspect, to be shown beside ours
 * and to be confirmed.
 *
 * Model:   a candidate is a finding with status `predicted` and the tool's name as its analysis. Its
 *          fingerprint has lines of the file where ours have lines within the function, so a
 *          candidate and a finding of ours are compared by their places (pf_foreign_same).
 * Memory:  the pool of the findings.
 * Errors:  PF_BAD when the file is no report we know. Reports of other kinds (leaks, lock order), and
 *          such as name only one access, are counted in `skipped`. A file that ends in the middle gives
 *          what is whole.
 */
#ifndef PF_CLI_FOREIGN_H
#define PF_CLI_FOREIGN_H

#include "findings.h"

struct pf_foreign_sum {
    const char *tool;
    size_t candidates, known, skipped; /* new here; already among the findings; not for us */
};

/* ThreadSanitizer's text (and ours, which has the same layout) or Helgrind's XML. */
PF_MUST_USE pf_status pf_foreign_read(struct pf_findings *f, const char *path,
                                      struct pf_foreign_sum *sum, struct pf_error *e);
/* The same two places, in either order: base name of the file and line. */
bool pf_foreign_same(const struct pf_finding *a, const struct pf_finding *b);

/* The readers behind it; the text has a 0 behind it. */
void pf_foreign_tsan(struct pf_findings *f, const char *text, struct pf_foreign_sum *sum);
void pf_foreign_helgrind(struct pf_findings *f, const char *text, struct pf_foreign_sum *sum);
/* For them: adds a candidate unless its places are known. Both accesses must have a stack. */
void pf_foreign_add(struct pf_findings *f, struct pf_finding *it, struct pf_foreign_sum *sum);
/* Room in the pool; ends pf when there is none. */
void *pf_foreign_get(struct pf_findings *f, size_t size);
char *pf_foreign_text(struct pf_findings *f, const char *s, size_t n);
/* One more place at the end of a stack. */
void pf_foreign_place(struct pf_findings *f, struct pf_trail *t, const struct pf_place *p);

#endif
