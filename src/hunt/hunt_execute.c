/* hunt_execute.c - one run of a hunt, and what its trace shows; see hunt.h. */
#define _GNU_SOURCE
#include "clip.h"
#include "duration.h"
#include "file.h"
#include "finding_json.h"
#include "hash_mix.h"
#include "hunt_restore.h"
#include "hunt_state.h"
#include "load_trace.h"
#include "plan_steps.h"
#include "self_run.h"
#include "textbuf.h"
#include "try_one.h"
#include "witness_clips.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define VERB "hunt"
#define VALUES_MAX 32 /* of a site and a thread; more are not a state, but data */
#define RUN_MS 20000 /* a run that takes longer is ended */

/* The policies of other schedules. Under the default one, a thread of a pool often does all the
 * work before the next thread begins. */
static const char *const policies[] = {"rr:3", "pos:1", "random:1"};

static bool add_key(struct pf_hash_map *m, uint64_t key)
{
    if (pf_hash_map_find(m, key) != PF_HASH_NONE)
        return false;
    pf_hash_map_add(m, key, 0);
    return true;
}

/* --- running --- */

static bool is_cut(void *arg) { return pf_hunt_cut(arg); }

/* Records a run of the program. Its standard input is a file of the state folder; its changes
 * of files are private. *ended: false if it took too long. */
static pf_status record(struct pf_hunt *h, const struct pf_hunt_run *r, bool symbolic,
                        const char *clip, struct pf_run_report *report, bool *ended,
                        struct pf_error *e)
{
    bool at_limit = false;
    PF_VEC(char *) argv = {0};
    bool patched = false;
    char **words = pf_hunt_run_arguments(h, &r->input), *specs = pf_hunt_specs(h, &r->input);
    char *file = pf_mem_format("%s/stdin", h->settings.state);
    char *patch = pf_mem_format("%s/patch", h->settings.state);
    const struct pf_input_source *in = pf_input_bytes_find(&r->input, "stdin");
    pf_status s = pf_hunt_write_file(file, in ? in->bytes : NULL, in ? in->n : 0, e);
    if (s == PF_OK)
        s = pf_hunt_write_patch(h, &r->input, true, patch, &patched, e);
    pf_vec_push(&argv, "record");
    pf_vec_push(&argv, "-o");
    pf_vec_push(&argv, (char *)clip);
    pf_vec_push(&argv, "--private");
    pf_vec_push(&argv, symbolic ? "--symbolic" : "--trace");
    if (symbolic) {
        pf_vec_push(&argv, "--input");
        pf_vec_push(&argv, specs);
    }
    if (patched) {
        pf_vec_push(&argv, "--patch");
        pf_vec_push(&argv, patch);
    }
    if (r->plan) {
        pf_vec_push(&argv, "--plan");
        pf_vec_push(&argv, r->plan);
    }
    if (r->policy) {
        pf_vec_push(&argv, "--schedule");
        pf_vec_push(&argv,
                    (char *)policies[(r->policy - 1) % (sizeof policies / sizeof *policies)]);
    }
    pf_vec_push(&argv, "--");
    pf_vec_push(&argv, h->program);
    for (size_t i = 1; s == PF_OK && words[i]; i++)
        pf_vec_push(&argv, words[i]);
    pf_vec_push(&argv, NULL);
    memset(report, 0, sizeof *report);
    if (s == PF_OK)
        s = pf_self_run(&(struct pf_self_run){.argv = argv.at,
                                              .input = file,
                                              .limit_ms = RUN_MS,
                                              .at_limit = &at_limit,
                                              .should_stop = is_cut,
                                              .arg = h},
                        report, e);
    if (s == PF_OK && !report->ran && *report->error)
        s = pf_fail(e, PF_BAD, "%s", report->error);
    *ended = !at_limit;
    h->unended += at_limit;
    if (s == PF_OK && at_limit && h->runs.len == 1 && !r->restored)
        s = pf_fail(e, PF_BAD, "%s did not end within %d s with its own input", h->program,
                    RUN_MS / 1000);
    pf_hunt_arguments_free(words);
    free(specs);
    free(patch);
    free(file);
    pf_vec_release(&argv);
    return s;
}

/* --- candidates --- */

static uint64_t hash_site(const struct pf_trace *t, uint32_t event)
{
    const struct pf_site_info *s = &t->sites.at[t->events.at[event].site];
    uint64_t h = pf_hash_mix(s->line, s->column);
    for (const char *p = pf_trace_text(t, s->file); *p; p++)
        h = pf_hash_mix(h, (unsigned char)*p);
    return h;
}

static char *describe(const struct pf_trace *t, const struct pf_race *r)
{
    char text[2][300];
    for (int i = 0; i < 2; i++) {
        const struct pf_event *x = &t->events.at[i ? r->b : r->a];
        const struct pf_site_info *s = &t->sites.at[x->site];
        snprintf(text[i], sizeof text[i], "T%u %s:%u", t->recorded.thread.at[x->thread],
                 pf_trace_text(t, s->file), s->line);
    }
    return pf_mem_format("%s and %s", text[0], text[1]);
}

/* The candidate with these two sites, which is added if it is new. */
static uint32_t candidate_of(struct pf_hunt *h, const struct pf_trace *t, const struct pf_race *r,
                             uint32_t run)
{
    uint64_t x = hash_site(t, r->a), y = hash_site(t, r->b), key = pf_hash_mix(x ^ y, x + y);
    uint32_t i = 0;
    while (i < h->candidates.len && h->candidates.at[i].key != key)
        i++;
    if (i == h->candidates.len)
        pf_vec_push(&h->candidates, (struct pf_hunt_candidate){.key = key, .text = describe(t, r)});
    struct pf_hunt_candidate *c = &h->candidates.at[i];
    if (!c->runs.len || c->runs.at[c->runs.len - 1] != run)
        pf_vec_push(&c->runs, run);
    if (c->state == PF_HUNT_ABANDONED)
        c->state = PF_HUNT_OPEN; /* this run may lead to it */
    return i;
}

/* --- races --- */

/* Writes the schedule of one order to a file, whose name is a hash of its contents. */
static pf_status write_plan(const struct pf_hunt *h, const struct pf_trace *t,
                            const struct pf_race *r, bool keep_order, char **path,
                            struct pf_error *e)
{
    char *file = pf_mem_format("%s/plans/new", h->settings.state);
    uint64_t hash = 0;
    struct pf_try_schedule schedule;
    pf_schedule_plan p = {0};
    uint32_t *order = pf_try_schedule_from_witness(&schedule, r, keep_order);
    uint32_t *pivot = pf_schedule_plan_pivots(t);
    pf_schedule_plan_add_candidate(&p, t, pivot, &schedule, 0);
    pf_status s = pf_schedule_plan_write(&p, file, e);
    if (s == PF_OK)
        s = pf_clip_hash_file(file, &hash, e);
    *path = pf_mem_format("%s/plans/%016" PRIx64, h->settings.state, hash);
    if (s == PF_OK && rename(file, *path))
        s = pf_fail(e, PF_IO, "%s: %s", file, strerror(errno));
    free(file);
    free(order);
    free(pivot);
    pf_vec_release(&p);
    return s;
}

static uint64_t cpu_ms(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

/* Keeps a race that happened: its finding, its clip, its input and both schedules. */
static pf_status keep_race(struct pf_hunt *h, struct pf_predict_job *j, size_t k,
                           const struct pf_race *r, const char *clip, uint32_t run,
                           uint32_t candidate, struct pf_error *e)
{
    struct pf_finding f;
    struct pf_text text;
    struct pf_hunt_paths_counts counts;
    pf_hunt_paths_counts(h->paths, &counts);
    struct pf_hunt_race race = {.candidate = candidate,
                                .run = run,
                                .ms = pf_now_ms() - h->began_ms,
                                .cpu_ms = cpu_ms(RUSAGE_SELF) + cpu_ms(RUSAGE_CHILDREN) +
                                          counts.worker_ms};
    pf_predicted_race(j, k, r, &f);
    f.status = PF_STATUS_CONFIRMED;
    f.clip = clip;
    pf_text_init(&text, &j->pool);
    pf_finding_json(&text, &f);
    pf_status s = pf_findings_add(&h->findings, VERB, text.at, text.n, 1, &race.finding, e);
    if (s != PF_OK)
        return s;
    pf_findings_add_stage(&h->findings, race.finding, VERB, VERB, PF_STATUS_CONFIRMED, 1);
    for (int keep_order = 0; keep_order < 2 && s == PF_OK; keep_order++)
        s = write_plan(h, &j->t, r, keep_order, &race.plan[keep_order], e);
    race.folder = pf_mem_format("%s/found/%016" PRIx64, h->settings.state, f.id);
    if (s == PF_OK)
        s = pf_hunt_write_input(h, &h->runs.at[run].input, race.folder, &race.command, e);
    h->candidates.at[candidate].state = PF_HUNT_FOUND;
    h->candidates.at[candidate].phase = h->phase;
    pf_vec_push(&h->races, race);
    return s;
}

/* Removes the races that are found already: they need no further run. With no_improve, also removes
 * those that need a reordering. */
static void drop_found(struct pf_hunt *h, struct pf_predict_job *j, size_t k, uint32_t run)
{
    struct pf_result *out = &j->results[k];
    size_t keep = 0;
    for (size_t i = 0; i < out->races.len; i++) {
        uint32_t c = candidate_of(h, &j->t, &out->races.at[i], run);
        bool present = out->races.at[i].b == out->races.at[i].a + 1;
        if (h->candidates.at[c].state == PF_HUNT_FOUND || (h->settings.no_improve && !present))
            free(out->races.at[i].order);
        else
            out->races.at[keep++] = out->races.at[i];
    }
    out->races.len = keep;
}

/* Runs the schedules of the races that the engine proved. */
static pf_status confirm(struct pf_hunt *h, struct pf_predict_job *j, size_t k, uint32_t run,
                         struct pf_error *e)
{
    drop_found(h, j, k, run);
    if (!j->results[k].races.len)
        return PF_OK;
    char *folder = pf_mem_format("%s/clips", h->settings.state);
    pf_status s = pf_witness_clips_make(j, folder, e);
    for (size_t i = 0; s == PF_OK && i < j->results[k].races.len; i++) {
        const struct pf_race *r = &j->results[k].races.at[i];
        const struct pf_witness_clip *c = pf_witness_clip(j, k, i);
        uint32_t at = candidate_of(h, &j->t, r, run);
        if (c->happened)
            s = keep_race(h, j, k, r, c->path, run, at, e);
        else
            snprintf(h->candidates.at[at].reason, sizeof h->candidates.at[at].reason,
                     "its schedule did not lead to it: %s", c->why ? c->why : "unknown");
    }
    free(folder);
    return s;
}

/* --- one run --- */

/* Adds the sites of the trace to `out`. Returns true if at least one of them is new. */
static bool note_sites(struct pf_hunt *h, const struct pf_trace *t, pf_hunt_keys *out)
{
    bool *seen = pf_mem_zero(t->sites.len + 1, sizeof *seen), new = false;
    for (uint32_t i = 0; i < t->events.len; i++) {
        uint32_t site = t->events.at[i].site;
        if (seen[site])
            continue;
        seen[site] = true;
        pf_vec_push(out, hash_site(t, i));
        if (!add_key(&h->sites, out->at[out->len - 1]))
            continue;
        pf_vec_push(&h->new_sites, out->at[out->len - 1]);
        new = true;
    }
    free(seen);
    return new;
}

/* True if the site has few values and this one is new there. */
static bool add_value(struct pf_hunt *h, uint64_t site, uint64_t value)
{
    struct pf_hash_walk w = pf_hash_map_walk(&h->values, site);
    bool known = pf_hash_map_next(&h->values, &w);
    if ((known && w.value >= VALUES_MAX) || !add_key(&h->values, pf_hash_mix(site, ~value)))
        return false;
    w = pf_hash_map_walk(&h->values, site);
    if (known && pf_hash_map_next(&h->values, &w))
        pf_hash_map_set(&h->values, &w, w.value + 1);
    else
        pf_hash_map_add(&h->values, site, 1);
    return true;
}

/* The first write that stores a value which no run has stored there: the program is in a new state,
 * although it may have taken all its branches before. T3 and all later threads count as
 * one thread. */
static struct pf_hunt_event note_values(struct pf_hunt *h, const struct pf_trace *t)
{
    struct pf_hunt_event first = {0};
    uint64_t *hash = pf_mem_zero(t->sites.len + 1, sizeof *hash);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *x = &t->events.at[i];
        if (x->kind != PF_EV_WRITE)
            continue;
        uint32_t thread = t->recorded.thread.at[x->thread];
        if (!hash[x->site])
            hash[x->site] = hash_site(t, i);
        if (add_value(h, pf_hash_mix(hash[x->site], thread < 3 ? thread : 3), x->value) &&
            !first.number)
            first = (struct pf_hunt_event){thread, 1 + t->recorded.index.at[i]};
    }
    free(hash);
    return first;
}

static pf_status analyse(struct pf_hunt *h, const char *clip, uint32_t run, struct pf_error *e)
{
    struct pf_predict_job *j = pf_mem_zero(1, sizeof *j);
    struct pf_limits limits = pf_limits_default;
    pf_predict_job_init(j);
    j->path = clip;
    pf_predict_job_add(j, pf_analysis_find("hybrid", 6));
    pf_predict_job_add(j, pf_analysis_find("rdit", 4));
    pf_hunt_keys sites = {0};
    size_t races = h->races.len;
    pf_status s = pf_load_trace(VERB, clip, &j->t, e);
    if (s == PF_OK) {
        bool new = note_sites(h, &j->t, &sites);
        h->runs.at[run].reached_new |= new && !h->runs.at[run].plan;
        h->runs.at[run].reached = (uint32_t)sites.len;
        h->runs.at[run].stored = note_values(h, &j->t);
        pf_predict_job_run(j, &limits);
        for (size_t i = 0; i < j->results[0].races.len; i++)
            (void)candidate_of(h, &j->t, &j->results[0].races.at[i], run);
        s = confirm(h, j, 1, run, e);
        if (s == PF_OK)
            s = pf_hunt_corpus_add(h, &h->runs.at[run].input, sites.at, sites.len, e);
        if (h->races.len > races)
            pf_hunt_corpus_keep(h, pf_input_bytes_hash(&h->runs.at[run].input));
    }
    pf_vec_release(&sites);
    pf_predict_job_release(j);
    free(j);
    return s;
}

pf_status pf_hunt_execute(struct pf_hunt *h, const struct pf_hunt_run *what, bool *ran,
                          struct pf_error *e)
{
    uint64_t input = pf_input_bytes_hash(&what->input);
    struct pf_run_report report;
    uint64_t pair = pf_hash_mix(what->schedule, input);
    bool new = add_key(&h->tried, pair);
    *ran = new || what->repeat;
    if (!*ran)
        return PF_OK;
    h->repeated += !new;
    (void)add_key(&h->inputs, input);
    if (h->settings.progress)
        h->settings.progress(h);
    struct pf_hunt_run r = *what;
    memset(&r.input, 0, sizeof r.input);
    pf_input_bytes_copy(&r.input, &what->input);
    r.plan = pf_mem_copy(what->plan);
    uint32_t run = (uint32_t)h->runs.len;
    pf_vec_push(&h->runs, r);
    char *clip = pf_mem_format("%s/runs/%u.clip", h->settings.state, run);
    bool ended;
    pf_status s = record(h, &h->runs.at[run], false, clip, &report, &ended, e);
    if (s == PF_OK && report.outcome == PF_OUTCOME_DIVERGED)
        h->left_plan++;
    else if (s == PF_OK && ended && !pf_hunt_cut(h))
        s = analyse(h, clip, run, e);
    else if (pf_hunt_cut(h))
        s = PF_OK; /* the limit ended the run */
    if (pf_hunt_cut(h))
        h->unfinished = what->flip;
    else if (s == PF_OK)
        s = pf_hunt_journal_add(h, pair, input, e);
    if (s == PF_OK && !pf_hunt_cut(h))
        s = pf_hunt_note_open(h, run, e);
    unlink(clip);
    free(clip);
    return s;
}

pf_status pf_hunt_make_symbolic(struct pf_hunt *h, uint32_t run, struct pf_error *e)
{
    struct pf_run_report report;
    pf_hunt_keys branches = {0};
    if (h->runs.at[run].explored)
        return PF_OK;
    h->runs.at[run].explored = true;
    char *clip = pf_mem_format("%s/runs/%u.symbolic.clip", h->settings.state, run);
    bool ended;
    pf_status s = record(h, &h->runs.at[run], true, clip, &report, &ended, e);
    struct pf_hunt_run *r = &h->runs.at[run];
    bool new = false;
    pf_hunt_paths_reached(h->paths, r->reached, r->stored, r->flip);
    if (s == PF_OK && ended && report.outcome != PF_OUTCOME_DIVERGED && !pf_hunt_cut(h))
        s = pf_hunt_paths_add(h->paths, clip, run, &r->input, r->schedule, r->predicted,
                              &(pf_source_aliases){0}, &branches, &new, e);
    else if (pf_hunt_cut(h))
        s = PF_OK;
    if (pf_hunt_cut(h))
        r->explored = false;
    r->took_new |= new;
    if (s == PF_OK && !pf_hunt_cut(h))
        pf_hunt_corpus_explored(h, pf_input_bytes_hash(&r->input), branches.at, branches.len);
    pf_vec_release(&branches);
    unlink(clip);
    free(clip);
    return s;
}
