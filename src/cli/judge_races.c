/* judge_races.c - see judge_races.h. */
#define _GNU_SOURCE
#include "judge_races.h"
#include "blind_races.h"
#include "check_load.h"
#include "cli.h"
#include "clip_program.h"
#include "duration.h"
#include "foreign.h"
#include "foreign_file.h"
#include "judge_on_fleet.h"
#include "load_trace.h"
#include "lock_removal.h"
#include "memory_model_name.h"
#include "race_events.h"
#include "search_stop.h"
#include "state_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "judge"

/* --- races of a clip --- */

/* Loads the trace of a clip and finds its races, within the time that is left. */
static pf_status find_races(const struct pf_judge_verb *v, struct pf_predict_job *j, bool search,
                            struct pf_error *e)
{
    uint64_t now = pf_now_ms(), end = v->list.end_ms;
    j->t.recorded.replay_limit_ms = !end ? 0 : end > now ? end - now : 1;
    pf_status s = pf_load_trace(VERB, j->path, &j->t, e);
    pf_predict_job_add(j, pf_analysis_find("hb", 2));
    if (s == PF_OK && search) {
        struct pf_limits limits = pf_limits_default;
        struct pf_search_stop stop;
        pf_search_stop_init(&stop, VERB, end);
        limits.stop = &stop.stop;
        pf_predict_job_run(j, &limits);
        pf_search_stop_clear(&stop);
        if (stop.stop.stopped)
            pf_note(VERB, "%s: the search for its races was stopped; there may be more", j->path);
    }
    return s;
}

/* Races of other tools have other fingerprints than ours. */
static bool is_same(const struct pf_judge_verb *v, const struct pf_finding *a,
                    const struct pf_finding *b)
{
    return a->id == b->id || (v->from && pf_foreign_same(a, b));
}

static void add_pair(struct pf_judge_verb *v, struct pf_predict_job *j, uint32_t a, uint32_t b)
{
    struct pf_finding *f = pf_mem_checked(pf_pool_get(&v->pool, sizeof *f));
    const struct pf_recorded *r = &j->t.recorded;
    const struct pf_event *x = &j->t.events.at[a], *y = &j->t.events.at[b];
    char race[80];
    *f = (struct pf_finding){0};
    pf_predicted_race(j, 0, &(struct pf_race){.a = a, .b = b}, f);
    snprintf(race, sizeof race, "T%u:%u,T%u:%u", r->thread.at[x->thread], r->index.at[a],
             r->thread.at[y->thread], r->index.at[b]);
    for (size_t i = 0; i < v->items.len; i++)
        if (is_same(v, v->items.at[i].f, f))
            return; /* races with the same fingerprint are judged once */
    for (size_t i = 0; i < v->all.n; i++)
        if (is_same(v, v->all.at[i], f))
            return;
    pf_vec_push(&v->items, (struct pf_judge_item){
                               .f = f,
                               .clip = j->path,
                               .race = pf_mem_checked(pf_pool_text(&v->pool, race, strlen(race)))});
}

int pf_judge_races_clip(struct pf_judge_verb *v, const char *path)
{
    struct pf_predict_job *j = &v->job;
    struct pf_clip clip;
    struct pf_error e;
    uint32_t a, b;
    char why[300];
    j->path = path;
    if (pf_clip_open(&clip, path, &e) != PF_OK || pf_clip_program_resolve(&clip, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    int status = PF_EXIT_OK;
    if (clip.meta.memory.model != PF_MEMORY_SC)
        status = pf_complain(VERB,
                             "%s: recorded with --memory=%s; pf judge needs a recording with "
                             "sequentially consistent memory",
                             path, pf_memory_model_name(clip.meta.memory.model));
    const char *named = v->race ? v->race : clip.meta.race;
    if (status == PF_EXIT_OK && find_races(v, j, !named && !v->blind, &e) != PF_OK)
        status = j->t.recorded.out_of_time
                     ? pf_complain(VERB, "%s: the time was up before its events were read", path)
                     : pf_complain(VERB, "%s", e.text);
    if (status == PF_EXIT_OK && named) {
        if (pf_race_events_named(&j->t, named, &a, &b, why, sizeof why))
            add_pair(v, j, a, b);
        else
            status = pf_complain(VERB, "%s: %s", path, why);
    } else if (status == PF_EXIT_OK && v->blind) {
        pf_blind_races races = {0};
        pf_blind_races_find(&j->t, &races);
        for (size_t i = 0; i < races.len; i++)
            add_pair(v, j, races.at[i].a, races.at[i].b);
        pf_vec_release(&races);
    } else if (status == PF_EXIT_OK) {
        for (size_t i = 0; i < j->results[0].races.len; i++)
            add_pair(v, j, j->results[0].races.at[i].a, j->results[0].races.at[i].b);
    }
    pf_clip_release(&clip);
    return status;
}

/* --- without a lock --- */

/* Drops the races that are listed so far and their trace; keeps only their ids. */
static void take_known(struct pf_judge_verb *v, pf_vec_u64 *known)
{
    for (size_t i = 0; i < v->items.len; i++)
        pf_vec_push(known, v->items.at[i].f->id);
    v->items.len = 0;
    pf_predict_job_release(&v->job);
    pf_predict_job_init(&v->job);
}

/* Keeps the races that are not known. */
static void drop_known(struct pf_judge_verb *v, const pf_vec_u64 *known)
{
    size_t n = 0;
    for (size_t i = 0; i < v->items.len; i++) {
        bool old = false;
        for (size_t k = 0; k < known->len && !old; k++)
            old = known->at[k] == v->items.at[i].f->id;
        if (!old)
            v->items.at[n++] = v->items.at[i];
    }
    v->items.len = n;
}

int pf_judge_races_without_lock(struct pf_judge_verb *v, const char *path)
{
    pf_vec_u64 known = {0};
    struct pf_clip clip;
    struct pf_error e;
    int status = pf_judge_races_clip(v, path);
    if (status != PF_EXIT_OK)
        return status;
    take_known(v, &known);
    char *whole = realpath(path, NULL);
    v->removal = pf_mem_format("%s.without-lock.clip", whole ? whole : path);
    free(whole);
    pf_status s = pf_clip_open(&clip, path, &e);
    if (s == PF_OK) {
        s = pf_clip_program_resolve(&clip, &e);
        if (s == PF_OK)
            s = pf_lock_removal_record(&clip, v->without_lock, v->removal, v->list.how.fair_ms, &e);
        pf_clip_release(&clip);
    }
    status = s == PF_OK ? pf_judge_races_clip(v, v->removal)
                        : pf_complain(VERB, "--without-lock=%s: %s", v->without_lock, e.text);
    drop_known(v, &known);
    pf_vec_release(&known);
    return status;
}

/* --- findings of a state folder --- */

/* Adds a race, once. */
static void add_finding(struct pf_judge_verb *v, struct pf_finding *f, char **command)
{
    bool known = false;
    for (size_t i = 0; i < v->items.len; i++)
        known |= v->items.at[i].f == f;
    if (!known && pf_finding_is_pair(f))
        pf_vec_push(&v->items, (struct pf_judge_item){.f = f,
                                                      .clip = f->clip ? f->clip : f->recording,
                                                      .command = command});
}

int pf_judge_races_state(struct pf_judge_verb *v, int n, char **ids)
{
    struct pf_error e;
    v->from_state = true;
    for (int i = 0; i < n; i++)
        if (ids[i][strspn(ids[i], "0123456789abcdef")])
            return pf_complain(VERB, "%s: expected one recording, or ids of findings", ids[i]);
    pf_status s = v->findings ? pf_findings_read_document(&v->all, v->findings, NULL, &e)
                  : v->check  ? pf_check_load(&v->all, v->check, &e)
                              : pf_state_read(&v->all, v->state, &e);
    if (s != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    char **command = pf_judge_program(&v->all, v->findings, &v->pool);
    for (int i = 0; i < n; i++) {
        const struct pf_finding *f;
        if (pf_state_find(&v->all, ids[i], &f, &e) != PF_OK)
            return pf_complain(VERB, "%s", e.text);
        if (!pf_finding_is_pair(f))
            return pf_complain(VERB, "%s: only races between two accesses are judged, this is: %s",
                               ids[i], pf_kind_title(f->kind));
        for (size_t k = 0; k < v->all.n; k++)
            if (v->all.at[k] == f)
                add_finding(v, v->all.at[k], command);
    }
    for (size_t k = 0; !n && k < v->all.n; k++) {
        struct pf_finding *f = v->all.at[k];
        bool wanted = !v->check || (f->status == PF_STATUS_CONFIRMED && !pf_finding_is_judged(f));
        if (!f->suspicious && wanted)
            add_finding(v, f, command);
    }
    return PF_EXIT_OK;
}

/* --- findings of a file --- */

/* The program of the state folder; NULL: it has none. */
static char **state_program(struct pf_judge_verb *v)
{
    struct pf_findings known;
    struct pf_error ignored;
    char **command = NULL;
    pf_findings_init(&known);
    if (pf_state_read(&known, v->state, &ignored) == PF_OK)
        command = pf_judge_program(&known, NULL, &v->pool);
    for (size_t i = 0; command && command[i]; i++) /* `known` is about to go */
        command[i] = pf_mem_checked(pf_pool_text(&v->pool, command[i], strlen(command[i])));
    pf_findings_release(&known);
    return command;
}

/* Removes the columns of a report of another tool: its compiler may have other ones than ours. */
static void drop_columns(struct pf_judge_verb *v, struct pf_finding *f)
{
    for (size_t i = 0; i < f->naccesses; i++) {
        struct pf_backtrace *stack = &f->accesses[i].stack;
        struct pf_stack_frame *at =
            pf_mem_checked(pf_pool_get(&v->pool, (stack->n + 1) * sizeof *at));
        for (size_t k = 0; k < stack->n; k++) {
            at[k] = stack->at[k];
            at[k].column = 0;
        }
        stack->at = at;
    }
}

int pf_judge_races_from(struct pf_judge_verb *v, char **command)
{
    struct pf_error e;
    bool needs_program = false;
    if (pf_foreign_file_read(VERB, &v->all, v->from, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    if (!*command && pf_foreign_file_is_document(v->from))
        command = pf_judge_program(&v->all, v->from, &v->pool);
    else if (!*command)
        command = state_program(v);
    for (size_t i = 0; i < v->all.n; i++) {
        struct pf_finding *f = v->all.at[i];
        if (!pf_foreign_file_is_document(v->from))
            drop_columns(v, f);
        if (!f->suspicious)
            add_finding(v, f, command);
        needs_program |= pf_finding_is_pair(f) && !f->clip && !f->recording;
    }
    if (needs_program && !command)
        return pf_complain(VERB,
                           "%s: which program is it about? pf judge --from %s -- PROG ARGS...",
                           v->from, v->from);
    return PF_EXIT_OK;
}

/* --- races that are met while judging --- */

void pf_judge_races_met(struct pf_judge_verb *v, const char *clip)
{
    struct pf_predict_job *j = pf_mem_zero(1, sizeof *j);
    struct pf_error ignored;
    size_t before = v->items.len;
    pf_predict_job_init(j);
    j->path = clip;
    pf_vec_push(&v->met_jobs, j);
    if (find_races(v, j, true, &ignored) != PF_OK)
        return;
    for (size_t i = 0; i < j->results[0].races.len && v->met; i++) {
        add_pair(v, j, j->results[0].races.at[i].a, j->results[0].races.at[i].b);
        if (v->items.len == before)
            continue;
        before = v->items.len;
        v->items.at[before - 1].f->status = PF_STATUS_CONFIRMED; /* the clip shows it */
        v->items.at[before - 1].f->clip = clip;
        v->nmet++;
        v->met--;
    }
}
