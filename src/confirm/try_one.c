/* try_one.c - see try_one.h. */
#define _GNU_SOURCE
#include "try_one.h"
#include "allocation.h"
#include "directed.h"
#include "load_trace.h"
#include "message.h"
#include "plan_steps.h"
#include "wait_status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void pf_try_result_set(struct pf_try_result *out, enum pf_try_verdict verdict, const char *why)
{
    out->verdict = verdict;
    snprintf(out->why, sizeof out->why, "%.*s", (int)strcspn(why, "\n"), why);
}

uint32_t *pf_try_schedule_from_witness(struct pf_try_schedule *h, const struct pf_race *r,
                                       bool keep_order)
{
    uint32_t first = keep_order ? r->a : r->b, second = keep_order ? r->b : r->a;
    uint32_t *order = pf_mem_resize(NULL, r->norder + 2, sizeof *order);
    if (r->norder)
        memcpy(order, r->order, r->norder * sizeof *order);
    order[r->norder] = first;
    order[r->norder + 1] = second;
    *h = (struct pf_try_schedule){.event = {first, second},
                                  .n = 2,
                                  .start = r->start,
                                  .order = order,
                                  .norder = r->norder + 2,
                                  .adjacent = true};
    return order;
}

static pf_status write_plan(const struct pf_trace *t, const struct pf_try_schedule *h,
                            const char *file, struct pf_error *e)
{
    pf_schedule_plan p = {0};
    uint32_t *pivot = pf_schedule_plan_pivots(t);
    pf_schedule_plan_add_candidate(&p, t, pivot, h, 0);
    pf_status s = pf_schedule_plan_write(&p, file, e);
    free(pivot);
    pf_vec_release(&p);
    return s;
}

/* --- whether it happened --- */

static const char *file_of(const struct pf_trace *t, uint32_t event)
{
    return pf_trace_text(t, t->sites.at[t->events.at[event].site].file);
}

/* The number of earlier parts of the same operation that have the same kind. */
static uint32_t part_of(const struct pf_trace *t, uint32_t e)
{
    uint32_t n = 0;
    for (uint32_t i = e; i-- > 0 && t->recorded.index.at[i] == t->recorded.index.at[e] &&
                         t->events.at[i].thread == t->events.at[e].thread;)
        n += t->events.at[i].kind == t->events.at[e].kind;
    return n;
}

uint32_t pf_try_same_event(const struct pf_trace *then, uint32_t e, const struct pf_trace *now)
{
    const struct pf_event *x = &then->events.at[e];
    uint32_t thread = then->recorded.thread.at[x->thread];
    uint32_t skip = part_of(then, e);
    for (uint32_t i = 0; i < now->events.len; i++) {
        const struct pf_event *y = &now->events.at[i];
        if (now->recorded.index.at[i] == then->recorded.index.at[e] && y->kind == x->kind &&
            now->recorded.thread.at[y->thread] == thread &&
            now->sites.at[y->site].line == then->sites.at[x->site].line &&
            !strcmp(file_of(now, i), file_of(then, e)) && !skip--)
            return i;
    }
    return PF_NONE;
}

static bool overlap(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    return pf_trace_overlap(t, &t->events.at[a], &t->events.at[b]);
}

void pf_try_result_diverged(const struct pf_trace *t, const struct pf_clip_end *end,
                            struct pf_try_result *out)
{
    const struct pf_divergence *d = &end->divergence;
    char why[sizeof out->why];
    snprintf(why, sizeof why, "%.390s", end->text);
    bool numbered = d->diverged && d->thread != PF_NO_THREAD && !*d->expected_word;
    for (uint32_t i = 0; numbered && i < t->events.len; i++) /* the last position at or before it */
        if (t->recorded.index.at[i] <= d->expected &&
            t->recorded.thread.at[t->events.at[i].thread] == d->thread && *file_of(t, i))
            snprintf(why, sizeof why, "%.200s:%u: T%u did not reach this line: %s", file_of(t, i),
                     t->sites.at[t->events.at[i].site].line, d->thread, d->what);
    pf_try_result_set(out, d->value_missing ? PF_TRY_UNKNOWN : PF_TRY_FALSE, why);
}

static bool happened(const struct pf_trace *then, const struct pf_try_schedule *h,
                     const struct pf_trace *now, struct pf_try_result *out)
{
    uint32_t at[PF_PATTERN_MAX];
    char why[200];
    for (uint32_t i = 0; i < h->n; i++) {
        at[i] = pf_try_same_event(then, h->event[i], now);
        snprintf(why, sizeof why, "%s:%u: the thread did something else at this line",
                 file_of(then, h->event[i]),
                 then->sites.at[then->events.at[h->event[i]].site].line);
        if (at[i] == PF_NONE) {
            pf_try_result_set(out, PF_TRY_FALSE, why);
            return false;
        }
        for (uint32_t k = 0; k < i; k++) {
            bool one = overlap(then, h->event[i], h->event[k]);
            if (at[k] >= at[i] || (one && !overlap(now, at[i], at[k]))) {
                pf_try_result_set(out, PF_TRY_FALSE,
                                  at[k] >= at[i] ? "the accesses happened in another order"
                                                 : "the accesses were to different memory");
                return false;
            }
        }
    }
    for (uint32_t i = at[h->n - 2] + 1; h->adjacent && i < at[h->n - 1]; i++) {
        uint16_t u = now->events.at[i].thread;
        if (u != now->events.at[at[h->n - 1]].thread && u != now->events.at[at[h->n - 2]].thread) {
            pf_try_result_set(out, PF_TRY_FALSE, "another event happened between the two accesses");
            return false;
        }
    }
    return true;
}

/* The first of the events 0..n-1 in whose place its thread did something else in the run; PF_NONE:
 * there is none. Threads are compared one by one: a plan need not keep the order of events that do
 * not depend on each other, and a run that was cut need not have all of them. */
static uint32_t first_difference(const struct pf_trace *then, const struct pf_trace *now,
                                 uint32_t n)
{
    if (!now->events.len)
        return n ? 0 : PF_NONE;
    uint32_t *next = pf_mem_resize(NULL, UINT16_MAX + 1, sizeof *next); /* by thread, in `now` */
    memset(next, 0, (UINT16_MAX + 1) * sizeof *next);
    uint32_t found = PF_NONE;
    for (uint32_t i = 0; i < n && found == PF_NONE; i++) {
        const struct pf_event *x = &then->events.at[i];
        uint32_t thread = then->recorded.thread.at[x->thread], *k = &next[x->thread];
        while (*k < now->events.len && now->recorded.thread.at[now->events.at[*k].thread] != thread)
            ++*k;
        if (*k == now->events.len)
            continue;
        const struct pf_event *y = &now->events.at[*k];
        if (x->kind != y->kind || then->recorded.index.at[i] != now->recorded.index.at[*k] ||
            then->sites.at[x->site].line != now->sites.at[y->site].line)
            found = i;
        ++*k;
    }
    free(next);
    return found;
}

/* A run that differs from the recording before its schedule does says nothing about the candidate:
 * for example, a file that the recording has created makes the program give up. */
static void set_if_outside_changed(const struct pf_trace *then, const struct pf_try_schedule *h,
                                   const struct pf_trace *now, struct pf_try_result *out)
{
    uint32_t as_recorded = h->start;
    for (uint32_t i = 0; i < h->norder && h->order[i] == as_recorded; i++)
        as_recorded++;
    uint32_t d = first_difference(then, now, as_recorded);
    if (d == PF_NONE)
        return;
    while (d > 0 && !*file_of(then, d))
        d--;
    char why[sizeof out->why];
    snprintf(why, sizeof why,
             "%.200s:%u: the run differs from the recording here, before its schedule does: "
             "a file or something else outside of the program has changed",
             file_of(then, d), then->sites.at[then->events.at[d].site].line);
    pf_try_result_set(out, PF_TRY_UNKNOWN, why);
}

/* --- the run --- */

const char *pf_try_failure(const struct pf_clip_end *end, char *text, size_t room)
{
    const char *first = end->text + strspn(end->text, " ");
    char signal[PF_SIGNAL_TEXT];
    if (end->outcome == PF_OUTCOME_DEADLOCK || end->outcome == PF_OUTCOME_HANG)
        snprintf(text, room, "%s: %.*s", end->outcome == PF_OUTCOME_HANG ? "hang" : "deadlock",
                 (int)strcspn(first, "\n"), first);
    else if (pf_wait_died(end->wait))
        snprintf(text, room, "the program died of %s", pf_signal_text(signal, end->wait));
    else
        return NULL;
    return text;
}

const char *pf_try_new_failure(const struct pf_clip *recording, const struct pf_clip_end *end,
                               char *text, size_t room)
{
    bool same = end->outcome == PF_OUTCOME_NONE && end->wait == recording->end.wait;
    if (!same && pf_try_failure(end, text, room))
        return text;
    if (WIFEXITED(end->wait) && WEXITSTATUS(end->wait) && end->wait != recording->end.wait)
        snprintf(text, room, "the program ended with status %d", WEXITSTATUS(end->wait));
    else
        return NULL;
    return text;
}

/* Sets the result of the run: did the candidate happen, and did the program fail in a new way? */
static void set_result(const struct pf_trace *t, const struct pf_clip *recording,
                       const struct pf_try_schedule *h, const char *file,
                       const struct pf_clip_end *end, struct pf_try_result *out)
{
    char text[400];
    const char *failed = pf_try_new_failure(recording, end, text, sizeof text);
    if (h->stuck && end->outcome != PF_OUTCOME_DIVERGED) {
        bool dead = end->outcome == PF_OUTCOME_DEADLOCK;
        pf_try_result_set(out, dead ? PF_TRY_ERROR : PF_TRY_FALSE,
                          dead ? text : "the threads did not wait for each other");
        return;
    }
    struct pf_trace now;
    struct pf_error e;
    pf_trace_init(&now);
    pf_status loaded = pf_load_trace("hatch", file, &now, &e);
    if (end->outcome == PF_OUTCOME_DIVERGED)
        pf_try_result_diverged(t, end, out);
    else if (loaded != PF_OK)
        pf_try_result_set(out, PF_TRY_UNKNOWN, e.text);
    else if (happened(t, h, &now, out))
        pf_try_result_set(out, failed ? PF_TRY_ERROR : PF_TRY_REAL, failed ? failed : "");
    if (out->verdict == PF_TRY_FALSE) /* a run that diverged at once has no trace */
        set_if_outside_changed(t, h, &now, out);
    pf_trace_release(&now);
}

void pf_try_race_text(const struct pf_trace *t, const struct pf_try_schedule *h, char *to,
                      size_t room)
{
    const uint32_t *e = &h->event[h->n - 2];
    const struct pf_recorded *r = &t->recorded;
    snprintf(to, room, "T%u:%u<T%u:%u", r->thread.at[t->events.at[e[0]].thread], r->index.at[e[0]],
             r->thread.at[t->events.at[e[1]].thread], r->index.at[e[1]]);
}

void pf_try_one(const struct pf_trace *t, const struct pf_clip *recording,
                const struct pf_try_schedule *h, const char *file, struct pf_try_result *out)
{
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_error e;
    char *steps = pf_mem_format("%s.plan", file);
    struct pf_directed d = {
        .plan = steps, .schedule = "rr", .exclude = recording->meta.exclude, .watch = true};
    struct pf_clip_meta meta = recording->meta;
    meta.watched = d.watch;
    char race[64];
    if (h->adjacent) {
        pf_try_race_text(t, h, race, sizeof race);
        meta.race = race;
    }
    pf_status s = write_plan(t, h, steps, &e);
    if (s == PF_OK)
        s = pf_directed_record(&meta, file, &d, &child, &end, &e);
    if (s == PF_OK && end.errors)
        snprintf(out->memory, sizeof out->memory, "%s", end.error);
    if (s == PF_OK)
        set_result(t, recording, h, file, &end, out);
    else
        pf_try_result_set(out, PF_TRY_UNKNOWN, e.text);
    unlink(steps);
    free(steps);
}
