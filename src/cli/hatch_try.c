#define _GNU_SOURCE
#include "hatch_try.h"
#include "cli.h"
#include "directed.h"
#include "file.h"
#include "load_trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(struct pf_hatch_result *out, enum pf_hatched verdict, const char *why)
{
    out->verdict = verdict;
    snprintf(out->why, sizeof out->why, "%.*s", (int)strcspn(why, "\n"), why);
}

/* --- the plan --- */

typedef PF_VEC(struct pf_plan_step) plan;

static bool is_memory(const struct pf_event *e)
{
    enum pf_event_class c = pf_event_class[e->kind];
    return c == PF_CLASS_ACCESS || c == PF_CLASS_MEMORY || c == PF_CLASS_CALL;
}

/* Several events can be parts of one operation, which happens as a whole: when what others wait for
 * happens, or else when its last part does. For each event: that part of its operation. */
static uint32_t *find_pivots(const struct pf_trace *t)
{
    uint32_t *pivot = pf_mem_resize(NULL, t->events.len + 1, sizeof *pivot);
    uint32_t *later = pf_mem_resize(NULL, t->threads.len + 1, sizeof *later); /* of each thread */
    memset(later, 0xff, t->threads.len * sizeof *later);
    for (uint32_t i = (uint32_t)t->events.len; i-- > 0;) {
        uint32_t *next = &later[t->events.at[i].thread];
        bool one = *next != PF_NONE && t->events.at[*next].kind != PF_EV_END &&
                   t->recorded.index.at[*next] == t->recorded.index.at[i];
        pivot[i] = one && is_memory(&t->events.at[i]) ? pivot[*next] : i;
        *next = i;
    }
    memset(later, 0xff, t->threads.len * sizeof *later);
    for (uint32_t i = 0; i < t->events.len; i++) { /* the first that others wait for */
        uint32_t *before = &later[t->events.at[i].thread];
        bool one = *before != PF_NONE && t->events.at[i].kind != PF_EV_END &&
                   t->recorded.index.at[*before] == t->recorded.index.at[i];
        if (one && !is_memory(&t->events.at[pivot[*before]]))
            pivot[i] = pivot[*before];
        *before = i;
    }
    free(later);
    return pivot;
}

static void add_step(plan *p, const struct pf_trace *t, uint32_t event)
{
    uint32_t thread = t->recorded.thread.at[t->events.at[event].thread];
    uint64_t until = t->recorded.index.at[event];
    struct pf_plan_step *last = p->len ? &p->at[p->len - 1] : NULL;
    if (last && last->thread == thread)
        last->until = until > last->until ? until : last->until;
    else
        pf_vec_push(p, (struct pf_plan_step){.thread = thread, .until = until});
}

static pf_status write_plan(const struct pf_trace *t, const struct pf_hatch *h, const char *file,
                            struct pf_error *e)
{
    plan p = {0};
    bool *runs = pf_mem_zero(t->events.len, sizeof *runs);
    uint32_t *pivot = find_pivots(t);
    for (uint32_t i = 0; i < h->start; i++)
        runs[i] = true;
    for (uint32_t i = 0; i < h->norder; i++)
        runs[h->order[i]] = true;
    for (uint32_t i = 0; i < h->start; i++)
        if (runs[pivot[i]] && (pivot[i] == i || pivot[i] < h->start))
            add_step(&p, t, i);
    for (uint32_t i = 0; i < h->norder; i++)
        if (pivot[h->order[i]] == h->order[i])
            add_step(&p, t, h->order[i]);
    free(runs);
    free(pivot);
    for (uint32_t i = 0; h->stuck && i < h->n; i++)
        add_step(&p, t, h->event[i]);
    pf_status s = pf_file_write(file, (const char *)p.at, p.len * sizeof *p.at, e);
    pf_vec_release(&p);
    return s;
}

/* --- did it happen? --- */

static const char *file_of(const struct pf_trace *t, uint32_t event)
{
    return pf_trace_text(t, t->sites.at[t->events.at[event].site].file);
}

/* The event of `now` that stands for event e of `then`; PF_NONE: another one is in its place. */
static uint32_t same_event(const struct pf_trace *then, uint32_t e, const struct pf_trace *now)
{
    const struct pf_event *x = &then->events.at[e];
    uint32_t thread = then->recorded.thread.at[x->thread];
    for (uint32_t i = 0; i < now->events.len; i++) {
        const struct pf_event *y = &now->events.at[i];
        if (now->recorded.index.at[i] == then->recorded.index.at[e] && y->kind == x->kind &&
            now->recorded.thread.at[y->thread] == thread &&
            now->sites.at[y->site].line == then->sites.at[x->site].line &&
            !strcmp(file_of(now, i), file_of(then, e)))
            return i;
    }
    return PF_NONE;
}

static uint64_t address(const struct pf_trace *t, uint32_t event)
{
    return t->places.at[t->events.at[event].what].addr;
}

static bool happened(const struct pf_trace *then, const struct pf_hatch *h,
                     const struct pf_trace *now, struct pf_hatch_result *out)
{
    uint32_t at[PF_PATTERN_MAX];
    char why[200];
    for (uint32_t i = 0; i < h->n; i++) {
        at[i] = same_event(then, h->event[i], now);
        snprintf(why, sizeof why, "%s:%u: the thread did something else there",
                 file_of(then, h->event[i]),
                 then->sites.at[then->events.at[h->event[i]].site].line);
        if (at[i] == PF_NONE) {
            say(out, PF_HATCHED_FALSE, why);
            return false;
        }
        for (uint32_t k = 0; k < i; k++) {
            bool one = address(then, h->event[i]) == address(then, h->event[k]);
            if (at[k] >= at[i] || (one && address(now, at[i]) != address(now, at[k]))) {
                say(out, PF_HATCHED_FALSE,
                    at[k] >= at[i] ? "the accesses came in another order"
                                   : "the accesses were of different memory");
                return false;
            }
        }
    }
    for (uint32_t i = at[h->n - 2] + 1; h->adjacent && i < at[h->n - 1]; i++) {
        uint16_t u = now->events.at[i].thread;
        if (u != now->events.at[at[h->n - 1]].thread && u != now->events.at[at[h->n - 2]].thread) {
            say(out, PF_HATCHED_FALSE, "something came between the two accesses");
            return false;
        }
    }
    return true;
}

/* --- the run --- */

/* What the program did that it did not do in the recording; NULL: nothing. */
static const char *failure(const struct pf_clip *recording, const struct pf_child_end *child,
                           const struct pf_clip_end *end, char *text, size_t room)
{
    if (end->outcome == PF_OUTCOME_DEADLOCK || end->outcome == PF_OUTCOME_HANG)
        snprintf(text, room, "%s: %s", end->outcome == PF_OUTCOME_HANG ? "hang" : "deadlock",
                 end->text);
    else if (WIFSIGNALED(child->wait) && child->wait != recording->end.wait)
        snprintf(text, room, "the program died of signal %d (%s)", WTERMSIG(child->wait),
                 strsignal(WTERMSIG(child->wait)));
    else if (WIFEXITED(child->wait) && child->wait != recording->end.wait)
        snprintf(text, room, "the program ended with status %d", WEXITSTATUS(child->wait));
    else
        return NULL;
    return text;
}

static void judge(const struct pf_trace *t, const struct pf_clip *recording,
                  const struct pf_hatch *h, const char *file, const struct pf_child_end *child,
                  const struct pf_clip_end *end, struct pf_hatch_result *out)
{
    char text[400];
    const char *failed = failure(recording, child, end, text, sizeof text);
    if (end->outcome == PF_OUTCOME_DIVERGED) {
        say(out, PF_HATCHED_FALSE, end->text);
        return;
    }
    if (h->stuck) {
        bool dead = end->outcome == PF_OUTCOME_DEADLOCK;
        say(out, dead ? PF_HATCHED_ERROR : PF_HATCHED_FALSE,
            dead ? text : "the threads did not wait for each other");
        return;
    }
    struct pf_trace now;
    pf_trace_init(&now);
    if (pf_load_trace("hatch", file, &now) != PF_EXIT_OK)
        say(out, PF_HATCHED_UNKNOWN, "its recording could not be read back");
    else if (happened(t, h, &now, out))
        say(out, failed ? PF_HATCHED_ERROR : PF_HATCHED_REAL, failed ? failed : "");
    pf_trace_release(&now);
}

/* The two accesses that follow each other, as pf replay --until=race wants them. */
static void name_race(const struct pf_trace *t, const struct pf_hatch *h, char *to, size_t room)
{
    const uint32_t *e = &h->event[h->n - 2];
    const struct pf_recorded *r = &t->recorded;
    snprintf(to, room, "T%u:%u<T%u:%u", r->thread.at[t->events.at[e[0]].thread], r->index.at[e[0]],
             r->thread.at[t->events.at[e[1]].thread], r->index.at[e[1]]);
}

void pf_hatch_try(const struct pf_trace *t, const struct pf_clip *recording,
                  const struct pf_hatch *h, const char *file, struct pf_hatch_result *out)
{
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_error e;
    char *steps = NULL;
    if (asprintf(&steps, "%s.plan", file) < 0) {
        say(out, PF_HATCHED_UNKNOWN, "out of memory");
        return;
    }
    struct pf_directed d = {.plan = steps, .schedule = "rr", .exclude = recording->meta.exclude};
    struct pf_clip_meta meta = recording->meta;
    char race[64];
    if (h->adjacent) {
        name_race(t, h, race, sizeof race);
        meta.race = race;
    }
    pf_status s = write_plan(t, h, steps, &e);
    if (s == PF_OK)
        s = pf_directed_record(&meta, file, &d, &child, &end, &e);
    if (s == PF_OK)
        judge(t, recording, h, file, &child, &end, out);
    else
        say(out, PF_HATCHED_UNKNOWN, e.text);
    unlink(steps);
    free(steps);
}
