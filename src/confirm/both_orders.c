/* both_orders.c - see both_orders.h. */
#define _GNU_SOURCE
#include "both_orders.h"
#include "allocation.h"
#include "answer_table.h"
#include "directed.h"
#include "plan_steps.h"
#include "private_files.h"
#include "recorded_stdin.h"
#include "supervisor.h"
#include "wait_status.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "orders"
#define TRUNK_POLICY "rr"
#define TIMES 5 /* most events for which a thread is held, as a multiple of the recording's */
#define EVENTS_LEAST 20000 /* a recording counts as at least this long */
#define EACH_MS 10000 /* time limit of a continuation */

/* The description in memory that the process of the runs shares with the caller. */
struct shared_orders {
    const struct pf_both_orders *q;
    uint32_t checkpoint; /* events of the trace before the checkpoint */
    bool began; /* the program reached the checkpoint */
    char why[240];
    struct pf_order_run runs[];
};

static void file_name(char *to, const char *folder, uint32_t number, const char *ending)
{
    snprintf(to, PATH_MAX, "%s/%u%s", folder, number, ending);
}

/* --- the request of a continuation --- */

static struct pf_ordered_access describe(const struct pf_trace *t, uint32_t event)
{
    const struct pf_event *e = &t->events.at[event];
    const struct pf_site_info *site = &t->sites.at[e->site];
    const struct pf_recorded_stack *stack =
        &t->recorded.stacks.at[t->recorded.event_stack.at[event]];
    uint32_t inner = stack->n ? t->recorded.stack_sites.at[stack->first] : e->site;
    return (struct pf_ordered_access){
        .thread = t->recorded.thread.at[e->thread],
        .file = pf_reached_file(pf_trace_text(t, site->file)),
        .line = site->line,
        .column = site->column,
        .address = t->places.at[e->what].addr,
        .size = t->places.at[e->what].size,
        .write = pf_event_writes(e),
        /* the innermost function has no source: it is an interposed one */
        .called = e->kind == PF_EV_FREE || !*pf_trace_text(t, t->sites.at[inner].file)};
}

static pf_status write_request(const struct pf_both_orders *q, const struct pf_order_run *r,
                               uint64_t limit, const char *path, struct pf_error *e)
{
    uint32_t last = r->alternate ? 0 : 1; /* the index of b, which is reached last */
    struct pf_order_request request = {
        .access = {describe(q->t, r->alternate ? q->b : q->a),
                   describe(q->t, r->alternate ? q->a : q->b)},
        .hold_at_once = r->alternate && q->hold_from != PF_NONE,
        .together = r->together ? 1 + last : 0,
        .other_clock = r->other_clock,
        .patience = limit,
        .limit = 2 * limit, /* so that it can go on after the thread was held */
    };
    snprintf(request.policy, sizeof request.policy, "%s", r->policy);
    request.nchoices = r->nchoices;
    memcpy(request.choice, r->choice, sizeof request.choice);
    FILE *f = fopen(path, "we");
    bool bad = !f || fwrite(&request, sizeof request, 1, f) != 1;
    if (f)
        bad |= fclose(f) != 0;
    return bad ? pf_fail(e, PF_IO, "%s: %s", path, strerror(errno)) : PF_OK;
}

/* The rest of the recorded schedule. Where a thread ended, the plan goes only up to its last
 * recorded event: in the other order the thread may have more events, and must not be run to its
 * end. */
static pf_status write_rest(const struct shared_orders *u, const uint32_t *pivot, const char *path,
                            struct pf_error *e)
{
    const struct pf_trace *t = u->q->t;
    pf_schedule_plan p = {0};
    uint32_t end = (uint32_t)t->events.len;
    pf_schedule_plan_add_trace(&p, t, pivot, u->checkpoint, end);
    for (size_t i = 0; i < p.len; i++) {
        struct pf_schedule_plan_step *k = &p.at[i];
        for (uint32_t at = end; k->until == PF_PLAN_END && at-- > 0;)
            if (t->recorded.thread.at[t->events.at[at].thread] == k->thread)
                k->until = t->recorded.index.at[at];
    }
    pf_status s = pf_schedule_plan_write(&p, path, e);
    pf_vec_release(&p);
    return s;
}

static uint64_t event_limit(const struct shared_orders *u)
{
    uint64_t n = u->q->t->events.len - u->checkpoint;
    return u->q->events ? u->q->events : TIMES * (n > EVENTS_LEAST ? n : EVENTS_LEAST);
}

/* Writes the plan of the trunk, and the request and plan of each continuation. */
static pf_status write_plans(const struct shared_orders *u, const uint32_t *pivot,
                             const char *trunk, struct pf_error *e)
{
    const struct pf_both_orders *q = u->q;
    char path[PATH_MAX];
    pf_schedule_plan p = {0};
    pf_status s = PF_OK;
    pf_schedule_plan_add_trace(&p, q->t, pivot, 0, u->checkpoint);
    for (uint32_t i = 0; s == PF_OK && i < q->n; i++) {
        pf_vec_push(&p, (struct pf_schedule_plan_step){.thread = PF_PLAN_FORK, .until = i});
        file_name(path, q->folder, i, ".order");
        s = write_request(q, &u->runs[i], event_limit(u), path, e);
        file_name(path, q->folder, i, ".plan");
        if (s == PF_OK && u->runs[i].recorded)
            s = write_rest(u, pivot, path, e);
    }
    pf_vec_push(&p, (struct pf_schedule_plan_step){.thread = PF_PLAN_LEAVE});
    if (s == PF_OK)
        s = pf_schedule_plan_write(&p, trunk, e);
    pf_vec_release(&p);
    return s;
}

/* --- the runs, in a process of their own --- */

/* The checkpoint is before this event of the trace: the first of the two accesses or hold_from, or
 * the pivot of the operation that one of the accesses is a part of. Operations that other threads
 * have only begun there, such as a lock that they wait for, are executed by the continuations. */
static uint32_t find_checkpoint(const struct pf_both_orders *q, const uint32_t *pivot)
{
    uint32_t at = q->hold_from != PF_NONE ? q->hold_from : q->a;
    at = pivot[at] < at ? pivot[at] : at;
    return pivot[q->b] < at ? pivot[q->b] : at;
}

/* Reads the choices of a continuation from its clip; those of the trunk come first. */
static void take_choices(const struct pf_clip *trunk, struct pf_order_run *out)
{
    struct pf_clip clip;
    struct pf_error e;
    unsigned char *bytes = NULL;
    size_t n = 0;
    uint64_t before = trunk->stream[PF_STREAM_MEMORY].length;
    if (pf_clip_open(&clip, out->clip, &e) != PF_OK)
        return;
    if (pf_clip_stream(&clip, PF_STREAM_MEMORY, &bytes, &n, &e) != PF_OK)
        n = 0;
    struct pf_memory_choice c;
    for (size_t at = before; at + sizeof c <= n && out->nmade < PF_MEMORY_CHOICES; at += sizeof c) {
        memcpy(&c, bytes + at, sizeof c);
        out->made[out->nmade] = (uint8_t)c.chosen;
        out->options[out->nmade++] = (uint8_t)c.options;
    }
    free(bytes);
    pf_clip_release(&clip);
}

static void take_result(const struct pf_both_orders *q, const struct pf_clip *trunk,
                        const struct pf_continuation *k, uint32_t i, struct pf_order_run *out)
{
    char pieces[PATH_MAX];
    struct pf_clip_meta meta = q->recording->meta;
    struct pf_error e;
    file_name(pieces, q->folder, i, "");
    out->end = (struct pf_clip_end){
        .wait = k->wait, .outcome = k->outcome, .errors = k->errors, .divergence = k->divergence};
    memcpy(out->end.error, k->error, sizeof out->end.error);
    memcpy(out->end.failure, k->failure, sizeof out->end.failure);
    out->failed_at = k->failed_at;
    out->order = k->order;
    out->shares = k->shares;
    out->events = k->events;
    meta.schedule = out->policy;
    meta.memory = q->memory;
    out->forgotten = k->forgotten;
    meta.watched = 1; /* continuations check every access for memory errors */
    pf_status s = out->clip ? pf_clip_join(trunk, pieces, out->clip, &meta, &out->end, &e)
                            : pf_clip_pieces_end(pieces, &out->end, &e);
    if (s == PF_OK && out->clip && q->memory.model != PF_MEMORY_SC)
        take_choices(trunk, out);
    /* killed at its time limit: it may have waited for something outside the program */
    bool late = k->outcome == PF_OUTCOME_HANG && WIFSIGNALED(k->wait);
    bool diverged = k->outcome == PF_OUTCOME_DIVERGED;
    out->ran = s == PF_OK && !late && !diverged;
    if (diverged)
        snprintf(out->why, sizeof out->why, "it could not be recorded: %s", k->divergence.what);
    else if (late)
        snprintf(out->why, sizeof out->why, "it did not end within %d s", EACH_MS / 1000);
    else if (s != PF_OK)
        snprintf(out->why, sizeof out->why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
}

/* The files that the trunk works on. Ordinary ones, if it makes a call that cannot be kept
 * private. */
enum trunk_files { TRUNK_PRIVATE, TRUNK_ORDINARY };

/* Records the trunk with its continuations. */
static pf_status run_trunk(const struct pf_both_orders *q, const struct pf_directed *d,
                           enum trunk_files files, const char *file, struct pf_clip_end *end,
                           struct pf_error *e)
{
    struct pf_clip_meta m = q->recording->meta;
    struct pf_child_end child;
    char *served = files == TRUNK_ORDINARY ? NULL : pf_private_files(q->recording, q->folder);
    m.served = served ? served : m.served;
    pf_status s = pf_directed_record(&m, file, d, &child, end, e);
    free(served);
    return s;
}

/* Which files the next attempt gets; false: no further attempt helps. */
static bool next_attempt(const struct pf_both_orders *q, const struct pf_clip_end *end,
                         enum trunk_files *files)
{
    if (end->outcome == PF_OUTCOME_STOPPED || *files == TRUNK_ORDINARY)
        return false;
    if (pf_private_files_refused(end))
        return *files = TRUNK_ORDINARY, true;
    return pf_private_files_hide(q->recording, q->folder);
}

static void run_continuations(struct shared_orders *u, const char *plan, const char *file)
{
    const struct pf_both_orders *q = u->q;
    struct pf_continuation *ends = pf_mem_zero(q->n, sizeof *ends);
    struct pf_clip_end end;
    struct pf_clip trunk;
    struct pf_error e;
    enum trunk_files files = TRUNK_PRIVATE;
    struct pf_directed d = {.plan = plan,
                            .schedule = TRUNK_POLICY,
                            .exclude = q->recording->meta.exclude,
                            .folder = q->folder,
                            .continuations = q->n,
                            .jobs = q->jobs ? q->jobs : 1,
                            .ordered = true,
                            .memory = q->memory,
                            .watch = q->recording->meta.watched,
                            .each_ms = EACH_MS,
                            .ends = ends};
    pf_status s = run_trunk(q, &d, files, file, &end, &e);
    while (s == PF_OK && next_attempt(q, &end, &files))
        s = run_trunk(q, &d, files, file, &end, &e);
    if (s == PF_OK && end.outcome == PF_OUTCOME_DIVERGED)
        s = pf_fail(&e, PF_BAD, "the run left the recording before the race: %.*s",
                    (int)strcspn(end.text, "\n"), end.text);
    else if (s == PF_OK && end.outcome != PF_OUTCOME_STOPPED)
        s = pf_fail(&e, PF_BAD, "the program ended before the race");
    if (s == PF_OK)
        s = pf_clip_open(&trunk, file, &e);
    if (s != PF_OK) {
        snprintf(u->why, sizeof u->why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
    } else {
        u->began = true;
        for (uint32_t i = 0; i < q->n; i++)
            if (ends[i].done)
                take_result(q, &trunk, &ends[i], i, &u->runs[i]);
        pf_clip_release(&trunk);
    }
    free(ends);
}

static int run_function(const void *arg)
{
    struct shared_orders *u = *(struct shared_orders *const *)arg;
    char plan[PATH_MAX], file[PATH_MAX];
    struct pf_error e;
    uint32_t *pivot = pf_schedule_plan_pivots(u->q->t);
    u->checkpoint = find_checkpoint(u->q, pivot);
    snprintf(plan, sizeof plan, "%s/trunk.plan", u->q->folder);
    snprintf(file, sizeof file, "%s/trunk.clip", u->q->folder);
    if (write_plans(u, pivot, plan, &e) == PF_OK)
        run_continuations(u, plan, file);
    else
        snprintf(u->why, sizeof u->why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
    free(pivot);
    return 0;
}

static void remove_files(const struct pf_both_orders *q)
{
    static const char *const endings[] = {"", ".plan", ".order"}, *const others[] = {"trunk.plan",
                                                                                     "trunk.clip"};
    char path[PATH_MAX];
    for (uint32_t i = 0; i < q->n; i++)
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            file_name(path, q->folder, i, endings[k]);
            unlink(path);
        }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        snprintf(path, sizeof path, "%s/%s", q->folder, others[k]);
        unlink(path);
    }
}

/* A regular file as standard input is read from its beginning; otherwise the program reads what
 * the recording read. Returns the descriptor; -1: none. */
static int choose_input(const struct pf_clip *recording)
{
    struct stat st;
    bool file = !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode);
    return file ? STDIN_FILENO : pf_recorded_stdin_open(recording);
}

/* Makes the table from which all runs in this folder get the same answers (pinned_answers.h).
 * Without it each run gets answers of its own. */
static void make_answers(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" PF_ANSWER_FILE, folder);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (ftruncate(fd, sizeof(struct pf_answer_table)))
        unlink(path);
    close(fd);
}

void pf_both_orders_forget(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" PF_ANSWER_FILE, folder);
    unlink(path);
    pf_private_files_forget(folder);
}

/* Runs all continuations from one checkpoint. */
static pf_status run_together(struct pf_both_orders *q, struct pf_error *e)
{
    size_t size = sizeof(struct shared_orders) + q->n * sizeof *q->runs;
    struct shared_orders *u =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct pf_supervisor_result result;
    char input_path[40] = "/dev/null";
    if (u == MAP_FAILED)
        pf_out_of_memory(size);
    u->q = q;
    memcpy(u->runs, q->runs, q->n * sizeof *q->runs);
    int input = choose_input(q->recording);
    if (input >= 0)
        snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", input);
    struct pf_command command = {
        .path = NAME,
        .function = run_function,
        .arg = &u,
        .dir = access(q->recording->meta.cwd, X_OK) == 0 ? q->recording->meta.cwd : NULL,
        .input = input_path,
        .keep = input > 0 ? input : 0,
        .output = PF_OUTPUT_NULL,
        .limit_ms = q->limit_ms,
        .fair_ms = q->fair_ms,
        .grace_ms = PF_GRACE_DIRECTED_MS,
        .forwards = true};
    pf_status s = pf_supervisor_run(&command, q->should_stop, q->arg, &result, e);
    const char *why = s != PF_OK                              ? e->text
                      : result.how == PF_SUPERVISED_LIMIT     ? "its time limit has expired"
                      : result.how == PF_SUPERVISED_STOPPED   ? "the time was up"
                      : result.how == PF_SUPERVISED_UNSTARTED ? result.why
                      : !u->began && *u->why                  ? u->why
                                                              : "it did not end";
    for (uint32_t i = 0; i < q->n; i++)
        if (!u->runs[i].ran && !*u->runs[i].why)
            snprintf(u->runs[i].why, sizeof u->runs[i].why, "%.200s", why);
    memcpy(q->runs, u->runs, q->n * sizeof *q->runs);
    if (s == PF_OK && !u->began)
        s = pf_fail(e, PF_BAD, "%s", why);
    munmap(u, size);
    if (input > 0)
        close(input);
    remove_files(q);
    return s;
}

pf_status pf_both_orders_run(struct pf_both_orders *q, struct pf_error *e)
{
    struct pf_both_orders one = *q;
    make_answers(q->folder);
    pf_status s = run_together(q, e);
    /* If continuations share pipes or the like, only the first one has run: run the others one by
     * one. */
    for (uint32_t i = 1; i < q->n && s == PF_OK; i++) {
        if (!q->runs[i].shares || (q->should_stop && q->should_stop(q->arg)))
            continue;
        q->runs[i].why[0] = 0;
        one.runs = q->runs + i;
        one.n = 1;
        s = run_together(&one, e);
    }
    return s;
}

/* --- results --- */

bool pf_order_run_enforced(const struct pf_order_run *r)
{
    return r->ran && r->order.happened[0] && !r->order.reversed;
}

const char *pf_order_run_obstacle(const struct pf_order_run *r)
{
    static const char *const words[] = {
        [PF_ORDER_FREE] = "the access was not reached",
        [PF_ORDER_LOCK] = "its thread waits for a lock that the other thread holds",
        [PF_ORDER_WAIT] = "its thread waits, and no other thread can run",
        [PF_ORDER_EXTERNAL] = "its thread waits for something outside the program",
        [PF_ORDER_SPIN] = "its thread spins",
        [PF_ORDER_ENDED] = "its thread ends without it",
        [PF_ORDER_EXIT] = "the program ends without it",
        [PF_ORDER_UNBORN] = "its thread does not exist yet",
    };
    return pf_order_run_enforced(r) ? NULL : words[r->order.obstacle];
}

enum pf_run_failure pf_order_run_failure(const struct pf_order_run *r, int normal, char *text,
                                         size_t room)
{
    const struct pf_clip_end *end = &r->end;
    *text = 0;
    if (end->errors) {
        snprintf(text, room, "memory error: %s", end->error);
        return PF_RUN_MEMORY_ERROR;
    }
    if (end->outcome == PF_OUTCOME_DEADLOCK) {
        snprintf(text, room, "deadlock");
        return PF_RUN_DEADLOCK;
    }
    if (end->outcome == PF_OUTCOME_HANG) {
        if (r->order.limited)
            return PF_RUN_FINE;
        snprintf(text, room, "infinite loop: no thread can end it");
        return PF_RUN_HANG;
    }
    if (!WIFSIGNALED(end->wait) || end->wait == normal)
        return PF_RUN_FINE;
    char signal[PF_SIGNAL_TEXT];
    snprintf(text, room, "died of %s", pf_signal_text(signal, end->wait));
    return PF_RUN_DIED;
}
