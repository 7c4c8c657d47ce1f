#define _GNU_SOURCE
#include "witness_clips.h"
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

struct job {
    struct pf_hatch_run run;
    PF_VEC(struct pf_hatch) ways;
    PF_VEC(uint32_t *) orders;
    PF_VEC(struct pf_predict_clip *) clips; /* of each way */
};

static void add_race(struct pf_predict_job *j, struct job *all, size_t k, size_t i, bool keep,
                     const char *folder)
{
    const struct pf_race *r = &j->results[k].races.at[i];
    struct pf_predict_clip *c = &j->clips[k][i];
    struct pf_hatch way;
    if (!c->path) {
        struct pf_finding f;
        char path[4096];
        pf_predict_race(j, k, r, &f);
        snprintf(path, sizeof path, "%s/%016" PRIx64 ".clip", folder, f.id);
        c->path = pf_pool_text(&j->pool, path, strlen(path));
    }
    pf_vec_push(&all->orders, pf_hatch_witness(&way, r, keep));
    pf_vec_push(&all->ways, way);
    pf_vec_push(&all->clips, c);
}

static int run_all(struct pf_predict_job *j, struct job *all)
{
    struct pf_hatch_run *r = &all->run;
    r->n = all->ways.len;
    r->items = pf_mem_zero(r->n + 1, sizeof *r->items);
    for (size_t i = 0; i < r->n; i++)
        r->items[i] = (struct pf_hatch_item){.h = &all->ways.at[i], .clip = all->clips.at[i]->path};
    int status = pf_hatch_run(r);
    for (size_t i = 0; i < r->n && status == PF_EXIT_OK; i++) {
        const struct pf_hatch_result *x = r->items[i].result;
        struct pf_predict_clip *c = all->clips.at[i];
        c->happened = pf_hatch_happened(x);
        if (c->happened)
            continue;
        unlink(c->path);
        if (!c->why)
            c->why = pf_pool_text(&j->pool, x->why, strlen(x->why));
    }
    return status;
}

/* All witnesses that have no clip yet. */
static int run_round(struct pf_predict_job *j, const struct pf_clip *recording, bool keep,
                     const char *folder)
{
    struct job all = {.run = {.t = &j->t,
                              .recording = recording,
                              .folder = folder,
                              .jobs = 1,
                              .harm_unasked = true,
                              .began = j->began,
                              .limit_ms = j->limit_ms}};
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; j->clips[k] && i < j->results[k].races.len; i++)
            if (!j->clips[k][i].happened)
                add_race(j, &all, k, i, keep, folder);
    int status = all.ways.len ? run_all(j, &all) : PF_EXIT_OK;
    pf_hatch_run_release(&all.run);
    free(all.run.items);
    for (size_t i = 0; i < all.orders.len; i++)
        free(all.orders.at[i]);
    pf_vec_release(&all.orders);
    pf_vec_release(&all.ways);
    pf_vec_release(&all.clips);
    return status;
}

int pf_predict_clips(struct pf_predict_job *j, const char *folder)
{
    struct pf_clip recording;
    struct pf_error e;
    if (!j->t.recorded.present)
        return pf_complain(VERB, "%s: --clips needs a recording, this is text", j->path);
    if (pf_clip_open(&recording, j->path, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    int status = mkdir(folder, 0777) && errno != EEXIST
                     ? pf_complain(VERB, "%s: %s", folder, strerror(errno))
                     : PF_EXIT_OK;
    for (size_t k = 0; k < j->n && status == PF_EXIT_OK; k++) {
        size_t size = (j->results[k].races.len + 1) * sizeof *j->clips[k];
        if (j->analyses[k]->claim != PF_CLAIM_WITNESSED)
            continue;
        j->clips[k] = pf_pool_get(&j->pool, size);
        if (j->clips[k])
            memset(j->clips[k], 0, size);
        else
            status = pf_complain(VERB, "out of memory");
    }
    for (int keep = 0; keep < 2 && status == PF_EXIT_OK; keep++)
        status = run_round(j, &recording, keep, folder);
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; j->clips[k] && i < j->results[k].races.len; i++)
            j->unreached += !j->clips[k][i].happened;
    pf_clip_release(&recording);
    return status;
}

const struct pf_predict_clip *pf_predict_clip(const struct pf_predict_job *j, size_t k, size_t i)
{
    return j->clips[k] ? &j->clips[k][i] : NULL;
}
