/*
 * finding_read.h - reads one finding from JSON, and merges findings of the same fingerprint.
 *
 * Model:   counts are added; the most certain status wins; the worse verdict wins, but every other
 *          class replaces undecided; every stage that saw the finding is kept with its own count. A
 *          missing clip is filled in, and a clip that shows harm replaces one that does not; harm
 *          is only taken together with its clip.
 * Memory:  allocated from the pool of the findings.
 * Errors:  the first error stays in `status`, with a message that names the file, the line and what
 *          was expected.
 */
#ifndef PF_FINDINGS_FINDING_READ_H
#define PF_FINDINGS_FINDING_READ_H

#include "findings.h"
#include <jansson.h>

struct pf_reader {
    struct pf_findings *f;
    const char *path;
    const char *stage;  /* stage of findings that do not name one */
    const char *folder; /* base folder of relative clip paths; NULL: the current one */
    unsigned line;      /* 0: the file is one JSON document */
    struct pf_error *error;
    pf_status status;
};

/* Reads a finding and adds it, or merges it into a known one. Returns it; NULL on an error. */
struct pf_finding *pf_read_finding(struct pf_reader *r, const json_t *o);
/* The finding with this id; NULL if there is none. */
struct pf_finding *pf_findings_find(struct pf_findings *f, uint64_t id);

/* Parts of the reader, for formats that contain findings. Errors are noted in r->status. */
void pf_read_fail(struct pf_reader *r, const char *expected, const char *what);
void *pf_read_alloc(struct pf_reader *r, size_t size);
const char *pf_read_copy(struct pf_reader *r, const char *s);
const char *pf_read_text(struct pf_reader *r, const json_t *o, const char *key); /* NULL: none */
uint64_t pf_read_number(struct pf_reader *r, const json_t *o, const char *key);
/* The number, in the given base, in a string that must start with `prefix`. */
uint64_t pf_read_prefixed(struct pf_reader *r, const json_t *o, const char *key, const char *prefix,
                          int base);
const json_t *pf_read_array(struct pf_reader *r, const json_t *o, const char *key);

#endif
