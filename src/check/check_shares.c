/* check_shares.c - the parts of the time budget that kinds of steps may use; see check_chain.h. */
#include "check_chain.h"

#define JUDGE_PERCENT 25 /* of the time budget: the most that judging may use */
#define EXPLORE_PERCENT 60 /* of the time budget: the most that the systematic search may use */
#define HUNT_PERCENT 15 /* of the time budget: the share of hunts, while other steps have work */
/* A hunt gets at most the share divided by this. The number is small, because each hunt begins by
 * running its corpus again. */
#define HUNT_SLICES 3

uint64_t pf_chain_judge_ms(const struct pf_chain *c)
{
    uint64_t share = c->budget_ms * JUDGE_PERCENT / 100;
    return c->judge_ms < share ? share - c->judge_ms : 0;
}

uint64_t pf_chain_explore_ms(const struct pf_chain *c)
{
    uint64_t share = c->budget_ms * EXPLORE_PERCENT / 100;
    return c->explore_ms < share ? share - c->explore_ms : 0;
}

uint64_t pf_chain_hunt_ms(const struct pf_chain *c)
{
    uint64_t share = c->budget_ms * HUNT_PERCENT / 100;
    if (pf_chain_is_complete(c)) /* nothing else needs the time */
        return c->budget_ms;
    uint64_t left = c->hunt_ms < share ? share - c->hunt_ms : 0;
    return left > share / HUNT_SLICES ? share / HUNT_SLICES : left;
}
