/*
 * finding_json.h - a finding as one JSON object on one line: the contract's `findings[i]`, which is
 * also what a line of the findings log is (docs/format/findings-log.md).
 */
#ifndef PF_REPORT_FINDING_JSON_H
#define PF_REPORT_FINDING_JSON_H

#include "finding.h"
#include "textbuf.h"

void pf_finding_json(struct pf_text *t, const struct pf_finding *f);

/* The small words of the writer, for whoever puts an object around findings. `name` is plain
 * text of ours, followed by the value. */
void pf_json_key(struct pf_text *t, const char *name);             /* "name": after , or { or [ */
void pf_json_str(struct pf_text *t, const char *name, const char *value);
void pf_json_num(struct pf_text *t, const char *name, uint64_t value);
void pf_json_bool(struct pf_text *t, const char *name, bool value);
void pf_json_address(struct pf_text *t, const char *name, uint64_t value);

#endif
