/* explore.c - see explore.h. */
#define _GNU_SOURCE
#include "explore.h"
#include "analysis.h"
#include "block_address.h"
#include "call_name.h"
#include "duration.h"
#include "exec_builder.h"
#include "recording_trace.h"
#include "resident_host.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* The policy of long runs after the planned beginning. Short runs have a random policy:
 * failures that need no particular order are found earlier with it. In long runs it would switch
 * threads too often, which takes time. Every policy is correct. */
#define POLICY "rr"
#define SHORT 2000 /* if the first run has fewer events, all runs count as short */
#define FIRST 1             /* events of the main thread before the first checkpoint */
#define START_LIMIT_MS 60000 /* most time until the checkpoint */
#define RUN_LIMIT_MS 5000   /* most time for one run */
#define EVENTS_MAX 200000   /* most events of one run */
#define WINDOW_MAX 16       /* no further target is taken when the group has this many runs */
#define WINDOW_GROWS 8      /* schedules after which groups get room for one more run */
#define ADDRESS_RUNS 8      /* runs at the end that look for other addresses of memory */
/* most failures, and most runs with new races, that are listed and get a clip */
#define CLIPS_MAX 64

struct explorer {
    const struct pf_explore_settings *settings;
    struct pf_exploration *out;
    struct pf_resident_host *host;
    struct pf_search search;
    struct pf_answer_file answers;
    const struct pf_clip_meta *meta;
    struct pf_block_addresses addresses;
    uint32_t address_runs;
    struct pf_pair_set races; /* hashes of the source positions of races that were seen */
    uint64_t saved; /* the last run of which a clip was written */
    uint64_t began;
    uint64_t taken; /* beginnings that were taken from the search */
    bool is_short; /* the first run had fewer than SHORT events */
    uint32_t job; /* the resident process of the run that is being examined */
    PF_VEC(struct pf_beginning) window; /* the next runs, as a group */
    size_t first; /* the first of them that is not finished */
    pf_vec_steps prefix; /* the plan up to the best checkpoint */
    bool moved; /* the host uses this checkpoint */
    bool refused; /* a run from it was refused, so the first checkpoint is used again */
    bool too_late; /* a run has shown that this checkpoint is too late for some executions */
};

/* --- what is left open --- */

static void check_end(struct explorer *x, const struct pf_resident_end *end,
                      const struct pf_execution *run)
{
    char where[40];
    for (uint32_t i = 0; i < end->nlive; i++) {
        bool waits = end->live[i] & PF_LIVE_WAITS;
        pf_call_name(where, sizeof where, end->live[i] & ~PF_LIVE_WAITS);
        pf_exploration_add_unexplored(x->out,
                                      waits ? "a wait for the outside world"
                                            : "an answer from outside that was not recorded",
                                      where);
    }
    for (uint32_t i = 0; i < end->nunexplored; i++)
        pf_exploration_add_unexplored(x->out, "a call of a library function that is not explored",
                                      end->unexplored[i]);
    for (size_t i = 0; i < run->unexplored.len; i++)
        pf_exploration_add_unexplored(x->out, run->unexplored.at[i].reason,
                                      run->unexplored.at[i].where);
    if (end->children || end->executed)
        pf_exploration_add_unexplored(x->out, "a child process", "");
    if (end->killed)
        pf_exploration_add_unexplored(x->out, "a run that did not end within its time limit", "");
}

/* --- failures --- */

/* Writes a clip of the last run. Returns its path, malloced; NULL: not possible, or not wanted. */
static char *save_clip(struct explorer *x)
{
    struct pf_error e;
    if (!x->settings->folder)
        return NULL;
    char *path = pf_mem_format("%s/%" PRIu64 ".clip", x->settings->folder, x->out->schedules);
    if (x->saved == x->out->schedules ||
        pf_resident_host_save(x->host, x->job, path, &e) == PF_OK) {
        x->saved = x->out->schedules;
        return path;
    }
    free(path);
    return NULL;
}

/* True if the program ended by exit or abort after a wait had ended before its time limit. */
static bool gave_up(const struct pf_clip *clip, const struct pf_resident_end *end)
{
    int wait = clip->end.wait;
    return end->limit_passed_early && clip->end.outcome == PF_OUTCOME_NONE &&
           (WIFEXITED(wait) || (WIFSIGNALED(wait) && WTERMSIG(wait) == SIGABRT));
}

static void take_failure(struct explorer *x, const struct pf_clip *clip,
                         const struct pf_resident_end *end, const struct pf_execution *run)
{
    struct pf_exploration *out = x->out;
    char what[256];
    pf_exploration_describe(clip, what, sizeof what);
    if (!*what)
        return;
    uint32_t last = pf_execution_last(run);
    uint64_t signature = pf_exec_mix(clip->end.outcome, (uint64_t)clip->end.wait);
    signature = pf_exec_mix(signature, last == PF_NONE ? 0 : run->nodes.at[last].site);
    signature = pf_exec_mix(signature, gave_up(clip, end));
    for (size_t i = 0; i < out->failures.len; i++)
        if (out->failures.at[i].signature == signature) {
            out->failures.at[i].count++;
            return;
        }
    if (out->failures.len == CLIPS_MAX) {
        out->failures_unkept++;
        return;
    }
    struct pf_explore_failure f = {.signature = signature,
                                   .schedule = out->schedules,
                                   .count = 1,
                                   .what = pf_mem_copy(what),
                                   .gave_up = gave_up(clip, end),
                                   .early_limit = end->limit_passed_early,
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
    if (x->out->races.len == CLIPS_MAX)
        x->out->races_unkept += r.count;
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

/* True if one of the last operations of the beginning turned out to be one of a loop that waits. */
static bool ends_in_spin(const struct pf_execution *run, const struct pf_beginning *b)
{
    for (size_t i = 0; i < run->spins.len; i++)
        for (size_t k = 0; k < b->frontier.len; k++)
            if (run->spins.at[i] == b->frontier.at[k])
                return true;
    return false;
}

/* A run that did not follow its plan. A thread that the end of the process had cut off may still
 * have to wait, for example for a mutex after its wait for a condition variable. So a run that was
 * to let such a thread continue leaves nothing open. */
static void take_divergence(struct explorer *x, const struct pf_clip *clip,
                            const struct pf_beginning *b)
{
    if (b && b->resumes)
        return;
    /* perhaps because of something that the program opened before the checkpoint */
    if (x->moved && !x->refused && clip->end.divergence.not_private) {
        pf_vec_clear(&x->prefix);
        pf_vec_push(&x->prefix, (struct pf_schedule_plan_step){.thread = 0, .until = FIRST});
        x->refused = x->too_late = true;
        return;
    }
    const struct pf_divergence *d = &clip->end.divergence;
    char where[240];
    snprintf(where, sizeof where, "%s%s%s", d->what, d->not_private ? ": " : "",
             d->not_private ? d->got_word : "");
    pf_exploration_add_unexplored(x->out, "a run that did not follow its plan", where);
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
    /* A crash ends the run where it happens. */
    bool crashed = WIFSIGNALED(clip->end.wait) && !end->killed;
    x->is_short = b ? x->is_short : t.events.len < SHORT;
    struct pf_execution *run =
        pf_execution_new(&t, &(struct pf_exec_report){.blocked = end->blocked,
                                                      .nblocked = end->nblocked,
                                                      .states = end->states,
                                                      .nstates = end->nstates,
                                                      .crashed = crashed,
                                                      .complete = complete});
    /* True if the planned beginning ends in an iteration that was left out of the graph. */
    bool spins_at_end = b && ends_in_spin(run, b);
    for (size_t i = 0; i < run->spins.len; i++)
        pf_hash_map_put(&x->search.spins, run->spins.at[i], 0);
    if (t.recorded.limited)
        pf_exploration_add_unexplored(x->out, "a run with too many events", "");
    pf_block_addresses_check(&x->addresses, run, &t, x->out);
    bool waited = b && complete && !follows(run, b) && b->object;
    if (waited) /* the take had to wait: at this level the message object is empty */
        pf_search_learn_empty(&x->search, b->object, b->level);
    else if (b && complete && !b->guess && !crashed && !spins_at_end && !follows(run, b))
        pf_exploration_add_unexplored(x->out, "a run that did not follow its plan",
                                      "other operations");
    if (pf_classes_add(&x->search.seen, run)) {
        x->out->classes++;
        x->out->weak |= end->weak;
        take_races(x, &t);
        check_end(x, end, run);
        if (!end->far_limit_passed) { /* otherwise its end says nothing about the program */
            pf_exploration_add_run(x->out, clip, end->shared_input);
            take_failure(x, clip, end, run);
        }
        pf_search_add(&x->search, run, b ? b->depth : 0);
        if (!b && !x->moved)
            pf_execution_prefix(run, &x->prefix);
        else if (x->moved && pf_execution_own_events(run) < x->search.main_events) {
            pf_execution_prefix(run, &x->prefix);
            x->too_late = true;
        }
    } else if (b && !b->resumes && !b->guess && !crashed && !spins_at_end && !waited)
        pf_exploration_add_unexplored(x->out, "a run that showed nothing new", "");
    /* other variables that the loop reads may have ended it */
    if (b && b->stuck && complete && !pf_search_has(&x->search, b))
        pf_exploration_add_unexplored(x->out, "a loop that did not wait as planned", "");
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

static void stop_host(struct explorer *x)
{
    x->out->copies += x->host ? pf_resident_host_copies(x->host) : 0;
    pf_resident_host_free(x->host);
    x->host = NULL;
}

/* Starts the program and waits until it has reached the checkpoint. */
static pf_status start_host(struct explorer *x, struct pf_error *e)
{
    const struct pf_schedule_plan_step first = {.thread = 0, .until = FIRST};
    struct pf_resident_start how = {.schedule = POLICY,
                                    .plan = x->moved ? x->prefix.at : &first,
                                    .nsteps = x->moved ? x->prefix.len : 1,
                                    .jobs = x->moved ? x->settings->jobs : 1,
                                    .limit_ms = time_left(x, START_LIMIT_MS),
                                    .should_stop = x->settings->should_stop,
                                    .allow_outside = x->settings->allow_outside,
                                    .answers = &x->answers};
    stop_host(x);
    return pf_resident_host_new(&x->host, x->meta, &how, e);
}

static pf_status begin_run(struct explorer *x, uint32_t job, const struct pf_beginning *b,
                           struct pf_error *e)
{
    x->answers.table->recording = !b;
    char policy[40] = POLICY;
    if (b && x->is_short)
        snprintf(policy, sizeof policy, "random:%" PRIu64, b->number);
    return pf_resident_host_begin(x->host, job, b ? b->plan.at : NULL, b ? b->plan.len : 0, policy,
                                  e);
}

static bool at_limit(const struct explorer *x)
{
    const struct pf_explore_settings *s = x->settings;
    return (s->time_ms && pf_now_ms() - x->began >= s->time_ms) ||
           (s->runs && x->out->schedules >= s->runs) || (s->should_stop && s->should_stop());
}

/* Waits for the run of this resident process. Drops its result if another run has already shown the
 * beginning b. *again: the program was started again, which ended all other runs. */
static pf_status end_run(struct explorer *x, uint32_t job, const struct pf_beginning *b,
                         bool *again, struct pf_error *e)
{
    const struct pf_clip *clip;
    struct pf_resident_end end;
    x->job = job;
    pf_status s = pf_resident_host_end(x->host, job, time_left(x, RUN_LIMIT_MS), &clip, &end, e);
    if (s != PF_OK)
        return s;
    if (!b || !pf_search_has(&x->search, b)) {
        x->out->schedules++;
        if (clip->end.outcome == PF_OUTCOME_DIVERGED)
            take_divergence(x, clip, b);
        else
            s = take_run(x, clip, &end, b, e);
    }
    *again = s == PF_OK && end.used_up;
    if (!*again)
        return s;
    pf_exploration_add_unexplored(x->out, "a run that changed what the runs share", "");
    s = start_host(x, e);
    return s != PF_OK && at_limit(x) ? PF_OK : s; /* there was no time left to start it */
}

static bool search_should_stop(void *x) { return at_limit(x); }

static void start_search(struct explorer *x)
{
    pf_search_release(&x->search);
    x->search = (struct pf_search){.should_stop = search_should_stop,
                                   .stop_arg = x,
                                   .main_events = x->moved ? x->prefix.at[0].until : FIRST};
}

static pf_status run_alone(struct explorer *x, struct pf_error *e)
{
    bool again;
    pf_status s = begin_run(x, 0, NULL, e);
    return s == PF_OK ? end_run(x, 0, NULL, &again, e) : s;
}

/* Forgets the runs so far, except failures and races, and makes the first run again. */
static pf_status restart(struct explorer *x, struct pf_error *e)
{
    start_search(x);
    pf_exploration_restart(x->out);
    pf_block_addresses_release(&x->addresses);
    x->addresses = (struct pf_block_addresses){0};
    pf_answer_file_clear(&x->answers);
    return run_alone(x, e);
}

/* Makes the first run, and places the checkpoint for all others. Before the checkpoint, the main
 * thread runs up to its first operation that depends on other threads or affects them (the creation
 * of threads does not count), and each thread that it has created runs up to its first event. Every
 * execution can begin so. Answers of the outside world before the checkpoint are the same in all
 * runs. The first run itself started from an earlier checkpoint. So if it got any answer from
 * outside, it is repeated. */
static pf_status run_first(struct explorer *x, struct pf_error *e)
{
    pf_status s = run_alone(x, e);
    if (s != PF_OK || at_limit(x) || !x->prefix.len || x->prefix.at[0].until <= FIRST)
        return s;
    x->moved = true;
    x->search.main_events = x->prefix.at[0].until;
    s = start_host(x, e);
    if (s != PF_OK || (!x->out->outside && !x->answers.table->used))
        return s;
    return restart(x, e);
}

/* The checkpoint is too late: a run has shown that the main thread performs an operation before it
 * that depends on other threads or affects them; or a run from it was refused (take_divergence).
 * Starts again from an earlier checkpoint. */
static pf_status go_back(struct explorer *x, struct pf_error *e)
{
    x->too_late = false;
    pf_status s = start_host(x, e);
    return s == PF_OK ? restart(x, e) : s;
}

/* --- the search --- */

/* Takes the next runs from the search. Their number does not depend on the number of jobs, so the
 * result does not depend on it either. At first a group has one run, because the first runs have
 * the most influence on the choice of the next one. Returns false if no targets are left. */
static bool fill_window(struct explorer *x)
{
    size_t want = 1 + (size_t)(x->out->schedules / WINDOW_GROWS);
    bool more = true;
    want = want < WINDOW_MAX ? want : WINDOW_MAX;
    x->first = 0;
    pf_vec_clear(&x->window);
    while (x->window.len < want && !at_limit(x) && (more = pf_search_next(&x->search))) {
        for (size_t i = 0; i < x->search.beginnings.len; i++) {
            pf_vec_push(&x->window, x->search.beginnings.at[i]);
            x->window.at[x->window.len - 1].number = ++x->taken;
        }
        pf_vec_clear(&x->search.beginnings); /* they belong to x->window now */
    }
    return more;
}

static void empty_window(struct explorer *x)
{
    for (size_t i = 0; i < x->window.len; i++)
        pf_beginning_release(&x->window.at[i]);
    pf_vec_clear(&x->window);
    x->first = 0;
}

/* Makes the runs of the group: several in parallel, but takes their results in order. */
static pf_status run_window(struct explorer *x, struct pf_error *e)
{
    uint32_t jobs = pf_resident_host_jobs(x->host), running = 0, next_job = 0, oldest = 0;
    size_t started = 0;
    bool *skipped = pf_mem_zero(x->window.len + 1, sizeof *skipped);
    pf_status s = PF_OK;
    for (; x->first < x->window.len && s == PF_OK && !x->too_late && !at_limit(x); x->first++) {
        for (; started < x->window.len && running < jobs && s == PF_OK; started++) {
            skipped[started] = pf_search_has(&x->search, &x->window.at[started]);
            if (skipped[started])
                continue;
            s = begin_run(x, next_job, &x->window.at[started], e);
            next_job = (next_job + 1) % jobs;
            running++;
        }
        if (s == PF_OK && skipped[x->first])
            pf_search_end(&x->search, &x->window.at[x->first]);
        if (s != PF_OK || skipped[x->first])
            continue;
        bool again = false;
        s = end_run(x, oldest, &x->window.at[x->first], &again, e);
        pf_search_end(&x->search, &x->window.at[x->first]);
        oldest = (oldest + 1) % jobs;
        running--;
        if (again) {
            jobs = x->host ? pf_resident_host_jobs(x->host) : 1;
            started = x->first + 1;
            running = next_job = oldest = 0;
        }
    }
    for (; running && s == PF_OK; running--, oldest = (oldest + 1) % jobs) { /* at a limit */
        const struct pf_clip *clip;
        struct pf_resident_end end;
        s = pf_resident_host_end(x->host, oldest, 1, &clip, &end, e);
    }
    free(skipped);
    return s;
}

static uint64_t targets_left(const struct explorer *x)
{
    return pf_search_left(&x->search) + x->window.len - x->first;
}

/* If several threads have allocated memory, a few runs with random schedules follow when no target
 * is left. They look for addresses that depend on the order within one class. */
static bool wants_address_run(const struct explorer *x)
{
    return x->addresses.several && !x->out->unexplored.len && x->address_runs < ADDRESS_RUNS &&
           x->address_runs <= x->out->classes / 2;
}

static pf_status look_for_addresses(struct explorer *x, struct pf_error *e)
{
    char policy[40];
    bool again;
    snprintf(policy, sizeof policy, "random:%u", ++x->address_runs);
    x->answers.table->recording = false;
    pf_status s = pf_resident_host_begin(x->host, 0, NULL, 0, policy, e);
    return s == PF_OK ? end_run(x, 0, NULL, &again, e) : s;
}

static pf_status explore_all(struct explorer *x, struct pf_error *e)
{
    start_search(x);
    pf_status s = run_first(x, e);
    bool more = true;
    while (s == PF_OK && !at_limit(x) &&
           ((more = fill_window(x)) || x->window.len || x->too_late || wants_address_run(x))) {
        bool look = !more && !x->window.len && !x->too_late;
        s = look ? look_for_addresses(x, e) : run_window(x, e);
        if (s == PF_OK && x->too_late && !at_limit(x)) {
            empty_window(x);
            s = go_back(x, e);
            continue;
        }
        if (x->settings->progress)
            x->settings->progress(x->out->schedules, x->out->classes, targets_left(x));
        if (x->first < x->window.len)
            break; /* at a limit */
        empty_window(x);
    }
    x->out->targets = targets_left(x);
    x->out->finished = s == PF_OK && !more && !x->out->targets && !wants_address_run(x);
    empty_window(x);
    pf_vec_release(&x->window);
    return s;
}

pf_status pf_explore(struct pf_exploration *out, const struct pf_clip_meta *m,
                     const struct pf_explore_settings *settings, struct pf_error *e)
{
    struct explorer x = {.settings = settings, .out = out, .meta = m, .began = pf_now_ms()};
    pf_status s = pf_answer_file_open(&x.answers, e);
    if (s != PF_OK)
        return s;
    s = start_host(&x, e);
    if (s == PF_OK)
        s = explore_all(&x, e);
    if (x.search.unknown)
        pf_exploration_add_unexplored(out, "a question that the engine could not decide", "");
    if (x.search.capped)
        pf_exploration_add_unexplored(out, "too many choices", "");
    out->assumes_addresses = x.addresses.several;
    out->ms = pf_now_ms() - x.began;
    stop_host(&x);
    pf_vec_release(&x.prefix);
    pf_answer_file_close(&x.answers);
    pf_search_release(&x.search);
    pf_pair_set_release(&x.races);
    pf_block_addresses_release(&x.addresses);
    return s;
}
