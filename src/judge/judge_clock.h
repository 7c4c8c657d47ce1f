/*
 * judge_clock.h - how much time, and how many runs, the judgement of one race has left.
 *
 * Model:   a race has an end that the user has set, and a limit that pf sets itself. The limit is
 *          one of fair time (src/clip/fair_time.h), so that a class does not depend on what else
 *          runs on the machine.
 *          Every part asks before it makes runs. If the budget is used up, the part leaves them
 *          out, and `cut` is set. A class that needs the planned runs is then not claimed.
 */
#ifndef PF_JUDGE_JUDGE_CLOCK_H
#define PF_JUDGE_JUDGE_CLOCK_H

#include "fair_clock.h"
#include <stdbool.h>
#include <stdint.h>

struct pf_judge_clock {
    uint64_t end_ms; /* as pf_now_ms; 0: no end */
    struct pf_fair_clock fair; /* since the begin of the judgement */
    uint64_t fair_ms; /* most fair time; 0: no limit */
    uint64_t runs, most; /* of the program: made so far; at most, 0: no limit */
    bool (*should_stop)(void *arg); /* NULL: never */
    void *arg;
    bool cut; /* planned runs were left out */
};

/* True if no time or no run is left, or the user has interrupted it. */
bool pf_judge_clock_is_up(struct pf_judge_clock *c);
/* The same, for a caller that now leaves out planned runs: sets `cut`. */
bool pf_judge_clock_cuts(struct pf_judge_clock *c);
/* What is left for one run: its limits, as those of a command (command.h). */
struct pf_judge_left {
    uint64_t limit_ms, fair_ms; /* at least 1; 0: no limit */
};
/* most_ms: more fair time than that is not needed; 0: any. */
struct pf_judge_left pf_judge_clock_left(struct pf_judge_clock *c, uint64_t most_ms);
/* The same for evidence, which has half a second more: a failure that was seen at the last moment
 * still gets its stack. */
struct pf_judge_left pf_judge_clock_left_evidence(struct pf_judge_clock *c, uint64_t most_ms);

#endif
