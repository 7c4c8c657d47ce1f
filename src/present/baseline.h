/*
 * baseline.h - findings that were accepted: a file of fingerprints, kept with the sources.
 *
 * Model:   JSON, docs/format/baseline.md. A finding is new when its fingerprint is not in it.
 * Memory:  a pool of its own.
 * Errors:  PF_BAD names the file and what was expected.
 */
#ifndef PF_CLI_BASELINE_H
#define PF_CLI_BASELINE_H

#include "findings.h"
#include "status.h"

struct pf_accepted {
    uint64_t id;
    const char *title, *note; /* NULL: none */
};

struct pf_baseline {
    struct pf_pool pool;
    struct pf_accepted *at; /* by id */
    size_t n;
};

void pf_baseline_init(struct pf_baseline *b);
void pf_baseline_release(struct pf_baseline *b);
PF_MUST_USE pf_status pf_baseline_read(struct pf_baseline *b, const char *path, struct pf_error *e);
bool pf_baseline_has(const struct pf_baseline *b, uint64_t id);
/* Makes it the findings of `f`, and with `keep` those it had. Notes stay with their findings. */
PF_MUST_USE pf_status pf_baseline_accept(struct pf_baseline *b, const struct pf_findings *f,
                                         bool keep, struct pf_error *e);
PF_MUST_USE pf_status pf_baseline_write(const struct pf_baseline *b, const char *path,
                                        struct pf_error *e);

/* What makes a report fail: --fail-on. */
enum pf_fail_on { PF_FAIL_NEW, PF_FAIL_ANY, PF_FAIL_CONFIRMED, PF_FAIL_ONS };
/* The word's value, or -1. */
int pf_fail_on_from(const char *word);
/* How many findings fail; `b` NULL: nothing is accepted. */
size_t pf_baseline_failing(const struct pf_baseline *b, const struct pf_findings *f,
                           enum pf_fail_on what);

#define PF_BASELINE_FILE ".photofinish-baseline.json"

#endif
