/*
 * finding_json.h - a finding as one JSON object on one line: an element of `findings` in the JSON
 * report, and a line of the findings log (docs/format/findings-log.md).
 */
#ifndef PF_REPORT_FINDING_JSON_H
#define PF_REPORT_FINDING_JSON_H

#include "finding.h"
#include "textbuf.h"

void pf_finding_json(struct pf_text *t, const struct pf_finding *f);

/* Writers of single members, for code that writes an object around findings. A comma is written
 * before the member where one is needed. */
void pf_json_key(struct pf_text *t, const char *name);             /* "name": the value follows */
void pf_json_str(struct pf_text *t, const char *name, const char *value);
void pf_json_num(struct pf_text *t, const char *name, uint64_t value);
void pf_json_bool(struct pf_text *t, const char *name, bool value);
void pf_json_address(struct pf_text *t, const char *name, uint64_t value);
/* Writes the member "merged_lines" of a frame that has them. */
void pf_json_merged_lines(struct pf_text *t, const struct pf_stack_frame *p);

#endif
