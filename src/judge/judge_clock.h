/*
 * judge_clock.h - how much time, and how many runs, the judgement of one race has left.
 *
 * Model:   every part asks before it makes runs. If the budget is used up, the part leaves them
 *          out, and `cut` is set. A class that needs the planned runs is then not claimed.
 */
#ifndef PF_JUDGE_JUDGE_CLOCK_H
#define PF_JUDGE_JUDGE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct pf_judge_clock {
    uint64_t end_ms; /* as pf_now_ms; 0: no limit */
    uint64_t runs, most; /* of the program: made so far; at most, 0: no limit */
    bool (*should_stop)(void *arg); /* NULL: never */
    void *arg;
    bool cut; /* planned runs were left out */
};

/* True if no time or no run is left, or the user has interrupted it. */
bool pf_judge_clock_is_up(const struct pf_judge_clock *c);
/* The same, for a caller that now leaves out planned runs: sets `cut`. */
bool pf_judge_clock_cuts(struct pf_judge_clock *c);
/* The milliseconds that are left: at least 1, and at most `most` if that is not 0. Without a time
 * limit: `most`, where 0 means no limit. */
uint64_t pf_judge_clock_left(const struct pf_judge_clock *c, uint64_t most);
/* The same for evidence, which has half a second more: a failure that was seen at the last moment
 * still gets its stack. */
uint64_t pf_judge_clock_left_evidence(const struct pf_judge_clock *c, uint64_t most);

#endif
