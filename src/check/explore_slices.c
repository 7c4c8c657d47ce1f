/* explore_slices.c - see explore_slices.h. */
#include "explore_slices.h"

/* The size of the first slice in schedules, and about how many events these have together. */
#define FIRST_MOST 256
#define FIRST_LEAST 8
#define FIRST_EVENTS 40000
#define GROWTH 4

bool pf_explore_slices_due(const struct pf_explore_slices *s, uint64_t sampled)
{
    return !s->over && sampled >= s->done;
}

uint64_t pf_explore_slices_next(const struct pf_explore_slices *s, uint64_t length)
{
    uint64_t first = FIRST_EVENTS / (length ? length : 1);
    if (s->done)
        return GROWTH * s->done;
    return first > FIRST_MOST ? FIRST_MOST : first < FIRST_LEAST ? FIRST_LEAST : first;
}

void pf_explore_slices_add(struct pf_explore_slices *s, uint64_t schedules, uint64_t left,
                           uint64_t ms)
{
    s->done = schedules;
    s->left = left;
    s->ms = ms;
    s->over |= !schedules || !left;
}
