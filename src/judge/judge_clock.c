/* judge_clock.c - see judge_clock.h. */
#include "judge_clock.h"
#include "duration.h"

#define EVIDENCE_MS 500

bool pf_judge_clock_is_up(struct pf_judge_clock *c)
{
    return (c->end_ms && pf_now_ms() >= c->end_ms) || (c->most && c->runs >= c->most) ||
           (c->should_stop && c->should_stop(c->arg)) ||
           (c->fair_ms && pf_fair_clock_ms(&c->fair, false) >= c->fair_ms);
}

bool pf_judge_clock_cuts(struct pf_judge_clock *c)
{
    bool up = pf_judge_clock_is_up(c);
    c->cut |= up;
    return up;
}

static uint64_t left_until(uint64_t end, uint64_t now) { return end > now ? end - now : 1; }

static struct pf_judge_left time_left(struct pf_judge_clock *c, uint64_t more, uint64_t most)
{
    struct pf_judge_left left = {.fair_ms = most};
    if (c->end_ms)
        left.limit_ms = left_until(c->end_ms + more, pf_now_ms());
    if (c->fair_ms) {
        uint64_t fair = left_until(c->fair_ms + more, pf_fair_clock_ms(&c->fair, false));
        left.fair_ms = most && most < fair ? most : fair;
    }
    return left;
}

struct pf_judge_left pf_judge_clock_left(struct pf_judge_clock *c, uint64_t most_ms)
{
    return time_left(c, 0, most_ms);
}

struct pf_judge_left pf_judge_clock_left_evidence(struct pf_judge_clock *c, uint64_t most_ms)
{
    return time_left(c, EVIDENCE_MS, most_ms);
}
