/* clip_steps.c - see clip_steps.h. */
#include "clip_steps.h"
#include "load_trace.h"
#include "message.h"
#include "schedule_step.h"
#include <string.h>

static const char *copy(struct pf_pool *pool, const char *s)
{
    return s ? pf_pool_text(pool, s, strlen(s)) : NULL;
}

static bool take_steps(struct pf_finding *f, struct pf_pool *pool, const struct pf_finding *from)
{
    size_t n = from->nrecorded;
    struct pf_schedule_step *at = n ? pf_pool_get(pool, n * sizeof *at) : NULL;
    if (!at)
        return false;
    for (size_t i = 0; i < n; i++) {
        at[i] = from->recorded[i];
        at[i].name = copy(pool, at[i].name);
        at[i].value = copy(pool, at[i].value);
        at[i].file = copy(pool, at[i].file);
        at[i].from_file = copy(pool, at[i].from_file);
    }
    f->witness = at;
    f->nwitness = n;
    return true;
}

bool pf_clip_steps(struct pf_finding *f, struct pf_pool *pool, const struct pf_trace *t,
                   const struct pf_try_schedule *h, const char *clip, uint64_t limit_ms)
{
    struct pf_predict_job *now = pf_mem_zero(1, sizeof *now);
    struct pf_finding steps = {0};
    struct pf_error e;
    uint32_t event[PF_PATTERN_MAX];
    pf_predict_job_init(now);
    now->t.recorded.replay_limit_ms = limit_ms;
    bool ok = !h->stuck && pf_load_trace("hatch", clip, &now->t, &e) == PF_OK;
    for (uint32_t i = 0; ok && i < h->n; i++) {
        event[i] = pf_try_same_event(t, h->event[i], &now->t);
        ok = event[i] != PF_NONE;
    }
    if (ok)
        pf_schedule_steps_recorded(now, &steps, event, h->n);
    ok = ok && take_steps(f, pool, &steps);
    pf_predict_job_release(now);
    free(now);
    return ok;
}
