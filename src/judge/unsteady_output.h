/*
 * unsteady_output.h - output that differs between runs for other reasons than the race.
 *
 * Model:   a descriptor is not compared if its output differs between two equal runs (it shows the
 *          process id, for example), between two runs that differ only in their clocks (it shows
 *          how long something took), or if many runs of the primary order have an output in it that
 *          no other one has (pf_judge_runs_vary). The evidence names it. If this holds for all
 *          descriptors with output, all are compared, but without the numbers in which two equal
 *          runs, or two that differ only in their clocks, differ; if they differ in more than
 *          numbers, the whole output counts.
 */
#ifndef PF_JUDGE_UNSTEADY_OUTPUT_H
#define PF_JUDGE_UNSTEADY_OUTPUT_H

#include "judging.h"

/* Runs the primary order along the recorded schedule twice more, once with another clock. Drops
 * descriptors that differ, or hides their numbers. Sets j->varies if the result still differs. */
void pf_unsteady_output_repeat(struct pf_judging *j);
/* Drops descriptors that vary between runs of the primary order. False: none was dropped. */
bool pf_unsteady_output_drop_varying(struct pf_judging *j);

#endif
