/* try_all.c - see try_all.h. */
#define _GNU_SOURCE
#include "try_all.h"
#include "allocation.h"
#include "duration.h"
#include "file.h"
#include "load_trace.h"
#include "message.h"
#include "process_pool.h"
#include "recorded_stdin.h"
#include "search_stop.h"
#include "self_run.h"
#include "serial_orders.h"
#include "try_shared.h"
#include "vector.h"
#include "verify_clip.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERB "hatch"
#define POLL_MS 20
#define LIMIT_MS 60000 /* for one try; a shared run may be without progress for twice as long */

static bool is_out_of_time(const struct pf_try_all *r)
{
    return pf_interrupted() || (r->limit_ms && pf_now_ms() - r->began >= r->limit_ms);
}

/* The time that is still needed for replays: of the clips that are not verified yet, of the
 * candidates that the current shared run has started, and of one more. */
static uint64_t reserved_ms(const struct pf_try_all *r)
{
    size_t clips = r->started + 1;
    for (size_t i = 0; r->results && i < r->n; i++)
        clips += pf_try_happened(&r->results[i]) && !r->results[i].verified;
    return r->replay_ms * clips / r->jobs;
}

bool pf_try_all_stopped(const struct pf_try_all *r)
{
    return is_out_of_time(r) ||
           (r->limit_ms && pf_now_ms() - r->began + reserved_ms(r) >= r->limit_ms);
}

static bool is_stopped(void *arg) { return pf_try_all_stopped(arg); }

static void progress(const struct pf_try_all *r, size_t done)
{
    if (!isatty(STDERR_FILENO))
        return;
    size_t real = 0, width = 30, filled = r->n ? done * width / r->n : width;
    for (size_t i = 0; i < r->n; i++)
        real += pf_try_happened(r->items[i].result);
    fprintf(stderr, "\r\033[Kpf hatch: [%.*s%*s] %zu of %zu tried, %zu real", (int)filled,
            "##############################", (int)(width - filled), "", done, r->n, real);
}

/* A command that runs `function` in a process of its own. If standard input is a file, the program
 * reads it from its beginning; otherwise it reads what the recording read. */
static struct pf_command command_for(const struct pf_try_all *r, int (*function)(const void *),
                                     const void *arg)
{
    return (struct pf_command){.path = VERB,
                               .function = function,
                               .arg = arg,
                               .input = *r->input_path ? r->input_path : NULL,
                               .keep = r->input > 0 ? r->input : 0,
                               .output = PF_OUTPUT_NULL,
                               .kill_at_ms = r->limit_ms ? r->began + r->limit_ms : 0,
                               .forwards = true};
}

/* --- together --- */

/* A run in which many candidates are tried. */
struct shared_run {
    struct pf_try_all *r;
    struct pf_try_shared_item all[PF_CONTINUATIONS];
    uint32_t n;
    const char *folder;
    size_t before, started; /* candidates tried in earlier runs; started in this one */
    uint64_t news; /* when the last one was started */
};

static size_t count_started(const struct shared_run *u)
{
    char piece[PATH_MAX];
    size_t n = 0;
    for (size_t i = 0; i < u->n; i++) {
        snprintf(piece, sizeof piece, "%s/%zu", u->folder, i);
        n += access(piece, F_OK) == 0;
    }
    return n;
}

/* True if the shared run must end; the candidates that it has tried are then evaluated. */
static bool shared_should_stop(void *arg)
{
    struct shared_run *u = arg;
    size_t n = count_started(u);
    if (n != u->started)
        u->news = pf_now_ms();
    u->started = u->r->started = n;
    progress(u->r, u->before + (n ? n - 1 : 0));
    return pf_try_all_stopped(u->r) || pf_now_ms() - u->news > 2 * LIMIT_MS;
}

static int shared_function(const void *arg)
{
    const struct shared_run *u = arg;
    pf_try_shared(u->r->t, u->r->recording, u->all, u->n, u->folder, u->r->jobs);
    return 0;
}

static void try_shared_runs(struct pf_try_all *r)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/trunk.%d", r->folder, (int)getpid());
    if (mkdir(folder, 0777))
        return;
    for (size_t at = 0; at < r->n && !pf_try_all_stopped(r); at += PF_CONTINUATIONS) {
        struct shared_run u = {.r = r, .folder = folder, .before = at, .news = pf_now_ms()};
        struct pf_command command = command_for(r, shared_function, &u);
        struct pf_supervisor_result result;
        struct pf_error ignored; /* candidates without a result are then tried alone */
        u.n = (uint32_t)(r->n - at < PF_CONTINUATIONS ? r->n - at : PF_CONTINUATIONS);
        for (uint32_t i = 0; i < u.n; i++)
            u.all[i] = (struct pf_try_shared_item){r->items[at + i].h, r->items[at + i].clip,
                                                   r->items[at + i].result};
        command.grace_ms = LIMIT_MS;
        (void)!pf_supervisor_run(&command, shared_should_stop, &u, &result, &ignored);
        r->started = 0; /* the results are known now */
    }
    pf_folder_remove(folder); /* a run that was stopped leaves its files */
}

/* --- one by one --- */

struct try_phase;

/* One process in a slot of the pool: it works on one phase of a candidate (see below). */
struct try_slot {
    const struct pf_try_all *r;
    const struct try_phase *phase;
    struct pf_try_item *item;
    bool stopped; /* it was asked to end */
    struct pf_verify_clip verify;
};

/* A phase of the work on a candidate: the try; if it happened, the replay of its clip; then, if
 * needed, the search for the cause of a failure and the comparison with the serial orders. */
struct try_phase {
    bool (*due)(const struct pf_try_item *it);
    bool (*stopped)(const struct pf_try_all *r);
    void (*skip)(struct pf_try_item *it, const char *why);
    pf_status (*begin)(struct try_slot *s, struct pf_command *c, struct pf_error *e);
    void (*end)(struct try_slot *s, const struct pf_supervisor_result *result);
};

/* Starts the phase for the next candidate that is due, from *next on. */
static bool start_next(const struct try_phase *p, struct pf_process_pool *pool,
                       struct try_slot *slot, size_t number, size_t *next)
{
    for (; *next < slot->r->n; ++*next) {
        struct pf_try_item *it = &slot->r->items[*next];
        struct pf_command command;
        struct pf_error e;
        if (!p->due(it))
            continue;
        if (p->stopped(slot->r)) {
            p->skip(it, "the time was up");
            continue;
        }
        slot->item = it;
        slot->phase = p;
        pf_status s = p->begin(slot, &command, &e);
        if (s == PF_OK)
            s = pf_process_pool_start(pool, number, &command, &e);
        if (s == PF_OK)
            return true;
        pf_verify_clip_release(&slot->verify);
        p->skip(it, e.text);
    }
    return false;
}

/* --- tries --- */

static int try_function(const void *arg)
{
    const struct try_slot *s = arg;
    pf_try_one(s->r->t, s->r->recording, s->item->h, s->item->clip, s->item->result);
    return 0;
}

static bool is_undecided(const struct pf_try_item *it) { return !it->result->tried && !it->tried; }

static void set_undecided(struct pf_try_item *it, const char *why)
{
    it->tried = true;
    it->result->verdict = PF_TRY_UNKNOWN;
    snprintf(it->result->why, sizeof it->result->why, "it was not tried: %s", why);
}

static pf_status begin_try(struct try_slot *s, struct pf_command *c, struct pf_error *e)
{
    (void)e;
    s->item->tried = true;
    *c = command_for(s->r, try_function, s);
    c->limit_ms = LIMIT_MS;
    c->grace_ms = PF_GRACE_DIRECTED_MS;
    return PF_OK;
}

static void end_try(struct try_slot *s, const struct pf_supervisor_result *result)
{
    const char *why = result->how == PF_SUPERVISED_STOPPED     ? "the time was up before it ended"
                      : result->how == PF_SUPERVISED_LIMIT     ? "no end within 60 s"
                      : result->how == PF_SUPERVISED_UNSTARTED ? result->why
                                                               : NULL;
    struct pf_try_result *out = s->item->result;
    s->item->decided = true;
    if (!why)
        return;
    out->verdict = PF_TRY_UNKNOWN;
    snprintf(out->why, sizeof out->why, "%s", why);
}

static const struct try_phase try_phase = {is_undecided, pf_try_all_stopped, set_undecided,
                                           begin_try, end_try};

/* --- the clips are replayed from scratch --- */

static bool is_unverified(const struct pf_try_item *it)
{
    return pf_try_happened(it->result) && it->decided && !it->replayed;
}

static void set_unverified(struct pf_try_item *it, const char *why)
{
    it->replayed = true;
    snprintf(it->result->unverified, sizeof it->result->unverified,
             "its clip was not replayed: %.160s", why);
}

static pf_status begin_replay(struct try_slot *s, struct pf_command *c, struct pf_error *e)
{
    pf_status status = pf_verify_clip_init(&s->verify, s->item->clip, e);
    s->item->replayed = true;
    *c = s->verify.command;
    return status;
}

static void end_replay(struct try_slot *s, const struct pf_supervisor_result *result)
{
    struct pf_try_result *out = s->item->result;
    out->verified =
        pf_verify_clip_shown(&s->verify, result, out->unverified, sizeof out->unverified);
    pf_verify_clip_release(&s->verify);
}

static const struct try_phase replay_phase = {is_unverified, is_out_of_time, set_unverified,
                                              begin_replay, end_replay};

/* --- interleavings of inferred regions are compared with the serial orders --- */

static int compare_function(const void *arg)
{
    const struct try_slot *s = arg;
    pf_serial_orders_compare(s->r->t, s->r->recording, s->item->h, s->item->clip, s->item->result);
    return 0;
}

static bool is_uncompared(const struct pf_try_item *it)
{
    return !it->compared && pf_serial_orders_needed(it->h, it->result);
}

static void set_uncompared(struct pf_try_item *it, const char *why)
{
    it->compared = true;
    snprintf(it->result->doubt, sizeof it->result->doubt,
             "it was not compared with the serial orders: %.100s", why);
}

static pf_status begin_comparison(struct try_slot *s, struct pf_command *c, struct pf_error *e)
{
    (void)e;
    s->item->compared = true;
    *c = command_for(s->r, compare_function, s);
    c->limit_ms = LIMIT_MS;
    c->grace_ms = PF_GRACE_DIRECTED_MS;
    return PF_OK;
}

static void end_comparison(struct try_slot *s, const struct pf_supervisor_result *result)
{
    if (!s->item->result->compared)
        set_uncompared(s->item, result->how == PF_SUPERVISED_LIMIT ? "no end within 60 s"
                                                                   : "the time was up");
}

static const struct try_phase compare_phase = {is_uncompared, pf_try_all_stopped, set_uncompared,
                                               begin_comparison, end_comparison};

/* --- does a failure belong to the candidate? --- */

static int cause_function(const void *arg)
{
    const struct try_slot *s = arg;
    const struct pf_try_schedule *h = s->item->h;
    struct pf_try_result *out = s->item->result;
    struct pf_clip clip;
    struct pf_trace now;
    struct pf_error e;
    char folder[PATH_MAX];
    uint32_t event[PF_PATTERN_MAX];
    struct pf_harm_question q = {.t = &now,
                                 .clip = &clip,
                                 .folder = folder,
                                 .memory = out->is_memory ? out->memory : NULL,
                                 .limit_ms = LIMIT_MS};
    snprintf(folder, sizeof folder, "%s.orders", s->item->clip);
    if (pf_clip_open(&clip, s->item->clip, &e) != PF_OK) {
        snprintf(out->unrelated, sizeof out->unrelated, "%.150s", e.text);
        return 0;
    }
    pf_trace_init(&now);
    now.recorded.replay_limit_ms = LIMIT_MS;
    bool known = pf_load_trace(VERB, s->item->clip, &now, &e) == PF_OK;
    for (uint32_t i = 0; known && i < h->n; i++) {
        event[i] = pf_try_same_event(s->r->t, h->event[i], &now);
        known = event[i] != PF_NONE;
    }
    if (!known)
        snprintf(out->unrelated, sizeof out->unrelated, "its clip could not be examined");
    for (uint32_t i = 0;
         known && out->cause != PF_HARM_OWN && pf_harm_accesses(&now, event, h->n, i, &q.a, &q.b);
         i++)
        out->cause = pf_harm_cause(&q, out->unrelated, sizeof out->unrelated);
    pf_trace_release(&now);
    pf_clip_release(&clip);
    return 0;
}

static bool is_cause_unknown(const struct pf_try_item *it)
{
    return !it->examined && !it->h->stuck && it->result->verdict == PF_TRY_ERROR &&
           it->result->verified;
}

static void set_cause_unknown(struct pf_try_item *it, const char *why)
{
    it->examined = true;
    snprintf(it->result->unrelated, sizeof it->result->unrelated, "%.150s", why);
}

static pf_status begin_cause(struct try_slot *s, struct pf_command *c, struct pf_error *e)
{
    (void)e;
    s->item->examined = true;
    *c = command_for(s->r, cause_function, s);
    c->limit_ms = LIMIT_MS;
    c->grace_ms = PF_GRACE_DIRECTED_MS;
    return PF_OK;
}

static void end_cause(struct try_slot *s, const struct pf_supervisor_result *result)
{
    if (s->item->result->cause == PF_HARM_UNKNOWN && !*s->item->result->unrelated)
        set_cause_unknown(s->item, result->how == PF_SUPERVISED_LIMIT ? "no end within 60 s"
                                                                      : "the time was up");
}

static const struct try_phase cause_phase = {is_cause_unknown, pf_try_all_stopped,
                                             set_cause_unknown, begin_cause, end_cause};

/* Starts a process of a phase: while comparing, the search for causes comes before the comparison.
 * Otherwise replays come first, so that an interrupt leaves few clips that were not replayed. */
static void start_any(struct pf_process_pool *pool, struct try_slot *slot, size_t number,
                      size_t *next)
{
    size_t first = 0;
    if (slot->r->comparing && start_next(&cause_phase, pool, slot, number, &first))
        return;
    if (slot->r->comparing)
        start_next(&compare_phase, pool, slot, number, next);
    else if (!start_next(&replay_phase, pool, slot, number, &first))
        start_next(&try_phase, pool, slot, number, next);
}

static void run_in_pool(struct pf_try_all *r, struct pf_process_pool *pool, struct try_slot *slots)
{
    for (size_t next = 0;;) {
        for (size_t i = 0; i < pool->n; i++)
            if (!pool->at[i].busy)
                start_any(pool, &slots[i], i, &next);
        progress(r, next);
        if (!pool->running)
            return;
        int signal = pf_process_pool_wait(pool, POLL_MS);
        if (signal)
            pf_interrupt_note(signal);
        for (size_t i = 0; i < pool->n; i++)
            if (pool->at[i].busy && slots[i].phase->stopped(r) && !slots[i].stopped) {
                slots[i].stopped = true;
                pf_supervisor_stop(&pool->at[i].supervisor);
            }
        for (size_t i = 0; i < pool->n; i++)
            if (pool->at[i].ready) {
                struct pf_supervisor_result result;
                if (!pf_process_pool_collect(pool, i, &result))
                    result = (struct pf_supervisor_result){.how = PF_SUPERVISED_STOPPED};
                slots[i].phase->end(&slots[i], &result);
                slots[i].stopped = false;
            }
    }
}

/* Tries the candidates that are not decided, and replays the clips of those that happened. With
 * r->comparing, instead finds the causes of their failures, and compares them with the serial
 * orders. */
static pf_status run_phases(struct pf_try_all *r, struct pf_error *e)
{
    struct pf_process_pool pool;
    size_t n = r->jobs < r->n ? r->jobs : r->n;
    struct try_slot *slots = pf_mem_zero(n, sizeof *slots);
    pf_status s = pf_process_pool_init(&pool, n, e);
    for (size_t i = 0; i < n; i++)
        slots[i].r = r;
    for (size_t i = 0; i < r->n && !r->comparing; i++)
        r->items[i].decided = r->items[i].result->tried;
    if (s == PF_OK)
        run_in_pool(r, &pool, slots);
    pf_process_pool_release(&pool);
    free(slots);
    return s;
}

/* --- harm that does not end the program --- */

/* Finds the first memory error that the recording has by itself: no candidate is its cause. */
static void check_recording(const struct pf_try_all *r, struct pf_try_result *out)
{
    char *argv[] = {"replay", "--quiet", "--watch", r->recording->path, NULL};
    struct pf_self_run replay = {
        .argv = argv, .limit_ms = LIMIT_MS, .should_stop = is_stopped, .arg = (void *)r};
    struct pf_run_report report;
    struct pf_error ignored;
    if (pf_self_run(&replay, &report, &ignored) == PF_OK && report.memory_errors)
        snprintf(out->memory, sizeof out->memory, "%s", report.memory_error);
}

static void find_harm(struct pf_try_all *r)
{
    struct pf_try_result *before = &r->results[r->n];
    for (size_t i = 0, checked = 0; i < r->n; i++) {
        struct pf_try_result *it = r->items[i].result;
        if (it->verdict != PF_TRY_REAL || !*it->memory)
            continue;
        if (!checked++)
            check_recording(r, before);
        if (!strcmp(it->memory, before->memory))
            continue;
        it->verdict = PF_TRY_ERROR;
        it->is_memory = true;
        snprintf(it->why, sizeof it->why, "memory error: %s", it->memory);
    }
}

/* Adds the text of a failed assertion, which the program has printed. */
static void add_assertion(const char *file, struct pf_try_result *out)
{
    static const char word[] = "Assertion `";
    struct pf_clip clip;
    struct pf_error e;
    unsigned char *bytes = NULL;
    size_t n = 0;
    if (pf_clip_open(&clip, file, &e) != PF_OK)
        return;
    if (WIFSIGNALED(clip.end.wait) && WTERMSIG(clip.end.wait) == SIGABRT &&
        pf_clip_stream(&clip, PF_STREAM_OUTPUT, &bytes, &n, &e) == PF_OK && n) {
        unsigned char *at = memmem(bytes, n, word, sizeof word - 1), *end = at;
        while (at && at > bytes && at[-1] >= ' ') /* the line; other bytes before it are not text */
            at--;
        while (end && end < bytes + n && *end >= ' ')
            end++;
        size_t used = strlen(out->why);
        if (at)
            snprintf(out->why + used, sizeof out->why - used, ": %.*s", (int)(end - at), at);
    }
    free(bytes);
    pf_clip_release(&clip);
}

/* --- all --- */

/* The standard input of the tries; each opens it again, for an offset of its own. */
static void choose_input(struct pf_try_all *r)
{
    struct stat st;
    bool file = !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode);
    r->input = file ? STDIN_FILENO : pf_recorded_stdin_open(r->recording);
    *r->input_path = 0;
    if (r->input >= 0)
        snprintf(r->input_path, sizeof r->input_path, "/proc/self/fd/%d", r->input);
}

pf_status pf_try_all(struct pf_try_all *r, struct pf_error *e)
{
    r->began = r->began ? r->began : pf_now_ms();
    r->results = mmap(NULL, (r->n + 1) * sizeof *r->results, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->results == MAP_FAILED)
        pf_out_of_memory((r->n + 1) * sizeof *r->results);
    for (size_t i = 0; i < r->n; i++)
        r->items[i].result = &r->results[i];
    choose_input(r);
    /* continuations of a forked child would share its pipes to its parent */
    if (r->n > 1 && !r->one_by_one && !r->recording->meta.process)
        try_shared_runs(r);
    pf_status s = run_phases(r, e);
    for (size_t i = 0; i < r->n && !r->skip_harm; i++)
        if (r->items[i].result->verdict == PF_TRY_ERROR)
            add_assertion(r->items[i].clip, r->items[i].result);
    if (!r->skip_harm)
        find_harm(r);
    for (size_t i = 0; i < r->n; i++)
        r->items[i].examined = r->skip_harm;
    r->comparing = true; /* now it is known which of them failed */
    if (s == PF_OK)
        s = run_phases(r, e);
    r->comparing = false;
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (r->input > 0)
        close(r->input);
    return s;
}

void pf_try_all_release(struct pf_try_all *r)
{
    if (r->results && r->results != MAP_FAILED)
        munmap(r->results, (r->n + 1) * sizeof *r->results);
    r->results = NULL;
}
