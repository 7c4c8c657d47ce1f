/*
 * judge.h - judges one race: runs the program with its two accesses in both orders, and compares
 * what the program does (Kasikci, Zamfir, Candea: Automated classification of data races under
 * both strong and weak memory models; docs/analysis/judge.md).
 *
 * Model:   a race belongs to one class:
 *              spec-violated       one order makes the program crash, fail an assertion, deadlock,
 *                                  loop for ever, access memory wrongly or violate a requirement
 *                                  (requirement.h); the other one does not
 *              output-differs      the order changes the output or the exit status
 *              k-witness-harmless  k runs of the alternate order gave results of the primary order
 *              single-ordering     the alternate order cannot happen: other synchronisation, which
 *                                  the detector does not know, orders the accesses
 *              undecided           none of these was shown; `reason` says why
 *          The primary order also runs under several schedules: they are a control group. A result
 *          of the alternate order is blamed on the race only if no run of the primary order gives
 *          it. Before a result is blamed on it, further runs are added to the control group.
 * Memory:  a verdict owns its evidence; release frees it. Clips of the evidence are files in the
 *          folder of the case.
 * Threads: the caller must be single-threaded.
 * Errors:  what cannot be decided is a verdict of its own: undecided.
 */
#ifndef PF_JUDGE_JUDGE_H
#define PF_JUDGE_JUDGE_H

#include "both_orders.h"
#include "finding.h"
#include "judge_clock.h"
#include "output_numbers.h"
#include "requirement.h"

enum pf_judge_method {
    PF_METHOD_BOTH_ORDERS, /* everything below */
    PF_METHOD_RECORD_REPLAY, /* Narayanasamy et al.: compares the memory after the race */
    PF_METHOD_ADHOC, /* looks only for ad hoc synchronisation */
};

struct pf_judge_settings {
    enum pf_judge_method method;
    unsigned schedules; /* random schedules of each order; 0: only the recorded one */
    unsigned control; /* most runs of the primary order; 0: only the recorded one */
    unsigned prefixes; /* how many earlier positions are tried where a lock is in the way */
    bool adhoc; /* look for ad hoc synchronisation */
    const struct pf_requirement *requirements; /* conditions that every run must satisfy */
    size_t nrequirements;
    uint32_t memory; /* enum pf_memory_model; not sc: the runs are repeated under this model */
    unsigned stale_runs; /* most runs under that model */
    unsigned recordings; /* further recordings in which a harmless race is judged */
    unsigned paths; /* most inputs, with the recorded one (judge_paths.h); 1: only the recorded */
    unsigned inputs; /* most sources of input that may change */
    bool symbolic_output; /* compare the outputs of both orders as formulas over the input */
    const char *worker; /* path of pf-z3; NULL: it is missing */
    uint64_t solver_ms; /* CPU time for each question to Z3 */
    bool brief; /* the caller needs no evidence for harmless races */
    bool as_paper; /* no control group, and a failure in either order decides */
    unsigned jobs;
    uint64_t fair_ms; /* most fair time (src/clip/fair_time.h) for one race; 0: any */
    uint64_t end_ms; /* as pf_now_ms: the end of the user's time; 0: none */
    unsigned most_runs; /* of the program, for one race; 0: no limit */
    bool (*should_stop)(void *arg); /* NULL: never */
    void *arg;
};
extern const struct pf_judge_settings pf_judge_default;

/* A race in a recording. */
struct pf_judge_case {
    const struct pf_trace *t;
    const struct pf_clip *recording;
    uint32_t a, b; /* the two accesses; a comes first in the trace */
    const char *folder; /* for clips that are kept; must exist */
    const char *scratch; /* for temporary files; must exist */
    const char *name; /* first part of the names of clips */
    uint64_t unsteady; /* bits of descriptors whose output varies by itself, and does not count */
    struct pf_output_numbers hidden; /* numbers in the output that do not count either */
    struct pf_further *further; /* recordings that all races of this one share; NULL: none */
    struct pf_judge_clock *clock; /* of the race that this is a part of; NULL: a new one */
};

struct pf_evidence_item {
    const char *kind; /* primary, alternate: a clip; output, failure, state, order: a text */
    char *text, *clip; /* NULL: none */
};

struct pf_verdict {
    enum pf_judge_class class;
    /* of k-witness-harmless: runs of the alternate order under random schedules that did not fail;
     * if there are none: 1, for the run along the recorded schedule */
    unsigned k;
    unsigned paths, schedules; /* inputs; runs of the alternate order with different schedules */
    unsigned control; /* runs of the primary order */
    const char *memory; /* the memory model that the class holds for: sc, tso or weak */
    char reason[400]; /* one sentence */
    bool adhoc; /* one of the accesses is a test of ad hoc synchronisation */
    bool incomplete; /* planned runs were left out, because the time was up */
    uint64_t ms, cpu_ms; /* cpu_ms: of pf and of all runs */
    PF_VEC(struct pf_evidence_item) evidence;
};

void pf_judge_race(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                   struct pf_verdict *out);
void pf_verdict_release(struct pf_verdict *v);

#endif
