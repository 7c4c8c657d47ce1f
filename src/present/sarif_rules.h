/*
 * sarif_rules.h - the rules of a SARIF document: one for each kind of finding, with its description
 * and how to fix it.
 */
#ifndef PF_PRESENT_SARIF_RULES_H
#define PF_PRESENT_SARIF_RULES_H

#include "textbuf.h"

/* Adds the member "rules". */
void pf_sarif_rules(struct pf_text *t);

#endif
