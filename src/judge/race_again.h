/*
 * race_again.h - finds a race of one recording in another recording of the same program, which has
 * another input.
 *
 * Model:   two accesses that race in the other recording are the same race if both positions in the
 *          source are the same, or if one of them, the variable and the threads are: with another
 *          input, a thread may access the variable at another position (Figure 6 of the paper).
 * Memory:  the caller releases the list.
 */
#ifndef PF_JUDGE_RACE_AGAIN_H
#define PF_JUDGE_RACE_AGAIN_H

#include "predicted_finding.h"

typedef PF_VEC(struct pf_race) pf_race_list;

/* Appends the pairs to `out`, at most `most`; those at the same two positions in the same threads
 * come first. `job` has the trace of the other recording; the analysis runs here. */
void pf_race_again_find(const struct pf_trace *t, uint32_t a, uint32_t b,
                        struct pf_predict_job *job, size_t most, pf_race_list *out);

#endif
