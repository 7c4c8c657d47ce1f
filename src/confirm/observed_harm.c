/* observed_harm.c - see observed_harm.h. */
#define _GNU_SOURCE
#include "observed_harm.h"
#include "clip_program.h"
#include "duration.h"
#include "harm_cause.h"
#include "self_run.h"
#include "try_one.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIED 8 /* most races whose orders are run */

struct observed_race {
    size_t analysis, race;
    uint32_t b;
};

static int last_first(const void *x, const void *y)
{
    const struct observed_race *a = x, *b = y;
    return (a->b < b->b) - (a->b > b->b);
}

static const char *try_race(struct pf_predict_job *j, const struct pf_clip *clip,
                            const struct pf_race *r, const char *folder, uint64_t limit_ms,
                            bool (*should_stop)(void *), void *arg)
{
    char why[200], text[400];
    struct pf_harm_question q = {.t = &j->t,
                                 .clip = clip,
                                 .a = r->a,
                                 .b = r->b,
                                 .folder = folder,
                                 .limit_ms = limit_ms,
                                 .should_stop = should_stop,
                                 .arg = arg};
    if (pf_harm_cause(&q, why, sizeof why) != PF_HARM_OWN ||
        !pf_try_failure(&clip->end, text, sizeof text))
        return NULL;
    return pf_pool_text(&j->pool, text, strlen(text));
}

static size_t list_races(const struct pf_predict_job *j, struct observed_race *at)
{
    size_t n = 0;
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0;
             j->analyses[k]->claim == PF_CLAIM_OBSERVED && i < j->results[k].races.len; i++) {
            const struct pf_race *r = &j->results[k].races.at[i];
            if (pf_event_creates(&j->t.events.at[r->a]))
                continue; /* it has only one order */
            if (at)
                at[n] = (struct observed_race){k, i, r->b};
            n++;
        }
    if (at && n)
        qsort(at, n, sizeof *at, last_first);
    return n;
}

void pf_observed_harm_find(struct pf_predict_job *j, uint64_t limit_ms, bool (*should_stop)(void *),
                           void *arg)
{
    struct pf_clip clip;
    struct pf_error e;
    char text[400], folder[PATH_MAX], *file = NULL;
    uint64_t began = pf_now_ms();
    size_t n = list_races(j, NULL);
    if (!n || !j->t.recorded.present || pf_clip_open(&clip, j->path, &e) != PF_OK)
        return;
    struct observed_race *races = pf_mem_zero(n, sizeof *races);
    list_races(j, races);
    for (size_t k = 0; k < j->n; k++) {
        size_t size = (j->results[k].races.len + 1) * sizeof *j->harm[k];
        j->harm[k] = pf_pool_get(&j->pool, size);
        if (j->harm[k])
            memset(j->harm[k], 0, size);
    }
    bool failed = pf_try_failure(&clip.end, text, sizeof text) &&
                  pf_clip_program_resolve(&clip, &e) == PF_OK &&
                  pf_temporary_file(&file, &e) == PF_OK;
    snprintf(folder, sizeof folder, "%s.orders", file ? file : "");
    for (size_t i = 0; failed && i < n && i < TRIED && !should_stop(arg); i++) {
        uint64_t used = pf_now_ms() - began;
        if (limit_ms && used >= limit_ms)
            break;
        if (j->harm[races[i].analysis])
            j->harm[races[i].analysis][races[i].race] =
                try_race(j, &clip, &j->results[races[i].analysis].races.at[races[i].race], folder,
                         limit_ms ? limit_ms - used : 0, should_stop, arg);
    }
    if (file)
        unlink(file);
    free(file);
    free(races);
    pf_clip_release(&clip);
}

const char *pf_observed_harm(const struct pf_predict_job *j, size_t k, size_t i)
{
    return j->harm[k] ? j->harm[k][i] : NULL;
}
