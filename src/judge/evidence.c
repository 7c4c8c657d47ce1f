/* evidence.c - see evidence.h. */
#define _GNU_SOURCE
#include "evidence.h"
#include "adhoc_sync.h"
#include "file.h"
#include "load_trace.h"
#include "message.h"
#include "output_stack.h"
#include "race_events.h"
#include "recorded_stdin.h"
#include "run_result.h"
#include "schedule_step.h"
#include "text_format.h"
#include "textbuf.h"
#include "trace_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERB "judge"
#define STACK_MS 60000 /* time limit of the replay that finds the stack of an output */

static void add(struct pf_verdict *v, const char *kind, char *text, char *clip)
{
    pf_vec_push(&v->evidence, (struct pf_evidence_item){kind, text, clip});
}

/* --- clips --- */

/* text: what the threads did, or why the order was not enforced; owned by the evidence. */
static void keep_clip(struct pf_verdict *v, const struct pf_judge_case *race, const char *kind,
                      const struct pf_judge_run *r, char *text)
{
    char *path = pf_mem_format("%s/%s.%s.clip", race->folder, race->name, kind);
    if (!text)
        text = pf_mem_copy(pf_order_run_obstacle(&r->run));
    struct pf_error ignored;
    if (r->clip && pf_clip_move(r->clip, path, &ignored) == PF_OK) {
        add(v, kind, text, path);
        return;
    }
    free(text);
    free(path);
}

/* Stores what the recording has read from standard input as a file. */
static void keep_input(struct pf_verdict *v, const struct pf_judge_case *race)
{
    int from = pf_recorded_stdin_open(race->recording);
    struct stat st;
    struct pf_error ignored;
    if (from < 0)
        return;
    char *path = pf_mem_format("%s/%s.stdin", race->folder, race->name);
    size_t n = fstat(from, &st) ? 0 : (size_t)st.st_size;
    char *bytes = pf_mem_zero(n + 1, 1);
    if (n && pread(from, bytes, n, 0) == (ssize_t)n &&
        pf_file_write(path, bytes, n, &ignored) == PF_OK)
        add(v, "input", pf_mem_format("standard input: %s", path), NULL);
    free(bytes);
    free(path);
    close(from);
}

/* --- output --- */

static char *end_text(const struct pf_judge_run *r)
{
    int wait = r->run.end.wait;
    return WIFSIGNALED(wait) ? pf_mem_format("signal %d", WTERMSIG(wait))
                             : pf_mem_format("status %d", WEXITSTATUS(wait));
}

/* The bytes of a file are not in the clip: takes them from the replays. */
static void find_texts(struct pf_output_difference *d, const struct pf_output_stack found[2])
{
    size_t n = found[0].length < found[1].length ? found[0].length : found[1].length, at = 0;
    while (at < n && found[0].bytes[at] == found[1].bytes[at])
        at++;
    for (unsigned i = 0; i < 2; i++) {
        size_t from = at < found[i].length ? at : found[i].length, to = 0;
        while (from && found[i].bytes[from - 1] != '\n' && at - from < sizeof d->text[i] / 2)
            from--;
        for (; from < found[i].length && found[i].bytes[from] != '\n' && to < sizeof d->text[i] - 1;
             from++) {
            char c = found[i].bytes[from];
            d->text[i][to++] = c >= ' ' && c != 127 ? c : '?';
        }
        d->text[i][to] = 0;
    }
    d->at += at;
}

void pf_evidence_output(struct pf_verdict *v, const struct pf_judge_run *primary,
                        const struct pf_judge_run *alternate)
{
    struct pf_output_difference d;
    if (primary->run.end.wait != alternate->run.end.wait) {
        char *x = end_text(primary), *y = end_text(alternate);
        add(v, "exit", pf_mem_format("primary: %s; alternate: %s", x, y), NULL);
        free(x);
        free(y);
    }
    if (!pf_run_output_difference(&primary->output, &alternate->output, &d))
        return;
    /* An order that ends before the first byte that differs has neither a text nor a stack. */
    struct pf_output_stack found[2];
    const char *clips[2] = {primary->clip, alternate->clip}, *const orders[2] = {"primary",
                                                                                 "alternate"};
    for (unsigned i = 0; i < 2; i++) {
        struct pf_judge_left left = pf_judge_clock_left_evidence(primary->trace->clock, STACK_MS);
        if (!pf_output_stack_find(clips[i], d.fd, d.written[i], &left, &found[i]))
            found[i] = (struct pf_output_stack){0};
    }
    if (!d.kept)
        find_texts(&d, found);
    add(v, "output",
        pf_mem_format("descriptor %d, byte %llu: primary: \"%s\"; alternate: \"%s\"", d.fd,
                      (unsigned long long)d.at, d.text[0], d.text[1]),
        NULL);
    for (unsigned i = 0; i < 2; i++)
        if (*found[i].stack)
            add(v, "printed", pf_mem_format("%s order:\n%s", orders[i], found[i].stack), NULL);
}

/* --- failures --- */

static void add_frames(struct pf_text *t, const struct pf_backtrace *s)
{
    for (size_t i = 0; i < s->n && i < 16; i++) {
        const struct pf_stack_frame *p = &s->at[i];
        pf_text_format(t, "\n#%zu %s", i, p->function ? p->function : "??");
        if (p->file)
            pf_text_format(t, " %s:%u", p->file, p->line);
    }
}

/* The stack of the failure. A use of freed memory also has the stack that freed it. */
static void add_stack(struct pf_verdict *v, const struct pf_finding *f)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_text_add(&t, f->harm ? f->harm : pf_kind_title(f->kind));
    for (size_t i = 0; i < f->naccesses; i++) {
        if (f->naccesses > 1)
            pf_text_format(&t, "\n%s by T%u:", pf_op_name(f->accesses[i].op),
                           f->accesses[i].thread);
        add_frames(&t, &f->accesses[i].stack);
    }
    add(v, "failure", pf_mem_copy_n(t.at, t.n), NULL);
    pf_pool_release(&pool);
}

void pf_evidence_failure(struct pf_verdict *v, const struct pf_judge_run *r, char *what,
                         size_t room)
{
    struct pf_findings shown;
    struct pf_trace t;
    struct pf_error ignored;
    bool required = r->failed == PF_RUN_REQUIREMENT; /* no replay tests it */
    snprintf(what, room, "%s", r->failure);
    pf_findings_init(&shown);
    pf_trace_init(&t);
    struct pf_judge_left left = pf_judge_clock_left_evidence(r->trace->clock, 0);
    t.recorded.replay_limit_ms = left.limit_ms;
    t.recorded.replay_fair_ms = left.fair_ms;
    if (pf_load_trace_shown(VERB, r->clip, NULL, &t, &shown, &ignored) == PF_OK)
        for (size_t i = 0; i < shown.n && !required; i++)
            add_stack(v, shown.at[i]);
    if (shown.n && shown.at[0]->harm && r->failed == PF_RUN_DIED)
        snprintf(what, room, "%s", shown.at[0]->harm);
    if (required || !shown.n)
        add(v, "failure",
            pf_mem_format("%s%s%s", r->failure, *r->run.end.text ? "\n" : "", r->run.end.text),
            NULL);
    pf_trace_release(&t);
    pf_findings_release(&shown);
}

void pf_evidence_text(struct pf_verdict *v, const char *kind, const char *text)
{
    add(v, kind, pf_mem_copy(text), NULL);
}

/* --- memory models --- */

static void add_stale_read(struct pf_verdict *v, const struct pf_trace *t,
                           const struct pf_memory_choice *c)
{
    char variable[80], at[200];
    uint32_t i = pf_race_events_numbered(t, c->thread, c->event);
    if (i == PF_NONE)
        return;
    pf_trace_place_text(t, t->events.at[i].what, variable, sizeof variable);
    variable[strcspn(variable, ":")] = 0;
    pf_adhoc_sync_position(t, i, at, sizeof at);
    add(v, "stale",
        pf_mem_format("T%u reads %s at %s and does not get the newest value", c->thread, variable,
                      at),
        NULL);
}

static void add_stale_reads(struct pf_verdict *v, const struct pf_judge_run *r)
{
    const char *path = r->clip;
    struct pf_trace t;
    struct pf_clip clip;
    struct pf_error ignored;
    struct pf_memory_choice c;
    unsigned char *bytes = NULL;
    size_t n = 0;
    if (pf_clip_open(&clip, path, &ignored) != PF_OK)
        return;
    pf_trace_init(&t);
    struct pf_judge_left left = pf_judge_clock_left_evidence(r->trace->clock, 0);
    t.recorded.replay_limit_ms = left.limit_ms;
    t.recorded.replay_fair_ms = left.fair_ms;
    if (pf_clip_stream(&clip, PF_STREAM_MEMORY, &bytes, &n, &ignored) != PF_OK ||
        pf_load_trace(VERB, path, &t, &ignored) != PF_OK)
        n = 0;
    for (size_t at = 0; at + sizeof c <= n; at += sizeof c) {
        memcpy(&c, bytes + at, sizeof c);
        if (c.chosen)
            add_stale_read(v, &t, &c);
    }
    free(bytes);
    pf_trace_release(&t);
    pf_clip_release(&clip);
}

void pf_evidence_memory(struct pf_verdict *v, const struct pf_judge_case *race,
                        const struct pf_judge_run *sc, const struct pf_judge_run *r,
                        const char *model, char *what, size_t room)
{
    struct pf_output_difference d;
    add_stale_reads(v, r);
    if (*r->failure)
        pf_evidence_failure(v, r, what, room);
    else if (sc && pf_run_output_difference(&sc->output, &r->output, &d))
        add(v, "output",
            pf_mem_format("descriptor %d, byte %llu: sc: \"%s\"; %s: \"%s\"", d.fd,
                          (unsigned long long)d.at, d.text[0], model, d.text[1]),
            NULL);
    keep_clip(v, race, model, r, NULL);
}

/* --- memory after the race --- */

/* Takes the trace of a run; give_back returns it. */
static bool borrow_result(const struct pf_judge_case *race, const struct pf_judge_run *r,
                          struct pf_run_result *out)
{
    const struct pf_trace *t = race->t, *own = pf_judge_run_trace(r);
    uint32_t events[2] = {race->a, race->b};
    pf_run_result_init(out);
    if (!own)
        return false;
    out->now = *own;
    for (unsigned k = 0; k < 2; k++) { /* k: 0 is a, 1 is b */
        uint32_t thread = t->recorded.thread.at[t->events.at[events[k]].thread];
        uint64_t number = r->run.order.happened[r->run.alternate ? !k : k];
        out->begin[k] = out->last[k] = pf_race_events_numbered(&out->now, thread, number);
        if (out->begin[k] == PF_NONE)
            return false;
    }
    return true;
}

static void give_back(const struct pf_judge_run *r, struct pf_run_result *result)
{
    if (r->trace->loaded) {
        r->trace->t = result->now;
        pf_trace_init(&result->now);
    }
    pf_run_result_release(result);
    pf_judge_run_trace_done(r);
}

/* --- what the threads did --- */

static void add_step(struct pf_text *t, const struct pf_schedule_step *m)
{
    pf_text_format(t, "%s%c T%u %s", t->n ? "\n" : "", m->marked ? '*' : ' ', m->thread, m->op);
    if (m->name)
        pf_text_format(t, " %s", m->name);
    if (m->value)
        pf_text_format(t, " = %s", m->value);
    if (m->has_from)
        pf_text_format(t, " (from T%u)", m->from);
    if (m->file)
        pf_text_format(t, " at %s:%u", pf_str_base(m->file), m->line);
}

/* The steps around the two accesses in a run, one in a line; the accesses are marked with '*'. */
static char *interleaving(struct pf_run_result *r)
{
    struct pf_predict_job *j = pf_mem_zero(1, sizeof *j);
    struct pf_finding f = {0};
    struct pf_text t;
    pf_predict_job_init(j);
    pf_text_init(&t, &j->pool);
    j->t = r->now;
    pf_schedule_steps_recorded(j, &f, r->begin, 2);
    for (size_t i = 0; i < f.nrecorded; i++)
        add_step(&t, &f.recorded[i]);
    char *text = t.n ? pf_mem_copy_n(t.at, t.n) : NULL;
    r->now = j->t;
    pf_trace_init(&j->t);
    pf_predict_job_release(j);
    free(j);
    return text;
}

static int compare_state(struct pf_verdict *v, const struct pf_judge_case *race,
                         const struct pf_judge_run *primary, const struct pf_judge_run *alternate,
                         char *steps[2])
{
    struct pf_run_result x, y;
    int same = -1;
    bool loaded[] = {borrow_result(race, primary, &x), borrow_result(race, alternate, &y)};
    if (loaded[0] && loaded[1]) {
        same = pf_run_result_same_memory(&x, &y);
        add(v, "state",
            pf_mem_copy(same ? "the memory after the race is the same in both orders"
                             : "the memory after the race differs between the orders"),
            NULL);
    }
    if (steps) {
        steps[0] = loaded[0] ? interleaving(&x) : NULL;
        steps[1] = loaded[1] ? interleaving(&y) : NULL;
    }
    give_back(primary, &x);
    give_back(alternate, &y);
    return same;
}

int pf_evidence_state(struct pf_verdict *v, const struct pf_judge_case *race,
                      const struct pf_judge_run *primary, const struct pf_judge_run *alternate)
{
    return compare_state(v, race, primary, alternate, NULL);
}

void pf_evidence_clips(struct pf_verdict *v, const struct pf_judge_case *race,
                       const struct pf_judge_run *primary, const struct pf_judge_run *alternate)
{
    char *steps[2];
    compare_state(v, race, primary, alternate, steps);
    keep_clip(v, race, "primary", primary, steps[0]);
    keep_clip(v, race, "alternate", alternate, steps[1]);
    keep_input(v, race);
}
