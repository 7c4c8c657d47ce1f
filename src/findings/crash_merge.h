/*
 * crash_merge.h - merges crashes that free runs saw with the same crashes in replays.
 *
 * Model:   the stack of a crash in a free run is less exact than in a replay: it does not have the
 *          line of the innermost function, nor functions that the compiler inlined there. So the
 *          fingerprints differ. The two are the same crash if the program died of the same signal,
 *          and the functions of the free run's stack are the outermost ones of the replay's stack.
 *          An invalid access in a free run may be a memory error in the replay, which does not die.
 * Memory:  that of the findings.
 */
#ifndef PF_FINDINGS_CRASH_MERGE_H
#define PF_FINDINGS_CRASH_MERGE_H

#include "findings.h"

/* Merges each crash that only free runs saw into a confirmed crash or memory error, if there is one
 * that may be the same. */
void pf_findings_merge_crashes(struct pf_findings *f);

#endif
