/* judge_again.c - see judge_again.h. */
#define _GNU_SOURCE
#include "judge_again.h"
#include "load_trace.h"
#include "race_again.h"
#include "record_again.h"
#include "textbuf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "judge"
#define PAIRS 3 /* pairs of accesses that are judged in each recording */
#define RANDOM PF_FURTHER_RANDOM
#define KEPT_EVENTS 10000000 /* of all recordings that are kept for other races */
#define RUN_MS 20000 /* time limit of a recording */

void pf_verdict_discard(struct pf_verdict *v)
{
    for (size_t i = 0; i < v->evidence.len; i++)
        if (v->evidence.at[i].clip)
            unlink(v->evidence.at[i].clip);
    pf_verdict_release(v);
}

const char *pf_verdict_alternate(const struct pf_verdict *v)
{
    for (size_t i = 0; i < v->evidence.len; i++)
        if (!strcmp(v->evidence.at[i].kind, "alternate"))
            return v->evidence.at[i].clip;
    return NULL;
}

static void swap_evidence(struct pf_verdict *x, struct pf_verdict *y)
{
    struct pf_verdict old = *x;
    memcpy(&x->evidence, &y->evidence, sizeof x->evidence);
    memcpy(&y->evidence, &old.evidence, sizeof y->evidence);
}

void pf_verdict_take(struct pf_verdict *out, struct pf_verdict *v, const char *words)
{
    out->class = v->class;
    out->k = 0;
    snprintf(out->reason, sizeof out->reason, "%.130s: %.250s", words, v->reason);
    swap_evidence(out, v);
}

static bool open_recording(struct pf_judge_again *r)
{
    struct pf_error ignored;
    r->job = pf_mem_zero(1, sizeof *r->job);
    pf_predict_job_init(r->job);
    r->job->path = r->file;
    struct pf_judge_left left = pf_judge_clock_left(r->race->clock, 0);
    r->job->t.recorded.replay_limit_ms = left.limit_ms;
    r->job->t.recorded.replay_fair_ms = left.fair_ms;
    r->open = pf_clip_open(&r->clip, r->file, &ignored) == PF_OK;
    return r->open && pf_load_trace(VERB, r->file, &r->job->t, &ignored) == PF_OK;
}

void pf_judge_again_release(struct pf_judge_again *r)
{
    if (r->open)
        pf_clip_release(&r->clip);
    if (r->job) {
        pf_predict_job_release(r->job);
        free(r->job);
    }
    if (r->file)
        unlink(r->file);
    free(r->file);
    *r = (struct pf_judge_again){0};
}

void pf_further_release(struct pf_further *f)
{
    for (unsigned i = 0; i < RANDOM; i++)
        pf_judge_again_release(&f->random[i]);
    if (f->symbolic)
        unlink(f->symbolic);
    free(f->symbolic);
    f->symbolic = NULL;
}

bool pf_judge_again(struct pf_judge_again *r, const char *name, struct pf_verdict *v)
{
    struct pf_judge_settings how = *r->how;
    pf_race_list pairs = {0};
    bool met = false;
    *v = (struct pf_verdict){.class = PF_JUDGED_UNDECIDED};
    if (!r->job && !open_recording(r))
        return false;
    how.paths = 1;
    how.recordings = 0;
    how.memory = PF_MEMORY_SC;
    pf_race_again_find(r->race->t, r->race->a, r->race->b, r->job, PAIRS, &pairs);
    for (size_t i = 0; i < pairs.len && !pf_judge_clock_cuts(r->race->clock); i++) {
        struct pf_verdict one;
        char *full = pf_mem_format("%s.%zu", name, i);
        struct pf_judge_case again = {.t = &r->job->t,
                                      .recording = &r->clip,
                                      .a = pairs.at[i].a,
                                      .b = pairs.at[i].b,
                                      .folder = r->race->folder,
                                      .scratch = r->race->scratch,
                                      .unsteady = r->race->unsteady,
                                      .hidden = r->race->hidden,
                                      .clock = r->race->clock,
                                      .name = full};
        pf_judge_race(&how, &again, &one);
        one.schedules += v->schedules;
        one.control += v->control;
        if (one.class != PF_JUDGED_UNDECIDED && (!met || one.class < v->class)) {
            pf_verdict_discard(v);
            *v = one;
            met = true;
        } else {
            v->schedules = one.schedules;
            v->control = one.control;
            pf_verdict_discard(&one);
        }
        free(full);
    }
    pf_vec_release(&pairs);
    return met;
}

/* Writes FILE:LINE:COLUMN of an access. */
static bool position_of(const struct pf_trace *t, uint32_t event, char *to, size_t room)
{
    const struct pf_site_info *s = &t->sites.at[t->events.at[event].site];
    const char *base = pf_str_base(pf_trace_text(t, s->file));
    if (!*base || strpbrk(base, ",:"))
        return false;
    int n = s->column ? snprintf(to, room, "%s:%u:%u", base, s->line, s->column)
                      : snprintf(to, room, "%s:%u", base, s->line);
    return n > 0 && (size_t)n < room;
}

/* The policy of the i-th further recording: random, then aimed at the race. A random policy does
 * not restrict the threads; an aimed one finds a race that is rare. False: the first recording has
 * this policy already, or the source positions are not known. */
static bool choose_schedule(const struct pf_judge_case *race, unsigned i, char *to, size_t room)
{
    const char *own = race->recording->meta.schedule;
    char a[160], b[160];
    if (i < RANDOM)
        snprintf(to, room, "random:%u", i + 1);
    else if (position_of(race->t, race->a, a, sizeof a) &&
             position_of(race->t, race->b, b, sizeof b))
        snprintf(to, room, "racefuzzer:%s,%s,%u", a, b, i - RANDOM + 1);
    else
        return false;
    return !own || strcmp(to, own) != 0;
}

/* Makes the i-th further recording. False: there is none. */
static bool record_further(struct pf_judge_again *r, const struct pf_judge_case *race, unsigned i)
{
    char schedule[400];
    struct pf_error ignored;
    if (!choose_schedule(race, i, schedule, sizeof schedule))
        return false;
    r->file = pf_mem_format("%s/%s.before%u.clip", race->scratch, race->name, i);
    struct pf_judge_left left = pf_judge_clock_left(race->clock, RUN_MS);
    struct pf_record_again q = {.clip = race->recording,
                                .file = r->file,
                                .schedule = schedule,
                                .traced = true,
                                .folder = race->scratch,
                                .limit_ms = left.limit_ms,
                                .fair_ms = left.fair_ms,
                                .should_stop = r->how->should_stop,
                                .arg = r->how->arg};
    race->clock->runs++;
    return pf_record_again(&q, &ignored) == PF_OK;
}

static size_t kept_events(const struct pf_further *f)
{
    size_t n = 0;
    for (unsigned i = 0; f && i < RANDOM; i++)
        n += f->random[i].job ? f->random[i].job->t.events.len : 0;
    return n;
}

/* Judges the race in the i-th further recording. Random recordings are made once, and kept for all
 * races of the first recording unless they are large. False: the race does not happen there. */
static bool judge_further(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                          unsigned i, struct pf_verdict *v)
{
    struct pf_judge_again own = {0}, *r = &own;
    bool shared = race->further && i < RANDOM, known = shared && race->further->tried[i];
    char *name = pf_mem_format("%s.before%u", race->name, i);
    if (shared)
        r = &race->further->random[i];
    r->how = how;
    r->race = race;
    bool there = known ? r->job != NULL : record_further(r, race, i);
    bool met = there && pf_judge_again(r, name, v);
    bool large = kept_events(race->further) > KEPT_EVENTS;
    bool cut = !there && !known && pf_judge_clock_cuts(race->clock);
    if (shared) /* if the time of this race was up, another race may have enough */
        race->further->tried[i] = !large && !cut;
    if (!shared || large || !r->open)
        pf_judge_again_release(r);
    free(name);
    return met;
}

void pf_judge_recordings(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                         struct pf_verdict *out)
{
    struct pf_judge_settings brief = *how;
    unsigned count = 1;
    brief.brief = true;
    for (unsigned i = 0; i < RANDOM + how->recordings && count <= how->recordings &&
                         !pf_judge_clock_cuts(race->clock);
         i++) {
        struct pf_verdict v = {.class = PF_JUDGED_UNDECIDED};
        bool met = judge_further(&brief, race, i, &v);
        out->schedules += v.schedules;
        out->control += v.control;
        if (met && v.class == PF_JUDGED_K_WITNESS)
            out->k += v.k;
        count += met;
        bool worse = met && v.class < out->class;
        if (worse)
            pf_verdict_take(out, &v, "with another schedule before the race");
        pf_verdict_discard(&v);
        if (worse)
            return;
    }
    if (count > 1)
        snprintf(
            out->reason, sizeof out->reason,
            "%u runs of the alternate order, in %u recordings, gave results of the primary one",
            out->k, count);
}
