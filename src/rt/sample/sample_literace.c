/*
 * sample_literace.c - LiteRace (Marino, Musuvathi, Narayanasamy, PLDI 2009): each thread watches
 * the first calls of each function, and fewer and fewer of the later ones.
 *
 * Model:   per thread and function, bursts of BURST consecutive calls. The number of calls skipped
 *          after a burst makes the rate 10%, then 1%, then 0.1% for ever. The first burst has the
 *          rate 100%: no calls are skipped before it.
 */
#include "limits.h"
#include "module.h"
#include "sample.h"
#include "sys.h"

#define BURST 10 /* calls */
#define LEVELS 4 /* rates */

static const int32_t period[LEVELS] = {BURST, BURST * 10, BURST * 100, BURST * 1000};

struct literace_state {
    uint8_t level; /* selects how many calls are skipped before the next burst */
    uint8_t done;  /* calls of this burst so far */
};

static bool configure(const char *parameters) { return !*parameters; }

static void begin(struct pf_thread *t)
{
    t->sample.policy_state = pf_sys_map(NULL, PF_FUNCS_MAX * sizeof(struct literace_state));
    if (!t->sample.policy_state)
        pf_limit_hit(PF_LIMIT_MEMORY);
}

static void end(struct pf_thread *t)
{
    if (t->sample.policy_state)
        pf_sys(SYS_munmap, t->sample.policy_state, PF_FUNCS_MAX * sizeof(struct literace_state));
    t->sample.policy_state = NULL;
}

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    if (!t->sample.policy_state)
        return PF_BODY_WATCH;
    struct literace_state *s = (struct literace_state *)t->sample.policy_state + f->number;
    int32_t *count = &__pf_tls.counts[f->number];
    *count = 0; /* ask again at the next call */
    if (++s->done == BURST) {
        s->done = 0;
        s->level += s->level < LEVELS - 1;
        *count = period[s->level] - BURST;
    }
    return PF_BODY_WATCH;
}

const struct pf_sampling_policy pf_sampling_literace = {
    .name = "literace",
    .configure = configure,
    .begin = begin,
    .end = end,
    .call = call,
};
