/* judge_clock.c - see judge_clock.h. */
#include "judge_clock.h"
#include "duration.h"

#define EVIDENCE_MS 500

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

static uint64_t left_until(uint64_t end_ms, uint64_t most)
{
    uint64_t now = pf_now_ms(), left = end_ms > now ? end_ms - now : 1;
    return most && most < left ? most : left;
}

uint64_t pf_judge_clock_left(const struct pf_judge_clock *c, uint64_t most)
{
    return c->end_ms ? left_until(c->end_ms, most) : most;
}

uint64_t pf_judge_clock_left_evidence(const struct pf_judge_clock *c, uint64_t most)
{
    return c->end_ms ? left_until(c->end_ms + EVIDENCE_MS, most) : most;
}
