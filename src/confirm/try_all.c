/* try_all.c - see try_all.h. */
#define _GNU_SOURCE
#include "try_all.h"
#include "duration.h"
#include "message.h"
#include "process_pool.h"
#include "recorded_stdin.h"
#include "search_stop.h"
#include "self_run.h"
#include "try_shared.h"
#include "vector.h"
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
#define GRACE_MS 500 /* between SIGTERM and SIGKILL */
#define LIMIT_MS 60000 /* for one try, and without progress of those that are tried together */

bool pf_try_all_stopped(const struct pf_try_all *r)
{
    return pf_interrupted() || (r->limit_ms && pf_now_ms() - r->began >= r->limit_ms);
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

/* The run then ends, and what there is is evaluated. */
static bool shared_should_stop(void *arg)
{
    struct shared_run *u = arg;
    size_t n = count_started(u);
    if (n != u->started)
        u->news = pf_now_ms();
    u->started = n;
    progress(u->r, u->before + (n ? n - 1 : 0));
    return pf_try_all_stopped(u->r) || pf_now_ms() - u->news > 2 * LIMIT_MS;
}

static int shared_function(const void *arg)
{
    const struct shared_run *u = arg;
    pf_try_shared(u->r->t, u->r->recording, u->all, u->n, u->folder, (unsigned)u->r->jobs);
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
    }
    rmdir(folder);
}

/* --- one by one --- */

/* One try in a slot of the pool. */
struct try_slot {
    const struct pf_try_all *r;
    struct pf_try_item *item;
};

static int try_function(const void *arg)
{
    const struct try_slot *s = arg;
    pf_try_one(s->r->t, s->r->recording, s->item->h, s->item->clip, s->item->result);
    return 0;
}

static void set_undecided(struct pf_try_item *it, const char *why)
{
    it->result->verdict = PF_TRY_UNKNOWN;
    snprintf(it->result->why, sizeof it->result->why, "%s", why);
}

/* Starts the next candidate that is not decided; false: none is left. */
static bool start_next(struct pf_process_pool *pool, struct try_slot *slot, size_t number,
                       struct pf_try_item **next, const struct pf_try_item *end)
{
    const struct pf_try_all *r = slot->r;
    for (; *next < end; ++*next) {
        struct pf_error e;
        if ((*next)->result->tried)
            continue;
        if (pf_try_all_stopped(r)) {
            set_undecided(*next, "stopped before it was tried");
            continue;
        }
        slot->item = (*next)++;
        struct pf_command command = command_for(r, try_function, slot);
        command.limit_ms = LIMIT_MS;
        command.grace_ms = GRACE_MS;
        if (pf_process_pool_start(pool, number, &command, &e) != PF_OK) {
            set_undecided(slot->item, e.text);
            continue;
        }
        return true;
    }
    return false;
}

static void collect_try(struct pf_process_pool *pool, struct try_slot *slot, size_t number)
{
    struct pf_supervisor_result result;
    bool whole = pf_process_pool_collect(pool, number, &result);
    if (!whole || result.how == PF_SUPERVISED_STOPPED)
        set_undecided(slot->item, "stopped before it was decided");
    else if (result.how == PF_SUPERVISED_LIMIT)
        set_undecided(slot->item, "no end within 60 s");
    else if (result.how == PF_SUPERVISED_UNSTARTED)
        set_undecided(slot->item, result.why);
}

static void try_in_pool(struct pf_try_all *r, struct pf_process_pool *pool, struct try_slot *slots)
{
    struct pf_try_item *next = r->items, *end = r->items + r->n;
    for (;;) {
        for (size_t i = 0; i < pool->n; i++)
            if (!pool->at[i].busy)
                start_next(pool, &slots[i], i, &next, end);
        progress(r, (size_t)(next - r->items) - pool->running);
        if (!pool->running)
            return;
        int signal = pf_process_pool_wait(pool, POLL_MS);
        if (signal)
            pf_interrupt_note(signal);
        if (pf_try_all_stopped(r) && !pool->stopping)
            pf_process_pool_stop(pool);
        for (size_t i = 0; i < pool->n; i++)
            if (pool->at[i].ready)
                collect_try(pool, &slots[i], i);
    }
}

static int try_one_by_one(struct pf_try_all *r)
{
    struct pf_process_pool pool;
    struct pf_error e;
    size_t n = r->jobs < r->n ? r->jobs : r->n;
    struct try_slot *slots = pf_mem_zero(n, sizeof *slots);
    pf_status s = pf_process_pool_init(&pool, n, &e);
    for (size_t i = 0; i < n; i++)
        slots[i].r = r;
    if (s == PF_OK)
        try_in_pool(r, &pool, slots);
    pf_process_pool_release(&pool);
    free(slots);
    return s == PF_OK ? PF_EXIT_OK : pf_complain(VERB, "%s", e.text);
}

/* --- harm that does not end the program --- */

/* Finds the first memory error of the recording itself, which is not caused by a finding. */
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

int pf_try_all(struct pf_try_all *r)
{
    r->began = r->began ? r->began : pf_now_ms();
    r->results = mmap(NULL, (r->n + 1) * sizeof *r->results, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->results == MAP_FAILED)
        return pf_complain(VERB, "out of memory");
    for (size_t i = 0; i < r->n; i++)
        r->items[i].result = &r->results[i];
    choose_input(r);
    if (r->n > 1 && !r->one_by_one)
        try_shared_runs(r);
    int status = try_one_by_one(r);
    for (size_t i = 0; i < r->n && !r->skip_harm; i++)
        if (r->items[i].result->verdict == PF_TRY_ERROR)
            add_assertion(r->items[i].clip, r->items[i].result);
    if (!r->skip_harm)
        find_harm(r);
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (r->input > 0)
        close(r->input);
    return status;
}

void pf_try_all_release(struct pf_try_all *r)
{
    if (r->results && r->results != MAP_FAILED)
        munmap(r->results, (r->n + 1) * sizeof *r->results);
    r->results = NULL;
}
