/*
 * finding_read.h - one finding from its JSON, and how findings of the same fingerprint become one.
 *
 * Model:   counts add up; the surest status, a clip, a harm and a verdict replace none; every stage that saw
 *          it is kept with its own count. A clip that shows harm replaces one that does not.
 * Memory:  the pool of the findings; ends pf when out of memory.
 * Errors:  the first failure stays in `status`, with a message that names the file, the line and what was
 *          expected.
 */
#ifndef PF_CLI_FINDING_READ_H
#define PF_CLI_FINDING_READ_H

#include "findings.h"
#include <jansson.h>

struct pf_reader {
    struct pf_findings *f;
    const char *path;
    const char *stage;  /* of findings that do not say which stage saw them */
    const char *folder; /* where relative names of clips begin; NULL: here */
    unsigned line;      /* 0: the file is one document */
    struct pf_error *error;
    pf_status status;
};

/* The finding, new or not; NULL when it cannot be read. */
struct pf_finding *pf_read_finding(struct pf_reader *r, const json_t *o);
/* NULL when there is none. */
struct pf_finding *pf_read_known(struct pf_findings *f, uint64_t id);

/* The words of the reader, for what stands around findings. */
void pf_read_fail(struct pf_reader *r, const char *expected, const char *what);
void *pf_read_room(struct pf_reader *r, size_t size);
const char *pf_read_copy(struct pf_reader *r, const char *s);
const char *pf_read_text(struct pf_reader *r, const json_t *o, const char *key); /* NULL: none */
uint64_t pf_read_number(struct pf_reader *r, const json_t *o, const char *key);
uint64_t pf_read_base(struct pf_reader *r, const json_t *o, const char *key, const char *prefix,
                      int base);
const json_t *pf_read_array(struct pf_reader *r, const json_t *o, const char *key);

#endif
