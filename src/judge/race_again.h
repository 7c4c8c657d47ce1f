/*
 * race_again.h - finds a race of one recording in another recording of the same program, which has
 * another input.
 *
 * Model:   two accesses that race in the other recording are the same race if both positions in the
 *          source are the same, or if one position, the variable and the threads are the same: with
 *          another input, a thread may access the variable at another position (Figure 6 of the
 *          paper that judge.h names).
 * Memory:  the caller releases the list.
 */
#ifndef PF_JUDGE_RACE_AGAIN_H
#define PF_JUDGE_RACE_AGAIN_H

#include "predicted_finding.h"

typedef PF_VEC(struct pf_race) pf_race_list;

/* Appends at most `most` pairs to `out`; those at the same two positions in the same threads come
 * first. `job` has the trace of the other recording; this function runs the analysis. */
void pf_race_again_find(const struct pf_trace *t, uint32_t a, uint32_t b,
                        struct pf_predict_job *job, size_t most, pf_race_list *out);

#endif
