/* judge_findings.c - see judge_findings.h. */
#define _GNU_SOURCE
#include "judge_findings.h"
#include "aimed_recording.h"
#include "clip_program.h"
#include "duration.h"
#include "judge_again.h"
#include "load_trace.h"
#include "message.h"
#include "race_events.h"
#include "scratch_folder.h"
#include "textbuf.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "judge"

static const char *text_in(struct pf_pool *pool, const char *s)
{
    return s ? pf_mem_checked(pf_pool_text(pool, s, strlen(s))) : NULL;
}

void pf_judge_store(struct pf_finding *f, const struct pf_verdict *v, struct pf_pool *pool)
{
    struct pf_judged *j = pf_mem_checked(pf_pool_get(pool, sizeof *j));
    struct pf_judged_evidence *at =
        pf_mem_checked(pf_pool_get(pool, (v->evidence.len + 1) * sizeof *at));
    for (size_t i = 0; i < v->evidence.len; i++)
        at[i] = (struct pf_judged_evidence){.kind = v->evidence.at[i].kind,
                                            .text = text_in(pool, v->evidence.at[i].text),
                                            .clip = text_in(pool, v->evidence.at[i].clip)};
    *j = (struct pf_judged){.k = v->k,
                            .paths = v->paths,
                            .schedules = v->schedules,
                            .ms = v->ms,
                            .cpu_ms = v->cpu_ms,
                            .memory = v->memory,
                            .reason = text_in(pool, v->reason),
                            .adhoc = v->adhoc,
                            .incomplete = v->incomplete,
                            .evidence = at,
                            .nevidence = v->evidence.len};
    f->verdict = pf_judge_class_name(v->class);
    f->judged = j;
}

const char *pf_judged_clip(const struct pf_finding *f, const char *kind)
{
    for (size_t i = 0; f->judged && i < f->judged->nevidence; i++)
        if (!strcmp(f->judged->evidence[i].kind, kind))
            return f->judged->evidence[i].clip;
    return NULL;
}

/* --- one recording --- */

/* A recording with its trace, and the accesses that were judged in it. */
struct judged_recording {
    const char *path;
    struct pf_clip clip;
    struct pf_trace own;
    const struct pf_trace *t; /* own, or the one that the caller of the list has loaded */
    struct pf_scratch_folder scratch;
    struct pf_further further;
    bool open;
    char why[300]; /* why it is not usable */
};

/* The milliseconds that are left for the list, at least 1; 0: there is no limit. */
static uint64_t time_left(const struct pf_judge_list *l)
{
    uint64_t now = pf_now_ms();
    return !l->end_ms ? 0 : l->end_ms > now ? l->end_ms - now : 1;
}

/* Records the program of a finding that has no clip. */
static void make_recording(const struct pf_judge_list *l, struct pf_judge_item *it, char *why,
                           size_t room)
{
    char *path = pf_mem_format("%s/%016" PRIx64 ".clip", l->folder, it->f->id);
    if (!it->command)
        snprintf(why, room, "never seen in a replay");
    else if (pf_aimed_recording(it->f, it->command, path, time_left(l), why, room))
        it->clip = text_in(l->pool, path);
    free(path);
}

/* Opens the recording and loads its trace. If path is NULL there is none, and r->why says why. */
static void open_recording(const struct pf_judge_list *l, struct judged_recording *r,
                           const char *path)
{
    struct pf_error e;
    bool loaded = path && l->loaded && !strcmp(path, l->loaded_path);
    r->path = path;
    pf_trace_init(&r->own);
    r->own.recorded.replay_limit_ms = time_left(l);
    r->t = loaded ? l->loaded : &r->own;
    if (!path)
        return;
    if (pf_clip_open(&r->clip, path, &e) != PF_OK ||
        pf_clip_program_resolve(&r->clip, &e) != PF_OK ||
        (!loaded && pf_load_trace(VERB, path, &r->own, &e) != PF_OK))
        snprintf(r->why, sizeof r->why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
    else
        r->open = true;
    if (r->open)
        pf_scratch_folder_make(&r->scratch, l->folder, r->t->events.len);
}

static void close_recording(struct judged_recording *r)
{
    pf_further_release(&r->further);
    pf_scratch_folder_remove(&r->scratch);
    pf_trace_release(&r->own);
    pf_clip_release(&r->clip);
}

static bool find_accesses(const struct judged_recording *r, const struct pf_judge_item *it,
                          uint32_t *a, uint32_t *b, char *why, size_t room)
{
    const char *named = it->race ? it->race : r->clip.meta.race;
    if (!r->open) {
        snprintf(why, room, "%s", r->why);
        return false;
    }
    if (named && pf_race_events_named(r->t, named, a, b, why, room))
        return true;
    return !it->race && it->f->naccesses == 2 && pf_race_events_at(r->t, it->f, a, b, why, room);
}

/* True if the accesses of two findings belong to one cluster: the same memory, threads and
 * stacks. */
static bool same_cluster(const struct pf_trace *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const struct pf_recorded *r = &t->recorded;
    uint32_t x[2][2] = {{a, c}, {b, d}};
    for (unsigned i = 0; i < 2; i++) {
        const struct pf_event *p = &t->events.at[x[i][0]], *q = &t->events.at[x[i][1]];
        if (p->what != q->what || p->thread != q->thread ||
            r->event_stack.at[x[i][0]] != r->event_stack.at[x[i][1]])
            return false;
    }
    return true;
}

struct judged_pair {
    uint32_t a, b;
    const struct pf_finding *f;
};
typedef PF_VEC(struct judged_pair) judged_pairs;

static const struct pf_finding *find_cluster(const struct pf_trace *t, const judged_pairs *done,
                                             uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < done->len; i++)
        if (same_cluster(t, a, b, done->at[i].a, done->at[i].b))
            return done->at[i].f;
    return NULL;
}

/* True if no time is left, or the user has interrupted it. */
static bool is_stopped(const struct pf_judge_list *l)
{
    return (l->end_ms && pf_now_ms() >= l->end_ms) ||
           (l->how.should_stop && l->how.should_stop(l->how.arg));
}

static void judge_pair(const struct pf_judge_list *l, struct judged_recording *r,
                       const struct pf_judge_settings *how, uint32_t a, uint32_t b,
                       const struct pf_finding *f, struct pf_verdict *v)
{
    char name[20];
    snprintf(name, sizeof name, "%016" PRIx64, f->id);
    pf_judge_race(how,
                  &(struct pf_judge_case){.t = r->t,
                                          .recording = &r->clip,
                                          .a = a,
                                          .b = b,
                                          .folder = l->folder,
                                          .scratch = r->scratch.path,
                                          .name = name,
                                          .further = &r->further},
                  v);
}

/* The order of one instance of a race may be impossible, and that of another one possible: the
 * thread that is held may have something to do first. So the instance whose accesses are closest
 * together is judged as well. */
static void judge_other_instance(const struct pf_judge_list *l, struct judged_recording *r,
                                 const struct pf_judge_settings *how, uint32_t a, uint32_t b,
                                 const struct pf_finding *f, struct pf_verdict *v)
{
    uint32_t c, d;
    char unused[300];
    struct pf_verdict other = {.class = PF_JUDGED_UNDECIDED, .paths = 1, .memory = "sc"};
    if (v->class != PF_JUDGED_SINGLE_ORDERING || l->exact || f->naccesses != 2 || is_stopped(l) ||
        !pf_race_events_at(r->t, f, &c, &d, unused, sizeof unused) || (a == c && b == d))
        return;
    judge_pair(l, r, how, c, d, f, &other);
    other.ms += v->ms;
    other.cpu_ms += v->cpu_ms;
    if (other.class == PF_JUDGED_SINGLE_ORDERING || other.class == PF_JUDGED_UNDECIDED) {
        pf_verdict_release(&other);
        return;
    }
    pf_verdict_release(v);
    *v = other;
}

static void judge_item(struct pf_judge_list *l, struct judged_recording *r, judged_pairs *done,
                       struct pf_judge_item *it)
{
    struct pf_verdict v = {.class = PF_JUDGED_UNDECIDED, .paths = 1, .memory = "sc"};
    struct pf_judge_settings how = l->how;
    uint32_t a = PF_NONE, b = PF_NONE;
    it->judged = true;
    if (is_stopped(l)) {
        it->judged = false;
        return;
    }
    if (!find_accesses(r, it, &a, &b, v.reason, sizeof v.reason)) {
        pf_judge_store(it->f, &v, l->pool);
        return;
    }
    const struct pf_finding *like = find_cluster(r->t, done, a, b);
    if (like) {
        it->f->verdict = like->verdict;
        it->f->judged = like->judged;
        return;
    }
    how.end_ms = l->end_ms;
    judge_pair(l, r, &how, a, b, it->f, &v);
    judge_other_instance(l, r, &how, a, b, it->f, &v);
    it->ms = v.ms;
    if (v.incomplete && !v.schedules && !v.control) { /* nothing is known yet */
        it->judged = false;
        pf_verdict_release(&v);
        return;
    }
    pf_judge_store(it->f, &v, l->pool);
    pf_vec_push(done, (struct judged_pair){a, b, it->f});
    pf_verdict_release(&v);
}

void pf_judge_list_run(struct pf_judge_list *l)
{
    for (size_t i = 0; i < l->n && !is_stopped(l); i++) {
        struct judged_recording r = {0};
        judged_pairs done = {0};
        if (l->items[i].judged)
            continue;
        if (!l->items[i].clip)
            make_recording(l, &l->items[i], r.why, sizeof r.why);
        open_recording(l, &r, l->items[i].clip);
        for (size_t k = i; k < l->n; k++) {
            struct pf_judge_item *it = &l->items[k];
            bool same = it->clip == r.path || (it->clip && r.path && !strcmp(it->clip, r.path));
            if (it->judged || !same || (!r.path && it != &l->items[i]))
                continue;
            judge_item(l, &r, &done, it);
            if (l->progress)
                l->progress(l, it);
        }
        pf_vec_release(&done);
        close_recording(&r);
    }
}

int pf_judge_worst(const pf_judge_items *items)
{
    int class = PF_JUDGED_CLASSES;
    for (size_t i = 0; i < items->len; i++)
        if (items->at[i].judged) {
            int c = pf_judge_class_from(items->at[i].f->verdict);
            class = c < class ? c : class;
        }
    return class;
}

void pf_judge_summary(struct pf_text *t, const pf_judge_items *items)
{
    size_t n[PF_JUDGED_CLASSES] = {0}, judged = 0;
    for (size_t i = 0; i < items->len; i++)
        if (items->at[i].judged) {
            n[pf_judge_class_from(items->at[i].f->verdict)]++;
            judged++;
        }
    pf_text_add(t, "judge: ");
    pf_text_u64(t, items->len);
    pf_text_add(t, items->len == 1 ? " race" : " races");
    for (int c = 0; c < PF_JUDGED_CLASSES; c++)
        if (n[c]) {
            pf_text_add(t, ", ");
            pf_text_u64(t, n[c]);
            pf_text_char(t, ' ');
            pf_text_add(t, pf_judge_class_name((enum pf_judge_class)c));
        }
    if (judged < items->len) {
        pf_text_add(t, ", ");
        pf_text_u64(t, items->len - judged);
        pf_text_add(t, " not judged: the time was up");
    }
    pf_text_char(t, '\n');
}
