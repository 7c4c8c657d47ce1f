/*
 * evidence.h - what a verdict rests on: clips of both orders, the first difference of the outputs,
 * the stack of a failure, what the threads did in both orders, the input, and whether the memory
 * after the race differs.
 *
 * Memory:  evidence belongs to the verdict. A clip that is kept is moved to its final name; the
 *          file of the run is then gone.
 */
#ifndef PF_JUDGE_EVIDENCE_H
#define PF_JUDGE_EVIDENCE_H

#include "judge_runs.h"

/* Keeps the clips of two runs as NAME.primary.clip and NAME.alternate.clip, each with the steps
 * around the two accesses as its text, and the input of the recording as NAME.stdin. Adds whether
 * the memory after the race differs. */
void pf_evidence_clips(struct pf_verdict *v, const struct pf_judge_case *race,
                       const struct pf_judge_run *primary, const struct pf_judge_run *alternate);
/* Adds the first difference of the outputs of two runs. */
void pf_evidence_output(struct pf_verdict *v, const struct pf_judge_run *primary,
                        const struct pf_judge_run *alternate);
/* Adds the failure of a run, with its stack. Writes it to `what` as one line; if a signal killed
 * the program, the line gives the cause of the signal. */
void pf_evidence_failure(struct pf_verdict *v, const struct pf_judge_run *r, char *what,
                         size_t room);
/* Adds a text. */
void pf_evidence_text(struct pf_verdict *v, const char *kind, const char *text);
/* Adds what a run under a memory model other than sc shows. Its clip is kept as NAME.MODEL.clip. If
 * it failed, adds the failure, and writes it to `what`; otherwise adds the first difference to the
 * output of `sc`, a sequentially consistent run (NULL: none). Also adds the reads that did not
 * return the newest value. */
void pf_evidence_memory(struct pf_verdict *v, const struct pf_judge_case *race,
                        const struct pf_judge_run *sc, const struct pf_judge_run *r,
                        const char *model, char *what, size_t room);
/* Compares the memory that the two accesses wrote, when both have happened, in two runs, and adds
 * the result. Returns 1: the same; 0: different; -1: unknown. */
int pf_evidence_state(struct pf_verdict *v, const struct pf_judge_case *race,
                      const struct pf_judge_run *primary, const struct pf_judge_run *alternate);

#endif
