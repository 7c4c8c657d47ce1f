/*
 * html.h - findings as one HTML file: the page that was bundled when pf was built (page/), with the
 * data inserted.
 *
 * Errors:  PF_BAD when this build has no page.
 */
#ifndef PF_PRESENT_HTML_H
#define PF_PRESENT_HTML_H

#include "baseline.h"
#include "findings.h"
#include "source_lines.h"

/* `base` may be NULL. */
PF_MUST_USE pf_status pf_html(struct pf_text *t, const struct pf_findings *f,
                              const struct pf_baseline *base, struct pf_sources *sources,
                              struct pf_error *e);

#endif
