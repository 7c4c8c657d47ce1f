/* shown_by_recording.c - see shown_by_recording.h. */
#include "shown_by_recording.h"
#include "observed_harm.h"
#include "try_all.h"
#include "verify_clip.h"
#include <stdio.h>

static void add(struct pf_candidates *c, struct pf_predict_job *j, size_t k, size_t i)
{
    const struct pf_race *r = &j->results[k].races.at[i];
    const struct pf_try_schedule none = {.event = {r->a, r->b}, .n = 2};
    struct pf_finding f;
    pf_predicted_race(j, k, r, &f);
    struct pf_candidate *it = pf_candidates_find(c, f.id);
    if (!it) {
        pf_candidates_add(c, &f, &none, PF_NONE);
        it = pf_candidates_find(c, f.id);
    }
    if (!it || it->is_observed) /* known, or the same code raced before */
        return;
    it->is_observed = true;
    it->observed_analysis = k;
    it->observed_race = i;
}

void pf_shown_by_recording_add(struct pf_candidates *c, struct pf_predict_job *j)
{
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0;
             j->analyses[k]->claim == PF_CLAIM_OBSERVED && i < j->results[k].races.len; i++)
            add(c, j, k, i);
}

/* True if no verified clip of a try shows it. */
static bool is_left(const struct pf_candidate *c)
{
    return c->is_observed && !(pf_try_happened(&c->result) && c->result.verified);
}

/* The recording is the clip: the steps of the finding are those that were recorded. */
static void confirm(struct pf_candidate *c, struct pf_predict_job *j)
{
    size_t k = c->observed_analysis, i = c->observed_race;
    const char *harm = j->shown ? pf_observed_harm(j, k, i) : NULL;
    pf_predicted_race(j, k, &j->results[k].races.at[i], &c->f);
    c->f.witness = c->f.recorded;
    c->f.nwitness = c->f.nrecorded;
    c->f.nrecorded = 0;
    c->is_shown_by_recording = true;
    pf_try_result_set(&c->result, harm ? PF_TRY_ERROR : PF_TRY_REAL, harm ? harm : "");
    c->result.cause = PF_HARM_OWN;
    c->result.matters = true;
    c->result.verified = j->shown;
    snprintf(c->result.unverified, sizeof c->result.unverified, "%s", j->unshown);
}

void pf_shown_by_recording_confirm(struct pf_candidates *c, struct pf_predict_job *j,
                                   uint64_t harm_ms, bool (*should_stop)(void *), void *arg)
{
    bool any = false;
    for (size_t i = 0; i < c->at.len; i++)
        any |= is_left(&c->at.at[i]);
    if (!any)
        return;
    /* if the time is up, the replay ends at once: the races are observed */
    j->shown = pf_verify_clip(j->path, should_stop, arg, j->unshown, sizeof j->unshown);
    if (j->shown)
        pf_observed_harm_find(j, harm_ms, should_stop, arg);
    for (size_t i = 0; i < c->at.len; i++)
        if (is_left(&c->at.at[i]) && (j->shown || !pf_try_happened(&c->at.at[i].result)))
            confirm(&c->at.at[i], j);
}
