/*
 * judge_again.h - judges a race in another recording of the same program, and keeps the worst
 * verdict.
 *
 * Memory:  release closes the recording and removes its file. A verdict that is not used is
 *          discarded together with its clips.
 * Threads: the caller must be single-threaded.
 */
#ifndef PF_JUDGE_JUDGE_AGAIN_H
#define PF_JUDGE_JUDGE_AGAIN_H

#include "judge.h"
#include "predicted_finding.h"

#define PF_FURTHER_RANDOM 4 /* most random recordings */

struct pf_judge_again {
    const struct pf_judge_settings *how;
    const struct pf_judge_case *race;
    char *file; /* the other recording */
    struct pf_clip clip;
    struct pf_predict_job *job; /* has its trace */
    bool open;
};

/* What all races of a recording share: its symbolic run, and random further recordings. */
struct pf_further {
    struct pf_judge_again random[PF_FURTHER_RANDOM];
    bool tried[PF_FURTHER_RANDOM];
    char *symbolic; /* file of the symbolic run along the first recording; NULL: none yet */
};
void pf_further_release(struct pf_further *f);

/* Judges the race in the recording r->file, which is loaded. `name` is the first part of the names
 * of clips. False: the race does not happen there, or could not be decided. Sets *v to the worst
 * verdict of its pairs of accesses (race_again.h); the caller discards *v in any case. */
bool pf_judge_again(struct pf_judge_again *r, const char *name, struct pf_verdict *v);
void pf_judge_again_release(struct pf_judge_again *r);
/* Removes the clips of a verdict and releases it. */
void pf_verdict_discard(struct pf_verdict *v);
/* The clip of the alternate order; NULL: none. */
const char *pf_verdict_alternate(const struct pf_verdict *v);
/* Exchanges the evidence of `out` and v, and gives `out` the class of v. The reason becomes
 * "WORDS: REASON". */
void pf_verdict_take(struct pf_verdict *out, struct pf_verdict *v, const char *words);

/* Judges a race that is harmless in its recording in how->recordings further recordings, with other
 * schedules before the race. A worse verdict replaces *out. */
void pf_judge_recordings(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                         struct pf_verdict *out);

#endif
