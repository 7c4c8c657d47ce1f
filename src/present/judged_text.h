/*
 * judged_text.h - a judged finding as text.
 *
 * Memory:  from the text's pool.
 */
#ifndef PF_PRESENT_JUDGED_TEXT_H
#define PF_PRESENT_JUDGED_TEXT_H

#include "finding.h"
#include "textbuf.h"

/* Writes the class of the finding, its two accesses, the reason and the evidence. */
void pf_judged_text(struct pf_text *t, const struct pf_finding *f);
/* Writes the class, the reason and the evidence, as a part of a report on the finding; nothing if
 * it is not judged. */
void pf_judged_evidence_text(struct pf_text *t, const struct pf_finding *f);

#endif
