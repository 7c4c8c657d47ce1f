/* judge_clock.c - see judge_clock.h. */
#include "judge_clock.h"
#include "duration.h"

bool pf_judge_clock_is_up(const struct pf_judge_clock *c)
{
    return (c->end_ms && pf_now_ms() >= c->end_ms) || (c->most && c->runs >= c->most) ||
           (c->should_stop && c->should_stop(c->arg));
}

bool pf_judge_clock_cuts(struct pf_judge_clock *c)
{
    bool up = pf_judge_clock_is_up(c);
    c->cut |= up;
    return up;
}

uint64_t pf_judge_clock_left(const struct pf_judge_clock *c, uint64_t most)
{
    if (!c->end_ms)
        return most;
    uint64_t now = pf_now_ms(), left = c->end_ms > now ? c->end_ms - now : 1;
    return most && most < left ? most : left;
}
