/*
 * judge_findings.h - judges a list of findings, and stores the verdicts in them.
 *
 * Model:   each finding has a recording that contains its two accesses: its own clip, whose
 *          description names them, or any recording, in which they are found by their positions. A
 *          finding without a recording gets one first (aimed_recording.h).
 *          Findings that share a recording are judged with one trace. Findings whose accesses have
 *          the same stacks, threads and memory in it form a cluster and are judged once.
 * Memory:  verdicts are allocated in the pool.
 * Threads: the caller must be single-threaded.
 * Errors:  a finding that cannot be judged is undecided, with the reason.
 */
#ifndef PF_JUDGE_JUDGE_FINDINGS_H
#define PF_JUDGE_JUDGE_FINDINGS_H

#include "finding.h"
#include "judge.h"
#include "pool.h"
#include "vector.h"

struct pf_text;

struct pf_judge_item {
    struct pf_finding *f;
    const char *clip; /* NULL: no recording is known */
    char *const *command; /* without a clip: the program to record; NULL: unknown */
    const char *race; /* the accesses, "T1:137,T2:40"; NULL: those of the clip or the finding */
    bool judged; /* set when its verdict is stored in the finding */
    uint64_t ms; /* how long it took */
};

typedef PF_VEC(struct pf_judge_item) pf_judge_items;

struct pf_judge_list {
    struct pf_judge_settings how;
    struct pf_pool *pool;
    const char *folder; /* for the clips of the evidence; must exist */
    uint64_t end_ms; /* when the time is up, as pf_now_ms; 0: no limit */
    const struct pf_trace *loaded; /* the trace of the recording loaded_path; NULL: none */
    const char *loaded_path;
    bool exact; /* judge only the two accesses that `race` of an item names */
    void (*progress)(const struct pf_judge_list *l, const struct pf_judge_item *it);
    struct pf_judge_item *items;
    size_t n;
};

/* Judges the items that can be judged before the time is up. */
void pf_judge_list_run(struct pf_judge_list *l);
/* The clip of the evidence of this kind; NULL: the finding has none. */
const char *pf_judged_clip(const struct pf_finding *f, const char *kind);
/* Stores a verdict in a finding. */
void pf_judge_store(struct pf_finding *f, const struct pf_verdict *v, struct pf_pool *pool);

/* The worst class of the items that were judged; PF_JUDGED_CLASSES: none was. */
int pf_judge_worst(const pf_judge_items *items);
/* Adds the last line of the report: how many races there are in each class. */
void pf_judge_summary(struct pf_text *t, const pf_judge_items *items);

#endif
