/*
 * baseline.h - accepted findings: a file of fingerprints that is kept with the sources.
 *
 * Model:   JSON, docs/format/baseline.md. A finding is new if its fingerprint is not in the file.
 * Memory:  its own pool.
 * Errors:  PF_BAD names the file and what was expected.
 */
#ifndef PF_PRESENT_BASELINE_H
#define PF_PRESENT_BASELINE_H

#include "findings.h"
#include "status.h"

struct pf_accepted {
    uint64_t id;
    const char *title, *note; /* NULL: none */
    const char *class; /* the class that it had when it was accepted; NULL: not judged */
};

struct pf_baseline {
    struct pf_pool pool;
    struct pf_accepted *at; /* sorted by id */
    size_t n;
};

void pf_baseline_init(struct pf_baseline *b);
void pf_baseline_release(struct pf_baseline *b);
PF_MUST_USE pf_status pf_baseline_read(struct pf_baseline *b, const char *path, struct pf_error *e);
bool pf_baseline_has(const struct pf_baseline *b, uint64_t id);
/* Replaces the contents by the findings of `f`; with `keep`, adds them to the contents. The
 * notes of findings that stay are kept. */
void pf_baseline_accept(struct pf_baseline *b, const struct pf_findings *f, bool keep);
PF_MUST_USE pf_status pf_baseline_write(const struct pf_baseline *b, const char *path,
                                        struct pf_error *e);

/* Which findings make a report fail (--fail-on). */
enum pf_fail_on {
    PF_FAIL_NEW,
    PF_FAIL_ANY,
    PF_FAIL_CONFIRMED,
    /* plus an enum pf_judge_class: new findings of this class or a worse one */
    PF_FAIL_CLASS
};
/* The value for new, any, confirmed or the name of a class; -1: another word. */
int pf_fail_on_from(const char *word);
/* True if the finding makes the report fail. accepted: the baseline has it. */
bool pf_finding_fails(const struct pf_finding *f, bool accepted, enum pf_fail_on what);
/* How many findings make the report fail; `b` NULL: none are accepted. */
size_t pf_baseline_failing(const struct pf_baseline *b, const struct pf_findings *f,
                           enum pf_fail_on what);

#define PF_BASELINE_FILE ".photofinish-baseline.json"

#endif
