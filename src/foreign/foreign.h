/*
 * foreign.h - reads reports of other tools as candidates: races that they saw or suspect, to be
 * shown next to our findings and to be confirmed.
 *
 * Model:   a candidate is a finding with status `predicted` and the tool's name as its analysis.
 *          Its fingerprint uses lines of the file where ours uses lines within the function, so
 *          candidates and our findings are compared by their positions (pf_foreign_same).
 * Memory:  allocated from the pool of the findings.
 * Errors:  PF_BAD when the file is not a known kind of report. Reports of other kinds (leaks, lock
 *          order), and reports with only one access, are counted in `skipped`. Of a truncated file
 *          the complete reports are used. In a text, the last report counts, too, if it has both
 *          stacks.
 */
#ifndef PF_FOREIGN_FOREIGN_H
#define PF_FOREIGN_FOREIGN_H

#include "findings.h"

struct pf_foreign_summary {
    const char *tool;
    size_t candidates, known, skipped; /* new; already among the findings; see above */
    bool cut; /* the end of an XML file is missing; of a text this is not known */
};

/* Reads ThreadSanitizer's text (or ours, which has the same layout) or Helgrind's XML. */
PF_MUST_USE pf_status pf_foreign_read(struct pf_findings *f, const char *path,
                                      struct pf_foreign_summary *sum, struct pf_error *e);
/* True if both have the same two positions, in either order: base name of the file, and line. */
bool pf_foreign_same(const struct pf_finding *a, const struct pf_finding *b);

/* The readers of each format. The text must end with a 0. */
void pf_foreign_tsan(struct pf_findings *f, const char *text, struct pf_foreign_summary *sum);
void pf_foreign_helgrind(struct pf_findings *f, const char *text, struct pf_foreign_summary *sum);
/* For the readers: adds a candidate unless its positions are already known. Candidates without
 * two accesses with stacks are skipped. The accesses are copied. */
void pf_foreign_add(struct pf_findings *f, struct pf_finding *it, struct pf_foreign_summary *sum);
/* Allocates in the pool. */
void *pf_foreign_alloc(struct pf_findings *f, size_t size);
char *pf_foreign_text(struct pf_findings *f, const char *s, size_t n);
/* Appends a frame to a stack. */
void pf_foreign_add_frame(struct pf_findings *f, struct pf_backtrace *t,
                          const struct pf_stack_frame *p);

#endif
