/* check_loop.c - see check_loop.h. */
#define _GNU_SOURCE
#include "check_loop.h"
#include "allocation.h"
#include "check_progress.h"
#include "check_step.h"
#include "clip.h"
#include "duration.h"
#include "file.h"
#include "forked_clips.h"
#include "private_files.h"
#include "process_pool.h"
#include "run_report.h"
#include "state_limit.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OVERRUN_MS 300 /* after the deadline, programs that still run are killed */
/* a batch may take this long, plus a sixteenth of the time left, unless the rounds are limited */
#define BATCH_MS 1000
#define LIMIT_ROUNDS 16 /* the size of the state folder is limited once in 16 rounds */
#define FIRST_EXPLORE                                                                              \
    8 /* the systematic search of the first round gets an eighth of the time left */
/* The most events that searches on a fast machine read in 1 ms: for all predictions, and for the
 * races that the recording shows. */
#define HATCH_EVENTS 2000
#define LOOK_EVENTS 4000
#define SCHEDULE_MS 500 /* a schedule of a batch may take as long as 20 recordings, plus this */

struct check_loop {
    struct pf_check_work *w;
    struct pf_check_progress progress;
    struct pf_process_pool pool;
    struct pf_check_step *steps; /* by slot of the pool */
    uint64_t began_ms, deadline_ms;
    uint64_t (
        *took_ms)[PF_CHECK_KINDS]; /* per test: the longest step of each kind that has ended */
    uint64_t limited_round; /* the last round in which the size of the state folder was limited */
    char pf[PATH_MAX];
    pf_status status;
    struct pf_error *e;
};

static void fail(struct check_loop *l, pf_status s)
{
    if (l->status == PF_OK)
        l->status = s;
    pf_process_pool_stop(&l->pool);
}

/* --- starting --- */

/* Estimates how long a step of this kind takes; 0: unknown. Batches, systematic searches, hatches,
 * hunts and judgements limit themselves: for these it is the least time that they need, derived
 * from the time of a recording. For the others it is that of the longest such step of this test;
 * before there was one, it is derived as well. */
static uint64_t estimate_ms(const struct check_loop *l, enum pf_check_kind kind, size_t test)
{
    const uint64_t *took = l->took_ms[test];
    uint64_t record = took[PF_CHECK_RECORD] ? took[PF_CHECK_RECORD] : took[PF_CHECK_RUN];
    uint64_t length = pf_chain_length(&l->w->chain, test);
    if (kind == PF_CHECK_BATCH ||
        kind == PF_CHECK_EXPLORE) /* it ends at its own limit, but runs at least one schedule */
        return 2 * record;
    if (kind ==
        PF_CHECK_HATCH) /* at least: a replay, which shows a failure; it tries what it can */
        return record + length / HATCH_EVENTS;
    if (kind == PF_CHECK_HUNT ||
        kind == PF_CHECK_JUDGE) /* at least: a replay for the trace, a try, a replay of its clip */
        return 3 * record;
    if (took[kind])
        return took[kind];
    return kind == PF_CHECK_RUN    ? 0
           : kind == PF_CHECK_LOOK ? 2 * record + length / LOOK_EVENTS
                                   : record;
}

/* The time limit of a free run, if none has ended yet. It may not end at all (a deadlock), but it
 * may also take longer than its recording: there, sleeping takes no time. */
static uint64_t first_run_ms(const struct check_loop *l, size_t test, uint64_t left)
{
    uint64_t record = l->took_ms[test][PF_CHECK_RECORD], most = left / (record ? 2 : 4) + 1;
    uint64_t guess = 20 * record + left / 8 + 1000;
    return record && guess < most ? guess : most;
}

/* Sets the limits of a step. A program whose duration is unknown may not end at all: its recordings
 * get half of the remaining time. Returns false if the step cannot end within the budget. */
static bool set_limits(const struct check_loop *l, struct pf_check_step *s)
{
    uint64_t now = pf_now_ms(), left = l->deadline_ms > now ? l->deadline_ms - now : 0;
    enum pf_check_kind kind = s->line.kind;
    uint64_t usual = estimate_ms(l, kind, s->line.test);
    bool known = l->took_ms[s->line.test][kind] || l->took_ms[s->line.test][PF_CHECK_RUN];
    uint64_t patient = (kind == PF_CHECK_RUN ? 20 : 200) * usual + 5000;
    if (usual > left || !left)
        return false;
    bool limits_itself = kind == PF_CHECK_HATCH || kind == PF_CHECK_BATCH ||
                         kind == PF_CHECK_JUDGE || kind == PF_CHECK_EXPLORE ||
                         kind == PF_CHECK_HUNT;
    s->limit_ms = known || limits_itself || kind == PF_CHECK_LOOK ? left
                  : kind == PF_CHECK_RUN ? first_run_ms(l, s->line.test, left)
                                         : left / 2 + 1;
    s->by_budget = s->limit_ms == left;
    if (usual && !limits_itself && patient < s->limit_ms) {
        s->limit_ms = patient;
        s->by_budget = false;
    }
    s->own_limit_ms = left * 3 / 4 + 1;
    if (kind == PF_CHECK_HATCH &&
        pf_chain_length(&l->w->chain, s->line.test) > PF_CHAIN_LONG_EVENTS)
        s->own_limit_ms = left / 2 + 1;
    if (kind == PF_CHECK_HATCH && usual > s->own_limit_ms)
        return false;
    if (kind == PF_CHECK_JUDGE && pf_chain_judge_ms(&l->w->chain) < s->own_limit_ms)
        s->own_limit_ms = pf_chain_judge_ms(&l->w->chain);
    if (kind == PF_CHECK_HUNT && pf_chain_hunt_ms(&l->w->chain) < s->own_limit_ms)
        s->own_limit_ms = pf_chain_hunt_ms(&l->w->chain);
    if (kind == PF_CHECK_EXPLORE) {
        if (pf_chain_explore_ms(&l->w->chain) < s->own_limit_ms)
            s->own_limit_ms = pf_chain_explore_ms(&l->w->chain);
        if (s->line.round == 0 && s->own_limit_ms > left / FIRST_EXPLORE + 1)
            s->own_limit_ms = left / FIRST_EXPLORE + 1;
    }
    if (kind == PF_CHECK_BATCH) {
        if (!l->w->settings->rounds && s->own_limit_ms > BATCH_MS + left / 16)
            s->own_limit_ms = BATCH_MS + left / 16;
        s->each_ms = SCHEDULE_MS + 20 * l->took_ms[s->line.test][PF_CHECK_RECORD];
        if (s->each_ms > left / 4 + 1)
            s->each_ms = left / 4 + 1;
    }
    s->kill_at_ms = l->deadline_ms + OVERRUN_MS;
    return true;
}

static pf_status start(struct check_loop *l, size_t slot)
{
    struct pf_check_work *w = l->w;
    struct pf_check_step *s = &l->steps[slot];
    pf_status st = PF_OK;
    s->settings = w->settings;
    s->folder = w->folder;
    s->slot = slot;
    s->line.step = ++w->steps;
    if (s->line.kind == PF_CHECK_HATCH) {
        char known[PATH_MAX];
        pf_check_path(known, w->folder->absolute, "/known", 0);
        st = pf_check_found_write_known(&w->found, known, l->e);
    }
    if (st == PF_OK)
        st = pf_check_step_init(s, l->pf, l->e);
    return st == PF_OK ? pf_process_pool_start(&l->pool, slot, &s->command, l->e) : st;
}

/* Takes the next step that can end within the budget. */
static bool next_step(struct check_loop *l, struct pf_check_step *s)
{
    struct pf_check_work *w = l->w;
    const struct pf_chain_wanted wanted = {.targets = w->found.targets.at,
                                           .ntargets = w->found.targets.len,
                                           .races = w->found.races.at,
                                           .nraces = w->found.races.len,
                                           .unjudged = w->found.unjudged,
                                           .unjudged_test = w->found.unjudged_test};
    while (pf_chain_next(&w->chain, &wanted, &s->line)) {
        if (set_limits(l, s))
            return true;
        w->out_of_time = true;
        pf_chain_skip(&w->chain, &s->line);
    }
    return false;
}

static void fill(struct check_loop *l)
{
    for (size_t i = 0; i < l->pool.n && !l->pool.stopping; i++) {
        if (l->pool.at[i].busy || !next_step(l, &l->steps[i]))
            continue;
        pf_status st = start(l, i);
        if (st != PF_OK)
            fail(l, st);
    }
}

/* --- ending --- */

static bool has_clip(const struct check_loop *l, const struct pf_check_line *line)
{
    char path[PATH_MAX];
    struct pf_clip clip;
    struct pf_error ignored;
    pf_check_path(path, l->w->folder->absolute, PF_CHECK_CLIP, line->step);
    if (pf_clip_open(&clip, path, &ignored) != PF_OK)
        return false;
    /* A clip that was cut off contains what was recorded until then. */
    bool some = clip.ended || clip.stream[0].length;
    some &= clip.end.outcome != PF_OUTCOME_DIVERGED;
    pf_clip_release(&clip);
    return some;
}

/* Adds the children that have only one schedule and did not fail (`settled`), or the others. The
 * chain takes the last one first. */
static void add_children(struct pf_check_work *w, const struct pf_check_line *line, char **names,
                         size_t n, bool settled)
{
    while (n-- > 0) {
        struct pf_clip clip;
        struct pf_error ignored;
        if (pf_clip_open(&clip, names[n], &ignored) != PF_OK)
            continue;
        if (pf_forked_clip_is_settled(&clip) == settled)
            pf_chain_add_child(&w->chain, line, clip.meta.process, !settled);
        pf_clip_release(&clip);
    }
}

void pf_check_add_children(struct pf_check_work *w, const struct pf_check_line *line)
{
    char path[PATH_MAX];
    pf_check_path(path, w->folder->absolute, PF_CHECK_CLIP, line->step);
    char **names = pf_forked_clips_list(path);
    size_t n = 0;
    while (names[n])
        n++;
    /* one search is enough for a settled child: other recordings would show the same */
    if (line->round == 0 && line->kind == PF_CHECK_RECORD)
        add_children(w, line, names, n, true);
    add_children(w, line, names, n, false);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

/* Notes the files that the first recording of a test created. Most programs overwrite their files;
 * for the others see chain_results.c. */
static void note_created(const struct check_loop *l, struct pf_check_line *line)
{
    const struct pf_check_work *w = l->w;
    char path[PATH_MAX], folder[PATH_MAX];
    struct pf_clip clip;
    struct pf_error ignored;
    if (line->kind != PF_CHECK_RECORD || line->round || line->hides || line->wait ||
        w->settings->server || w->settings->for_ms)
        return;
    pf_check_path(path, w->folder->absolute, PF_CHECK_CLIP, line->step);
    pf_check_path(folder, w->folder->absolute, PF_CHECK_CREATED, line->test);
    if (pf_folder_make(folder, &ignored) != PF_OK || pf_clip_open(&clip, path, &ignored) != PF_OK)
        return;
    line->creates = pf_private_files_hide(&clip, folder);
    pf_clip_release(&clip);
    if (!line->creates)
        pf_folder_remove(folder);
}

/* Takes the numbers of the step's report. Returns true if the step has ended by itself at the limit
 * that it was given. A program with one thread has only one schedule, so its recording explores it
 * completely. */
static bool take_report(const struct check_loop *l, struct pf_check_line *line)
{
    char path[PATH_MAX];
    struct pf_run_report report;
    struct pf_error ignored;
    pf_check_path(path, l->w->folder->absolute, PF_CHECK_REPORT, line->step);
    if (pf_run_report_read(&report, path, &ignored) != PF_OK)
        return false;
    bool recorded = line->kind == PF_CHECK_RECORD && report.ran;
    line->length = recorded ? report.events : 0;
    line->complete =
        report.complete || (recorded && report.threads == 1 && report.outcome == PF_OUTCOME_NONE);
    return report.out_of_time;
}

/* --- batches --- */

/* Makes a recording of the check from one of the batch or search: gives it a step number and a line
 * in the journal. */
static pf_status add_recording(struct check_loop *l, const struct pf_check_line *batch,
                               const struct pf_check_batch_recording *r)
{
    struct pf_check_work *w = l->w;
    struct pf_check_line line = {.step = ++w->steps,
                                 .kind = PF_CHECK_RECORD,
                                 .test = batch->test,
                                 .round = batch->round,
                                 .from_step = batch->step,
                                 .how = "ended"};
    char path[PATH_MAX];
    snprintf(line.schedule, sizeof line.schedule, "%s", r->schedule);
    pf_check_path(path, w->folder->absolute, PF_CHECK_CLIP, line.step);
    pf_status s = pf_clip_move(r->clip, path, l->e);
    if (s == PF_OK)
        s = pf_check_journal_add(w->folder, &line, l->e);
    if (s == PF_OK)
        pf_chain_add_recording(&w->chain, &line);
    return s;
}

/* Takes the result of a batch or a systematic search. *ran: it has run at least one schedule. */
static pf_status take_batch(struct check_loop *l, struct pf_check_line *line, bool *ran)
{
    struct pf_check_work *w = l->w;
    struct pf_check_batch b;
    char path[PATH_MAX];
    pf_check_path(path, w->folder->absolute, PF_CHECK_RAW, line->step);
    bool stopped = strcmp(line->how, "ended") != 0, explores = line->kind == PF_CHECK_EXPLORE;
    uint64_t known = pf_chain_explored(&w->chain, line->test);
    pf_status s = explores ? pf_check_batch_read_explored(&b, &w->failures, known, path, l->e)
                           : pf_check_batch_read(&b, &w->failures, path, stopped, l->e);
    if (s == PF_OK && explores && b.schedules) {
        char found[PATH_MAX];
        pf_check_path(found, w->folder->absolute, PF_CHECK_EXPLORATION, line->step);
        s = pf_check_exploration_move(path, found, l->e);
    }
    unlink(path);
    for (size_t i = 0; s == PF_OK && i < b.kept.len; i++)
        if (b.kept.at[i].chosen)
            s = add_recording(l, line, &b.kept.at[i]);
    line->schedules = b.schedules;
    line->behaviours = b.behaviours;
    line->failures = b.failures;
    line->length = b.events;
    line->left = b.left;
    w->schedules += b.schedules;
    w->behaviours += explores ? 0 : b.behaviours;
    line->refused = b.schedules && b.schedules == b.refused;
    *ran = b.schedules > 0;
    pf_check_batch_release(&b);
    pf_check_path(path, w->folder->absolute, PF_CHECK_OUTPUT, line->step);
    pf_folder_remove(path);
    pf_check_path(path, w->folder->absolute, PF_CHECK_CLIP, line->step);
    unlink(path);
    return s;
}

/* The error in the report of a process of the step; "": none. The report is removed. */
static void take_error(const struct check_loop *l, const struct pf_check_line *line,
                       const char *format, char *to, size_t room)
{
    char path[PATH_MAX];
    struct pf_run_report report;
    struct pf_error ignored;
    pf_check_path(path, l->w->folder->absolute, format, line->step);
    if (pf_run_report_read(&report, path, &ignored) == PF_OK && report.status == 2) {
        const char *folder = l->w->folder->absolute;
        size_t n = strlen(folder);
        bool inside = !strncmp(report.error, folder, n) && report.error[n] == '/';
        snprintf(to, room, "%.*s", (int)room - 1, report.error + (inside ? n + 1 : 0));
    }
    unlink(path);
}

/* Describes a problem of the step for the user. */
static void set_trouble(struct check_loop *l, struct pf_check_line *line,
                        const struct pf_supervisor_result *k, bool clip)
{
    char verb[sizeof line->trouble] = "", driver[sizeof line->trouble] = "";
    take_error(l, line, PF_CHECK_REPORT, verb, sizeof verb);
    take_error(l, line, PF_CHECK_DRIVER, driver, sizeof driver);
    if (k->how == PF_SUPERVISED_UNSTARTED)
        snprintf(line->trouble, sizeof line->trouble, "could not be started: %.150s", k->why);
    else if (k->how == PF_SUPERVISED_ENDED)
        snprintf(line->trouble, sizeof line->trouble, "%s",
                 !clip && *verb                 ? verb
                 : line->kind == PF_CHECK_HATCH ? "" /* each try has a client of its own */
                                                : driver);
}

static const char *how_ended(const struct check_loop *l, const struct pf_check_step *s,
                             const struct pf_supervisor_result *k, bool own_limit)
{
    bool out_of_time = l->w->out_of_time && !l->w->signal;
    switch (k->how) {
    case PF_SUPERVISED_UNSTARTED:
        return "unstarted";
    case PF_SUPERVISED_STOPPED:
        return out_of_time ? PF_CHECK_BUDGET : PF_CHECK_STOPPED;
    case PF_SUPERVISED_LIMIT:
        return s->by_budget ? PF_CHECK_BUDGET : "limit";
    default:
        return own_limit ? PF_CHECK_BUDGET : "ended";
    }
}

static void describe(struct check_loop *l, struct pf_check_step *s,
                     const struct pf_supervisor_result *k, bool own_limit)
{
    struct pf_check_line *line = &s->line;
    uint64_t *took = &l->took_ms[line->test][line->kind];
    snprintf(line->how, sizeof line->how, "%s", how_ended(l, s, k, own_limit));
    line->wait = k->wait;
    line->wall_ms = k->wall_ns / 1000000;
    if (k->how == PF_SUPERVISED_ENDED && line->wall_ms + 1 > *took)
        *took = line->wall_ms + 1;
}

/* If a HATCH used up its time before it had read the trace, a LOOK of this test takes at least as
 * long as that HATCH. Call this after the document of the HATCH was read. */
static void note_slow_trace(struct check_loop *l, const struct pf_check_line *line, bool own_limit)
{
    uint64_t *look = &l->took_ms[line->test][PF_CHECK_LOOK];
    if (line->kind == PF_CHECK_HATCH && own_limit && !line->events && line->wall_ms > *look)
        *look = line->wall_ms;
}

/* The first step whose recording may still be needed: the lowest number of this step, the running
 * steps, and the steps whose recordings are still to be searched. */
static uint64_t first_in_use(const struct check_loop *l, uint64_t step)
{
    step = pf_chain_first_recording(&l->w->chain, step);
    for (size_t i = 0; i < l->pool.n; i++)
        if (l->pool.at[i].busy && l->steps[i].line.step < step)
            step = l->steps[i].line.step;
    return step;
}

/* A step that was cut off gets a line only if it has a result, so that reports contain that result.
 * --continue repeats the step in any case (pf_chain_restore). */
static bool has_partial_result(const struct check_loop *l, const struct pf_check_line *line)
{
    char path[PATH_MAX];
    pf_check_path(path, l->w->folder->absolute, PF_CHECK_FOUND, line->step);
    return line->kind == PF_CHECK_EXPLORE ? line->schedules
                                          : pf_check_has_document(line) && access(path, R_OK) == 0;
}

static void collect(struct check_loop *l, size_t slot)
{
    struct pf_check_work *w = l->w;
    struct pf_check_line *line = &l->steps[slot].line;
    static struct pf_supervisor_result result;
    bool whole = pf_process_pool_collect(&l->pool, slot, &result), news = false;
    pf_check_step_release(&l->steps[slot]);
    if (!whole)
        result = (struct pf_supervisor_result){.how = PF_SUPERVISED_STOPPED};
    bool own_limit = take_report(l, line);
    describe(l, &l->steps[slot], &result, own_limit);
    bool records = line->kind == PF_CHECK_RECORD || line->kind == PF_CHECK_DIRECT;
    bool clip = records && has_clip(l, line);
    if (clip)
        note_created(l, line);
    set_trouble(l, line, &result, clip);
    if (own_limit)
        line->trouble[0] = 0; /* the end of the budget is reported once */
    pf_status st = l->status;
    if (st == PF_OK && (line->kind == PF_CHECK_BATCH || line->kind == PF_CHECK_EXPLORE))
        st = take_batch(l, line, &clip);
    if (st == PF_OK)
        st = pf_check_found_take(&w->found, w->folder, line, &news, l->e);
    note_slow_trace(l, line, own_limit);
    if (st == PF_OK && (!pf_check_line_cut(line) || has_partial_result(l, line)))
        st = pf_check_journal_add(w->folder, line, l->e);
    if (clip)
        pf_check_add_children(w, line);
    w->schedules += records + line->candidates;
    pf_chain_ended(&w->chain, line, clip);
    if (w->chain.round != l->limited_round && w->chain.round % LIMIT_ROUNDS == 0) {
        l->limited_round = w->chain.round;
        pf_state_limit(w->folder, first_in_use(l, line->step), w->settings->keep_bytes);
    }
    if (st != PF_OK)
        fail(l, st);
    else
        pf_check_progress_ended(&l->progress, w, line, news);
}

/* --- the loop --- */

static void show(struct check_loop *l)
{
    const struct pf_check_line *what = NULL;
    for (size_t i = 0; i < l->pool.n; i++)
        if (l->pool.at[i].busy)
            what = &l->steps[i].line;
    uint64_t now = pf_now_ms();
    pf_check_progress_show(&l->progress, l->w, what, now - l->began_ms,
                           l->deadline_ms - l->began_ms, l->pool.stopping);
}

static int poll_timeout_ms(const struct check_loop *l)
{
    uint64_t now = pf_now_ms();
    if (l->pool.stopping)
        return 200;
    uint64_t left = l->deadline_ms > now ? l->deadline_ms - now + 1 : 0;
    return left > 200 ? 200 : (int)left;
}

static void run(struct check_loop *l)
{
    for (fill(l); l->pool.running; fill(l)) {
        show(l);
        int signal = pf_process_pool_wait(&l->pool, poll_timeout_ms(l));
        l->w->signal = l->w->signal ? l->w->signal : signal;
        for (size_t i = 0; i < l->pool.n; i++)
            if (l->pool.at[i].ready)
                collect(l, i);
        if (!l->pool.stopping && pf_now_ms() >= l->deadline_ms) {
            l->w->out_of_time = true;
            pf_process_pool_stop(&l->pool);
        }
    }
    pf_check_progress_clear(&l->progress);
}

static pf_status allocate(struct check_loop *l)
{
    ssize_t n = readlink("/proc/self/exe", l->pf, sizeof l->pf - 1);
    if (n <= 0)
        return pf_fail(l->e, PF_IO, "/proc/self/exe: %s", strerror(errno));
    l->steps = pf_mem_zero(l->pool.n, sizeof *l->steps);
    l->took_ms = pf_mem_zero(l->w->settings->tests.n, sizeof *l->took_ms);
    return PF_OK;
}

pf_status pf_check_loop(struct pf_check_work *w, struct pf_error *e)
{
    struct check_loop l = {.w = w, .e = e};
    l.status = pf_process_pool_init(&l.pool, w->settings->njobs, e);
    if (l.status == PF_OK)
        l.status = allocate(&l);
    if (l.status == PF_OK) {
        l.began_ms = pf_now_ms();
        l.deadline_ms = l.began_ms + w->settings->time_ms;
        pf_check_progress_init(&l.progress, w->settings->quiet);
        run(&l);
    }
    free(l.steps);
    free(l.took_ms);
    pf_process_pool_release(&l.pool);
    return l.status;
}
