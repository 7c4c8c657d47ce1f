/* try_shared.c - see try_shared.h. */
#define _GNU_SOURCE
#include "try_shared.h"
#include "directed.h"
#include "plan_steps.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLICY "rr"

struct branch {
    uint32_t number, at; /* index of the candidate; the event at which it leaves the trace */
};

static int by_branch_point(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->number < y->number ? -1 : 1);
}

static void name(char *to, const char *folder, uint32_t number, const char *ending)
{
    snprintf(to, PATH_MAX, "%s/%u%s", folder, number, ending);
}

/* --- the plans --- */

static pf_status write_branch(const struct pf_trace *t, const uint32_t *pivot,
                              const struct pf_try_schedule *h, const struct branch *b,
                              const char *folder, struct pf_error *e)
{
    pf_schedule_plan p = {0};
    char file[PATH_MAX];
    for (uint32_t i = 0; i < h->n; i++)
        pf_vec_push(&p, (struct pf_schedule_plan_step){
                            .thread = PF_PLAN_ASK,
                            .asked = t->recorded.thread.at[t->events.at[h->event[i]].thread],
                            .until = t->recorded.index.at[h->event[i]]});
    pf_schedule_plan_add_candidate(&p, t, pivot, h, b->at);
    name(file, folder, b->number, ".plan");
    pf_status s = pf_schedule_plan_write(&p, file, e);
    pf_vec_release(&p);
    return s;
}

/* Writes the plan of the shared run and of each branch. Candidates that share nothing with the
 * recording are left out. */
static pf_status write_plans(const struct pf_trace *t, const struct pf_try_shared_item *all,
                             uint32_t n, const char *folder, const char *trunk, struct pf_error *e)
{
    struct branch *branches = pf_mem_zero(n, sizeof *branches);
    uint32_t *pivot = pf_schedule_plan_pivots(t), *cuts = pf_schedule_plan_cuts(t, pivot), at = 0;
    pf_schedule_plan p = {0};
    pf_status s = PF_OK;
    for (uint32_t i = 0; i < n; i++)
        branches[i] = (struct branch){i, pf_schedule_plan_shared_prefix(cuts, pivot, all[i].h)};
    qsort(branches, n, sizeof *branches, by_branch_point);
    for (uint32_t i = 0; s == PF_OK && i < n; i++) {
        if (!branches[i].at)
            continue;
        pf_schedule_plan_add_trace(&p, t, pivot, at, branches[i].at);
        at = branches[i].at;
        pf_vec_push(&p, (struct pf_schedule_plan_step){.thread = PF_PLAN_FORK,
                                                       .until = branches[i].number});
        s = write_branch(t, pivot, all[branches[i].number].h, &branches[i], folder, e);
    }
    pf_vec_push(&p, (struct pf_schedule_plan_step){.thread = PF_PLAN_LEAVE});
    if (s == PF_OK)
        s = pf_schedule_plan_write(&p, trunk, e);
    free(branches);
    free(cuts);
    free(pivot);
    pf_vec_release(&p);
    return s;
}

/* --- whether it happened --- */

static bool writes(const struct pf_event *e)
{
    return e->kind == PF_EV_WRITE || e->kind == PF_EV_AWRITE || e->kind == PF_EV_RMW;
}

enum answer { NO, YES, UNKNOWN };

/* Did the predicted accesses happen, in their order? UNKNOWN: the runtime noted too little. */
static enum answer happened(const struct pf_trace *t, const struct pf_try_schedule *h,
                            const struct pf_reached *r, char *why, size_t room)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct pf_event *e = &t->events.at[h->event[r->at[i].step]];
        const struct pf_site_info *site = &t->sites.at[e->site];
        const char *file = pf_trace_text(t, site->file);
        if (!r->at[i].line)
            return UNKNOWN;
        if (r->at[i].line != site->line || r->at[i].file != pf_reached_file(file) ||
            r->at[i].write != writes(e)) {
            snprintf(why, room, "%s:%u: the thread did something else at this line", file,
                     site->line);
            return NO;
        }
    }
    if (r->n != h->n)
        return UNKNOWN;
    for (uint32_t i = 0; i < h->n; i++) {
        if (r->at[i].step != i)
            return UNKNOWN;
        for (uint32_t k = 0; k < i; k++) {
            const struct pf_event *a = &t->events.at[h->event[i]], *b = &t->events.at[h->event[k]];
            bool equal = t->places.at[a->what].addr == t->places.at[b->what].addr;
            bool part = !equal && pf_trace_overlap(t, a, b);
            if (part || equal != (r->at[i].address == r->at[k].address))
                return UNKNOWN; /* the addresses do not tell: a trace is needed */
        }
    }
    return h->adjacent && r->at[h->n - 1].when != r->at[h->n - 2].when + 1 ? UNKNOWN : YES;
}

/* Sets the result of the run: did the candidate happen, and did the program fail in a new way? */
static void set_result(const struct pf_trace *t, const struct pf_clip *recording,
                       const struct pf_try_schedule *h, const struct pf_reached *r,
                       const struct pf_clip_end *end, struct pf_try_result *out)
{
    char text[400], why[300] = "";
    const char *failed = pf_try_new_failure(recording, end, text, sizeof text);
    enum answer is = UNKNOWN;
    if (end->outcome == PF_OUTCOME_DIVERGED) {
        pf_try_result_diverged(t, end, out);
        /* If a thread was never created, only a trace shows where the program took another path. */
        out->tried = end->divergence.thread != PF_NO_THREAD;
        return;
    }
    if (h->stuck) {
        is = end->outcome == PF_OUTCOME_DEADLOCK ? YES : NO;
        snprintf(why, sizeof why, "the threads did not wait for each other");
    } else {
        is = happened(t, h, r, why, sizeof why);
    }
    out->tried = is != UNKNOWN;
    if (is == YES)
        pf_try_result_set(out, failed ? PF_TRY_ERROR : PF_TRY_REAL, failed ? failed : "");
    else if (is == NO)
        pf_try_result_set(out, PF_TRY_FALSE, why);
}

/* --- the run --- */

static void set_results(const struct pf_trace *t, const struct pf_clip *recording,
                        const struct pf_clip *trunk, const struct pf_try_shared_item *all,
                        uint32_t n, const struct pf_continuation *ends, const char *folder)
{
    for (uint32_t i = 0; i < n; i++) {
        struct pf_clip_end end = {.wait = ends[i].wait,
                                  .outcome = ends[i].outcome,
                                  .errors = ends[i].errors,
                                  .divergence = ends[i].divergence};
        memcpy(end.failure, ends[i].failure, sizeof end.failure);
        struct pf_try_result *out = all[i].out;
        char pieces[PATH_MAX], schedule[] = POLICY, race[64];
        struct pf_clip_meta meta = recording->meta;
        struct pf_error e;
        if (!ends[i].done)
            continue;
        meta.schedule = schedule;
        if (all[i].h->adjacent) {
            pf_try_race_text(t, all[i].h, race, sizeof race);
            meta.race = race;
        }
        name(pieces, folder, i, "");
        if (pf_clip_pieces_end(pieces, &end, &e) != PF_OK)
            continue;
        if (ends[i].errors)
            snprintf(out->memory, sizeof out->memory, "%s", ends[i].error);
        set_result(t, recording, all[i].h, &ends[i].reached, &end, out);
        bool real = out->verdict == PF_TRY_REAL || out->verdict == PF_TRY_ERROR;
        if (out->tried && real &&
            pf_clip_join(trunk, pieces, all[i].clip, &meta, &end, &e) != PF_OK)
            out->tried = false;
    }
}

void pf_try_shared(const struct pf_trace *t, const struct pf_clip *recording,
                   const struct pf_try_shared_item *all, uint32_t n, const char *folder,
                   unsigned jobs)
{
    struct pf_continuation *ends = pf_mem_zero(n, sizeof *ends);
    char plan[PATH_MAX], file[PATH_MAX], piece[PATH_MAX];
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_clip trunk;
    struct pf_error e;
    snprintf(plan, sizeof plan, "%s/trunk.plan", folder);
    snprintf(file, sizeof file, "%s/trunk.clip", folder);
    struct pf_directed d = {.plan = plan,
                            .schedule = POLICY,
                            .exclude = recording->meta.exclude,
                            .folder = folder,
                            .continuations = n,
                            .jobs = jobs,
                            .ends = ends};
    if (write_plans(t, all, n, folder, plan, &e) == PF_OK &&
        pf_directed_record(&recording->meta, file, &d, &child, &end, &e) == PF_OK &&
        pf_clip_open(&trunk, file, &e) == PF_OK) {
        set_results(t, recording, &trunk, all, n, ends, folder);
        pf_clip_release(&trunk);
    }
    for (uint32_t i = 0; i < n; i++) {
        name(piece, folder, i, "");
        unlink(piece);
        name(piece, folder, i, ".plan");
        unlink(piece);
    }
    unlink(plan);
    unlink(file);
    free(ends);
}
