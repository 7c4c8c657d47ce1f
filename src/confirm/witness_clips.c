/* witness_clips.c - see witness_clips.h. */
#define _GNU_SOURCE
#include "witness_clips.h"
#include "clip_program.h"
#include "message.h"
#include "try_all.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERB "predict"

struct witness_run {
    struct pf_try_all run;
    PF_VEC(struct pf_try_schedule) schedules;
    PF_VEC(uint32_t *) orders;
    PF_VEC(struct pf_witness_clip *) clips; /* one per schedule */
};

static void add_race(struct pf_predict_job *j, struct witness_run *all, size_t k, size_t i,
                     bool keep_order, const char *folder)
{
    const struct pf_race *r = &j->results[k].races.at[i];
    struct pf_witness_clip *c = &j->clips[k][i];
    struct pf_try_schedule schedule;
    if (!c->path) {
        struct pf_finding f;
        char path[4096];
        pf_predicted_race(j, k, r, &f);
        snprintf(path, sizeof path, "%s/%016" PRIx64 ".clip", folder, f.id);
        c->path = pf_pool_text(&j->pool, path, strlen(path));
    }
    pf_vec_push(&all->orders, pf_try_schedule_from_witness(&schedule, r, keep_order));
    pf_vec_push(&all->schedules, schedule);
    pf_vec_push(&all->clips, c);
}

static pf_status run_all(struct pf_predict_job *j, struct witness_run *all, struct pf_error *e)
{
    struct pf_try_all *r = &all->run;
    r->n = all->schedules.len;
    r->items = pf_mem_zero(r->n + 1, sizeof *r->items);
    for (size_t i = 0; i < r->n; i++)
        r->items[i] =
            (struct pf_try_item){.h = &all->schedules.at[i], .clip = all->clips.at[i]->path};
    pf_status s = pf_try_all(r, e);
    for (size_t i = 0; i < r->n && s == PF_OK; i++) {
        const struct pf_try_result *x = r->items[i].result;
        struct pf_witness_clip *c = all->clips.at[i];
        const char *why = pf_try_happened(x) ? x->unverified : x->why;
        c->happened = pf_try_happened(x) && x->verified;
        if (c->happened)
            continue;
        unlink(c->path);
        if (!c->why)
            c->why = pf_pool_text(&j->pool, why, strlen(why));
    }
    return s;
}

/* Runs all witnesses that have no clip yet. */
static pf_status run_round(struct pf_predict_job *j, const struct pf_clip *recording,
                           bool keep_order, const char *folder, struct pf_error *e)
{
    struct witness_run all = {.run = {.t = &j->t,
                                      .recording = recording,
                                      .folder = folder,
                                      .jobs = 1,
                                      .skip_harm = true,
                                      .began = j->began,
                                      .limit_ms = j->limit_ms}};
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; j->clips[k] && i < j->results[k].races.len; i++)
            if (!j->clips[k][i].happened)
                add_race(j, &all, k, i, keep_order, folder);
    pf_status s = all.schedules.len ? run_all(j, &all, e) : PF_OK;
    pf_try_all_release(&all.run);
    free(all.run.items);
    for (size_t i = 0; i < all.orders.len; i++)
        free(all.orders.at[i]);
    pf_vec_release(&all.orders);
    pf_vec_release(&all.schedules);
    pf_vec_release(&all.clips);
    return s;
}

pf_status pf_witness_clips_make(struct pf_predict_job *j, const char *folder, struct pf_error *e)
{
    struct pf_clip recording;
    if (!j->t.recorded.present)
        return pf_fail(e, PF_BAD, "%s: --clips needs a recording, not a text trace", j->path);
    pf_status s = pf_clip_open(&recording, j->path, e);
    if (s != PF_OK)
        return s;
    s = pf_clip_program_resolve(&recording, e);
    if (s == PF_OK && mkdir(folder, 0777) && errno != EEXIST)
        s = pf_fail(e, PF_IO, "%s: %s", folder, strerror(errno));
    for (size_t k = 0; k < j->n && s == PF_OK; k++) {
        size_t size = (j->results[k].races.len + 1) * sizeof *j->clips[k];
        if (j->analyses[k]->claim != PF_CLAIM_WITNESSED)
            continue;
        j->clips[k] = pf_pool_get(&j->pool, size);
    }
    for (int keep_order = 0; keep_order < 2 && s == PF_OK; keep_order++)
        s = run_round(j, &recording, keep_order, folder, e);
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; j->clips[k] && i < j->results[k].races.len; i++)
            j->unreached += !j->clips[k][i].happened;
    pf_clip_release(&recording);
    return s;
}

const struct pf_witness_clip *pf_witness_clip(const struct pf_predict_job *j, size_t k, size_t i)
{
    return j->clips[k] ? &j->clips[k][i] : NULL;
}
