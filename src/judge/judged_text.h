/*
 * judged_text.h - a judged finding as text, and the count of classes.
 *
 * Memory:  from the text's pool.
 */
#ifndef PF_JUDGE_JUDGED_TEXT_H
#define PF_JUDGE_JUDGED_TEXT_H

#include "finding.h"
#include "textbuf.h"

/* Writes the class of the finding, its two accesses, the reason and the evidence. */
void pf_judged_text(struct pf_text *t, const struct pf_finding *f);

#endif
