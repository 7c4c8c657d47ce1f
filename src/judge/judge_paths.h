/*
 * judge_paths.h - judges a race with other inputs (Algorithm 2 of the paper that judge.h names).
 *
 * Model:   a symbolic run (docs/format/symbolic.md) of the recording gives the conditions on the
 *          input that its path satisfies. Each condition is negated in turn, and the solver finds
 *          an input for that. The program is recorded with this input, along the recorded schedule
 *          up to the race, or, if that is not possible, under the recorded policy. If the race
 *          happens there (race_again.h), it is judged in that recording. The class is the worst of
 *          all inputs; k is the sum over all inputs. In addition, the outputs of the two orders are
 *          compared as formulas over the input (symbolic_output.h).
 * Memory:  the evidence belongs to the verdict.
 * Threads: the caller must be single-threaded.
 * Errors:  the evidence `paths` lists the steps that were not possible.
 */
#ifndef PF_JUDGE_JUDGE_PATHS_H
#define PF_JUDGE_JUDGE_PATHS_H

#include "judge.h"

/* Extends a verdict for one input, k-witness-harmless or output-differs, to how->paths inputs. */
void pf_judge_paths(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                    struct pf_verdict *out);

#endif
