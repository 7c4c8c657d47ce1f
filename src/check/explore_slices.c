/* explore_slices.c - see explore_slices.h. */
#include "explore_slices.h"

/* If runs have at most LOOK_LENGTH events, the first slice has this many schedules, and comes
 * before the predictions. */
#define LOOK_SCHEDULES 8
#define LOOK_LENGTH 2000
/* The size of the first full slice in schedules, and about how many events these have together. */
#define FULL_MOST 2048
#define FULL_LEAST 8
#define FULL_EVENTS 80000
#define GROWTH 4
#define CHEAPER 4 /* a schedule of a batch takes as long as this many of the search */

bool pf_explore_slices_looks(const struct pf_explore_slices *s, uint64_t length)
{
    return !s->over && !s->done && length <= LOOK_LENGTH;
}

uint64_t pf_explore_slices_next(const struct pf_explore_slices *s, uint64_t length)
{
    uint64_t full = FULL_EVENTS / (length ? length : 1), more = GROWTH * s->done;
    full = full > FULL_MOST ? FULL_MOST : full < FULL_LEAST ? FULL_LEAST : full;
    if (pf_explore_slices_looks(s, length))
        return LOOK_SCHEDULES;
    return more > full ? more : full;
}

bool pf_explore_slices_due(const struct pf_explore_slices *s, uint64_t length, uint64_t sampled)
{
    bool paid = CHEAPER * sampled >= pf_explore_slices_next(s, length);
    return !s->over && (s->done <= LOOK_SCHEDULES || paid);
}

void pf_explore_slices_add(struct pf_explore_slices *s, uint64_t schedules, uint64_t left,
                           uint64_t ms)
{
    s->done = schedules;
    s->left = left;
    s->ms = ms;
    s->over |= !schedules || !left;
}
