/* explore.c - see explore.h. */
#define _GNU_SOURCE
#include "explore.h"
#include "analysis.h"
#include "duration.h"
#include "exec_builder.h"
#include "recording_trace.h"
#include "resident_host.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define POLICY "rr"
#define FIRST 1             /* events of the main thread before the first checkpoint */
#define START_LIMIT_MS 60000 /* most time until the checkpoint */
#define RUN_LIMIT_MS 5000   /* most time for one run */
#define EVENTS_MAX 200000   /* most events of one run */
#define CLIPS_MAX 64        /* different failures of which clips are kept; also for races */

struct explorer {
    const struct pf_explore_settings *settings;
    struct pf_exploration *out;
    struct pf_resident_host *host;
    struct pf_search search;
    struct pf_answer_file answers;
    const struct pf_clip_meta *meta;
    struct pf_pair_set races; /* hashes of the source positions of races that were seen */
    uint64_t saved; /* the last run of which a clip was written */
    uint64_t began;
    uint64_t prefix; /* events of the main thread before the best checkpoint */
    uint64_t checkpoint; /* and before the current one */
};

/* --- what is left open --- */

/* True if some operation of the thread is not ordered before the last one of the thread that ended
 * the process: the process could have ended before it. */
static bool outlives(const struct pf_execution *run, uint32_t thread)
{
    const struct pf_exec_thread *t = run->threads.at;
    uint32_t ender = 0, n = t[thread].length;
    for (uint32_t k = 0; k + 1 < run->threads.len; k++)
        ender = t[k].ender ? k : ender;
    if (thread == ender || !t[ender].length)
        return false;
    uint32_t end = pf_rf_node_at(&run->g, ender, t[ender].length - 1);
    while (n && run->nodes.at[pf_rf_node_at(&run->g, thread, n - 1)].flags & PF_EXEC_ENDS)
        n--; /* its end has no effect of its own */
    return n && !pf_rf_before(&run->g, pf_rf_node_at(&run->g, thread, n - 1), end);
}

static void check_end(struct explorer *x, const struct pf_clip *clip,
                      const struct pf_resident_end *end, const struct pf_execution *run)
{
    bool by_signal = WIFSIGNALED(clip->end.wait);
    char where[40];
    for (uint32_t i = 0; i < end->nlive; i++) {
        bool waits = end->live[i] & PF_LIVE_WAITS;
        snprintf(where, sizeof where, "system call %u", end->live[i] & ~PF_LIVE_WAITS);
        pf_exploration_add_open(x->out,
                                waits ? "a wait for the outside world"
                                      : "an answer from outside that was not recorded",
                                where);
    }
    for (uint32_t i = 0; i < end->nunexplored; i++)
        pf_exploration_add_open(x->out, "a call of a library function that is not explored",
                                end->unexplored[i]);
    for (size_t i = 0; i < run->open.len; i++)
        pf_exploration_add_open(x->out, run->open.at[i].reason, run->open.at[i].where);
    if (end->children || end->executed)
        pf_exploration_add_open(x->out, "a child process", "");
    if (end->killed)
        pf_exploration_add_open(x->out, "a run that did not end in its time", "");
    for (uint32_t t = 0; t + 1 < run->threads.len && !by_signal; t++)
        if (clip->end.outcome == PF_OUTCOME_NONE && (run->threads.at[t].live || outlives(run, t)))
            pf_exploration_add_open(x->out, "a thread that may still run when the process ends",
                                    "");
}

/* --- failures --- */

/* Writes a clip of the last run. Returns its path, malloced; NULL: not possible, or not wanted. */
static char *save_clip(struct explorer *x)
{
    struct pf_error e;
    if (!x->settings->folder)
        return NULL;
    char *path = pf_mem_format("%s/%" PRIu64 ".clip", x->settings->folder, x->out->schedules);
    if (x->saved == x->out->schedules || pf_resident_host_save(x->host, path, &e) == PF_OK) {
        x->saved = x->out->schedules;
        return path;
    }
    free(path);
    return NULL;
}

static void take_failure(struct explorer *x, const struct pf_clip *clip,
                         const struct pf_execution *run)
{
    struct pf_exploration *out = x->out;
    char what[256];
    pf_exploration_describe(clip, what, sizeof what);
    if (!*what)
        return;
    uint32_t last = pf_execution_last(run);
    uint64_t signature = pf_exec_mix(clip->end.outcome, (uint64_t)clip->end.wait);
    signature = pf_exec_mix(signature, last == PF_NONE ? 0 : run->nodes.at[last].site);
    for (size_t i = 0; i < out->failures.len; i++)
        if (out->failures.at[i].signature == signature) {
            out->failures.at[i].count++;
            return;
        }
    if (out->failures.len == CLIPS_MAX)
        return;
    struct pf_explore_failure f = {.signature = signature,
                                   .schedule = out->schedules,
                                   .count = 1,
                                   .what = pf_mem_copy(what),
                                   .clip = save_clip(x)};
    pf_vec_push(&out->failures, f);
}

/* Notes the data races of the run that no earlier run has shown. */
static void take_races(struct explorer *x, const struct pf_trace *t)
{
    const struct pf_analysis *hb = pf_analysis_find("hb", 2);
    struct pf_result result = {0};
    struct pf_explore_race r = {.schedule = x->out->schedules};
    hb->run(t, &pf_limits_default, &result);
    for (size_t i = 0; i < result.races.len; i++)
        r.count += pf_pair_set_add(&x->races,
                                   pf_exec_site_hash(t, t->events.at[result.races.at[i].a].site),
                                   pf_exec_site_hash(t, t->events.at[result.races.at[i].b].site));
    x->out->racy |= result.races.len || result.stopped || result.dropped;
    pf_result_release(&result);
    if (!r.count || x->out->races.len == CLIPS_MAX)
        return;
    r.clip = save_clip(x);
    pf_vec_push(&x->out->races, r);
}

/* --- runs --- */

/* True if the run contains the beginning that it was planned to have. */
static bool follows(const struct pf_execution *run, const struct pf_beginning *b)
{
    for (size_t i = 0; i < b->frontier.len; i++) {
        bool found = false;
        for (size_t k = 0; k < run->nodes.len && !found; k++)
            found = run->nodes.at[k].history == b->frontier.at[i] &&
                    !(run->nodes.at[k].flags & PF_EXEC_PENDING);
        if (!found)
            return false;
    }
    return true;
}

/* True if the last operation of the beginning turned out to be one of a loop that waits. */
static bool ends_in_spin(const struct pf_execution *run, const struct pf_beginning *b)
{
    for (size_t i = 0; i < run->spins.len; i++)
        for (size_t k = 0; k < b->frontier.len; k++)
            if (run->spins.at[i] == b->frontier.at[k])
                return true;
    return false;
}

/* A run that did not follow its plan. */
static void take_divergence(struct explorer *x, const struct pf_clip *clip)
{
    pf_exploration_add_open(x->out, "a run that did not follow its plan",
                            clip->end.divergence.what);
}

static pf_status take_run(struct explorer *x, const struct pf_clip *clip,
                          const struct pf_resident_end *end, const struct pf_beginning *b,
                          struct pf_error *e)
{
    struct pf_trace t;
    pf_trace_init(&t);
    t.recorded.limit = EVENTS_MAX;
    pf_status s = pf_trace_read_clip(&t, clip, clip->path, e);
    if (s != PF_OK) {
        pf_trace_release(&t);
        return s;
    }
    bool complete = !end->killed && !t.recorded.limited;
    struct pf_execution *run =
        pf_execution_new(&t, &(struct pf_exec_report){.blocked = end->blocked,
                                                      .nblocked = end->nblocked,
                                                      .states = end->states,
                                                      .nstates = end->nstates,
                                                      .complete = complete});
    /* The run ended in an iteration that changes nothing, which is not part of the graph. */
    bool spun = b && ends_in_spin(run, b);
    for (size_t i = 0; i < run->spins.len; i++)
        pf_hash_map_put(&x->search.spins, run->spins.at[i], 0);
    if (t.recorded.limited)
        pf_exploration_add_open(x->out, "a run with too many events", "");
    /* A crash ends the run where it happens. */
    bool crashed = WIFSIGNALED(clip->end.wait) && !end->killed;
    bool waited = b && complete && !follows(run, b) && b->object;
    if (waited) /* the take had to wait: at this level the message object is empty */
        pf_search_learn_empty(&x->search, b->object, b->level);
    else if (b && complete && !b->guess && !crashed && !spun && !follows(run, b))
        pf_exploration_add_open(x->out, "a run that did not follow its plan", "other operations");
    if (pf_classes_add(&x->search.seen, run)) {
        x->out->classes++;
        x->out->weak |= end->weak;
        take_races(x, &t);
        check_end(x, clip, end, run);
        pf_exploration_add_run(x->out, clip, end->shared_input);
        take_failure(x, clip, run);
        pf_search_add(&x->search, run, b ? b->depth : 0);
        if (!b)
            x->prefix = pf_execution_prefix(run);
    } else if (b && !b->continues && !b->guess && !crashed && !spun && !waited)
        pf_exploration_add_open(x->out, "a run that showed nothing new", "");
    pf_execution_release(run);
    pf_trace_release(&t);
    return PF_OK;
}

/* The time that is left, but at least 1 ms and at most `most`. */
static uint64_t time_left(const struct explorer *x, uint64_t most)
{
    uint64_t limit = x->settings->time_ms, used = pf_now_ms() - x->began;
    uint64_t left = !limit ? most : limit > used ? limit - used : 1;
    return left < most ? left : most;
}

/* Starts the program, with the checkpoint after this many events of the main thread. */
static pf_status start_host(struct explorer *x, uint64_t events, struct pf_error *e)
{
    struct pf_resident_start how = {.schedule = POLICY,
                                    .events = events,
                                    .limit_ms = time_left(x, START_LIMIT_MS),
                                    .should_stop = x->settings->should_stop,
                                    .allow_outside = x->settings->allow_outside,
                                    .answers = &x->answers};
    x->checkpoint = events;
    return pf_resident_host_new(&x->host, x->meta, &how, e);
}

static pf_status run_one(struct explorer *x, const struct pf_beginning *b, struct pf_error *e)
{
    const struct pf_clip *clip;
    struct pf_resident_end end;
    x->answers.table->recording = !b;
    pf_status s = pf_resident_host_run(x->host, b ? b->plan.at : NULL, b ? b->plan.len : 0,
                                       time_left(x, RUN_LIMIT_MS), &clip, &end, e);
    if (s != PF_OK)
        return s;
    x->out->schedules++;
    if (clip->end.outcome == PF_OUTCOME_DIVERGED)
        take_divergence(x, clip);
    else
        s = take_run(x, clip, &end, b, e);
    if (s != PF_OK || !end.used_up)
        return s;
    pf_exploration_add_open(x->out, "a run that changed what the runs share", "");
    pf_resident_host_free(x->host);
    x->host = NULL;
    return start_host(x, x->checkpoint, e);
}

static bool at_limit(const struct explorer *x)
{
    const struct pf_explore_settings *s = x->settings;
    return (s->time_ms && pf_now_ms() - x->began >= s->time_ms) ||
           (s->runs && x->out->schedules >= s->runs) || (s->should_stop && s->should_stop());
}

static bool search_should_stop(void *x) { return at_limit(x); }

/* Moves the checkpoint behind the first operations of the main thread that neither depend on other
 * threads nor affect them, such as the creation of threads: every schedule can begin with these. */
static pf_status move_checkpoint(struct explorer *x, struct pf_error *e)
{
    pf_resident_host_free(x->host);
    x->host = NULL;
    return start_host(x, x->prefix, e);
}

static void start_search(struct explorer *x)
{
    pf_search_release(&x->search);
    x->search = (struct pf_search){.should_stop = search_should_stop, .stop_arg = x};
}

/* The first run, and the checkpoint for all others. What the outside world answers before the
 * checkpoint is the same in all runs. If the first run got such answers, it started from another
 * checkpoint, and is repeated. */
static pf_status run_first(struct explorer *x, struct pf_error *e)
{
    pf_status s = run_one(x, NULL, e);
    if (s != PF_OK || at_limit(x) || x->prefix <= FIRST)
        return s;
    s = move_checkpoint(x, e);
    if (s != PF_OK || (!x->out->outside && !x->answers.table->used))
        return s;
    start_search(x);
    pf_exploration_restart(x->out);
    pf_answer_file_clear(&x->answers);
    return run_one(x, NULL, e);
}

static pf_status explore_all(struct explorer *x, struct pf_error *e)
{
    start_search(x);
    pf_status s = run_first(x, e);
    bool stopped = at_limit(x);
    while (s == PF_OK && !stopped && pf_search_next(&x->search)) {
        for (size_t i = 0; i < x->search.beginnings.len && s == PF_OK && !stopped; i++) {
            if (i && pf_search_has(&x->search, &x->search.beginnings.at[i]))
                continue;
            s = run_one(x, &x->search.beginnings.at[i], e);
            stopped = at_limit(x);
        }
        if (x->settings->progress)
            x->settings->progress(x->out->schedules, x->out->classes, pf_search_left(&x->search));
        stopped = stopped || at_limit(x);
    }
    x->out->targets = pf_search_left(&x->search);
    x->out->finished = s == PF_OK && !stopped;
    return s;
}

pf_status pf_explore(struct pf_exploration *out, const struct pf_clip_meta *m,
                     const struct pf_explore_settings *settings, struct pf_error *e)
{
    struct explorer x = {.settings = settings, .out = out, .meta = m, .began = pf_now_ms()};
    pf_status s = pf_answer_file_open(&x.answers, e);
    if (s != PF_OK)
        return s;
    s = start_host(&x, FIRST, e);
    if (s == PF_OK)
        s = explore_all(&x, e);
    if (x.search.unknown)
        pf_exploration_add_open(out, "a question that the engine could not decide", "");
    if (x.search.capped)
        pf_exploration_add_open(out, "too many choices", "");
    out->ms = pf_now_ms() - x.began;
    pf_resident_host_free(x.host);
    pf_answer_file_close(&x.answers);
    pf_search_release(&x.search);
    pf_pair_set_release(&x.races);
    return s;
}
