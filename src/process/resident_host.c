/*
 * resident_host.c - see resident_host.h. Plans and streams are in memory files that the target
 * opens through /proc, so that a run neither creates files nor starts another pf.
 */
#define _GNU_SOURCE
#include "resident_host.h"
#include "clip_environment.h"
#include "duration.h"
#include "event_code.h"
#include "vector.h"
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ull
#define VIEW_CHUNK (1u << 20) /* bytes of a chunk of a view */
#define PLAN_BYTES (PF_RESIDENT_STEPS * sizeof(struct pf_schedule_plan_step))
#define FULL_MS 200 /* how long a copy may wait for room in its rings */

struct job_lane {
    struct pf_channel *lane; /* the channel of a resident process and its copies */
    struct pf_schedule_plan_step *plan;
    int lane_fd, plan_fd;
    struct pf_clip view;
    struct pf_clip_chunk *chunks;
    size_t nchunks;
    uint32_t before; /* how many copies had ended when the last copy began */
};

struct pf_resident_host {
    const struct pf_clip_meta *meta;
    struct pf_channel_host *host;
    struct pf_channel *trunk; /* the channel that the program uses up to the checkpoint */
    uint64_t size;            /* of it, and of each lane */
    int plan_fd;              /* the plan up to the checkpoint */
    struct job_lane job[PF_RESIDENT_MAX];
    uint32_t njobs;
    pid_t pid;
    bool ended; /* the resident process has ended */
    int status; /* its status, as from waitpid */
};

static int memory_file(const char *name, struct pf_error *e)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0)
        (void)!pf_fail(e, PF_IO, "cannot create a file in memory: %s", strerror(errno));
    return fd;
}

static bool has_ended(struct pf_resident_host *r)
{
    if (!r->ended && waitpid(r->pid, &r->status, WNOHANG) == r->pid)
        r->ended = true;
    return r->ended;
}

/* Waits until *word differs from `old`, for at most `ms`. */
static void wait_for_change(uint32_t *word, uint32_t old, uint64_t ms)
{
    struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000 * 1000000)};
    syscall(SYS_futex, word, FUTEX_WAIT, old, &t, NULL, 0);
}

static pf_status ended_early(struct pf_resident_host *r, struct pf_error *e)
{
    const struct pf_channel *c = r->trunk;
    if (!has_ended(r))
        return pf_fail(e, PF_BAD, "%s: was stopped before the checkpoint", r->meta->program);
    if (c->refused[0])
        return pf_fail(e, PF_BAD, "%s: %.*s", r->meta->program, (int)sizeof c->refused - 1,
                       c->refused);
    return pf_fail(e, PF_BAD, "%s: %s%s", r->meta->program,
                   c->owner ? "ended before the checkpoint"
                            : "did not run in directed mode; build it with the pf cc of this "
                              "installation",
                   c->unwatched ? " (there is no room for the runtime's memory)" : "");
}

/* --- answers --- */

void pf_answer_file_clear(struct pf_answer_file *f)
{
    f->table->used = 0;
    memset(f->table->slot, 0, sizeof f->table->slot);
}

void pf_answer_file_close(struct pf_answer_file *f)
{
    munmap(f->table, sizeof *f->table);
    close(f->fd);
}

/* --- start and end --- */

/* Creates a file in memory and maps it. Sets *fd. */
static pf_status make_memory(const char *name, uint64_t size, int *fd, void **at,
                             struct pf_error *e)
{
    if ((*fd = memory_file(name, e)) < 0)
        return PF_IO;
    *at = MAP_FAILED;
    if (!ftruncate(*fd, (off_t)size))
        *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (*at != MAP_FAILED)
        return PF_OK;
    *at = NULL;
    return pf_fail(e, PF_IO, "cannot map %llu bytes: %s", (unsigned long long)size,
                   strerror(errno));
}

pf_status pf_answer_file_open(struct pf_answer_file *f, struct pf_error *e)
{
    void *at;
    pf_status s = make_memory("pf-answers", sizeof *f->table, &f->fd, &at, e);
    f->table = at;
    return s;
}

/* How many bytes the target has written to a stream of the channel `c`, the trunk or a lane. */
static uint64_t written(const struct pf_resident_host *r, const struct pf_channel *c, unsigned s)
{
    const struct pf_ring *g = pf_channel_host_layout(r->host, s);
    uint64_t head = c->ring[s].head;
    return g->use != PF_RING_WRITE ? 0 : head < g->size ? head : g->size;
}

/* Copies the streams up to the checkpoint into the lane. */
static void fill_lane(const struct pf_resident_host *r, struct pf_channel *lane)
{
    memcpy(lane, r->trunk, sizeof *lane);
    for (unsigned s = 0; s < PF_STREAMS; s++) {
        const struct pf_ring *g = pf_channel_host_layout(r->host, s);
        memcpy((char *)lane + g->offset, (char *)r->trunk + g->offset, written(r, r->trunk, s));
    }
}

/* Makes the lanes, and tells the target where they are. */
static pf_status make_lanes(struct pf_resident_host *r, const struct pf_answer_file *answers,
                            struct pf_error *e)
{
    struct pf_resident *k = &r->trunk->resident;
    r->size = (sizeof *r->trunk + PAGE - 1) & -PAGE;
    for (unsigned s = 0; s < PF_STREAMS; s++)
        r->size += pf_channel_host_layout(r->host, s)->size;
    for (r->njobs = 0; r->njobs < k->jobs && r->njobs < PF_RESIDENT_MAX; r->njobs++) {
        struct job_lane *j = &r->job[r->njobs];
        void *lane, *plan;
        pf_status s = make_memory("pf-lane", r->size, &j->lane_fd, &lane, e);
        j->lane = lane;
        if (s == PF_OK)
            s = make_memory("pf-plan", PLAN_BYTES, &j->plan_fd, &plan, e);
        if (s != PF_OK) {
            r->njobs++; /* for the release */
            return s;
        }
        j->plan = plan;
        fill_lane(r, j->lane);
        snprintf(k->lane[r->njobs], sizeof k->lane[0], "/proc/%d/fd/%d", (int)getpid(), j->lane_fd);
        snprintf(k->plan[r->njobs], sizeof k->plan[0], "/proc/%d/fd/%d", (int)getpid(), j->plan_fd);
    }
    snprintf(k->answers, sizeof k->answers, "/proc/%d/fd/%d", (int)getpid(), answers->fd);
    __atomic_store_n(&k->go, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &k->go, FUTEX_WAKE, 1, NULL, NULL, 0);
    return PF_OK;
}

static pf_status start(struct pf_resident_host *r, const struct pf_resident_start *how,
                       struct pf_error *e)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), r->plan_fd);
    const struct pf_schedule_plan_step last = {.thread = PF_PLAN_SERVE};
    size_t bytes = how->nsteps * sizeof last;
    if (pwrite(r->plan_fd, how->plan, bytes, 0) != (ssize_t)bytes ||
        pwrite(r->plan_fd, &last, sizeof last, (off_t)bytes) != (ssize_t)sizeof last)
        return pf_fail(e, PF_IO, "cannot write a schedule plan: %s", strerror(errno));
    struct pf_directed d = {.resident = true,
                            .allow_outside = how->allow_outside,
                            .schedule = how->schedule,
                            .exclude = r->meta->exclude,
                            .plan = path,
                            .jobs = how->jobs < PF_RESIDENT_MAX ? how->jobs : PF_RESIDENT_MAX,
                            .tracing = true};
    return pf_directed_start(&r->host, r->meta, &d, &r->pid, e);
}

pf_status pf_resident_host_new(struct pf_resident_host **out, const struct pf_clip_meta *m,
                               const struct pf_resident_start *how, struct pf_error *e)
{
    struct pf_resident_host *r = pf_mem_zero(1, sizeof *r);
    r->meta = m;
    for (int i = 0; i < PF_RESIDENT_MAX; i++)
        r->job[i].lane_fd = r->job[i].plan_fd = -1;
    pf_status s = (r->plan_fd = memory_file("pf-plan", e)) < 0 ? PF_IO : PF_OK;
    if (s == PF_OK)
        s = start(r, how, e);
    if (s != PF_OK) {
        if (r->plan_fd >= 0)
            close(r->plan_fd);
        free(r);
        return s;
    }
    r->trunk = pf_channel_host_channel(r->host);
    struct pf_resident *k = &r->trunk->resident;
    uint64_t until = pf_now_ms() + how->limit_ms;
    while (!__atomic_load_n(&k->ready, __ATOMIC_ACQUIRE) && !has_ended(r) && pf_now_ms() < until &&
           !(how->should_stop && how->should_stop()))
        wait_for_change(&k->ready, 0, 20);
    if (!k->ready)
        s = ended_early(r, e);
    if (s == PF_OK)
        s = make_lanes(r, how->answers, e);
    if (s == PF_OK) {
        *out = r;
        return PF_OK;
    }
    pf_resident_host_free(r);
    return s;
}

void pf_resident_host_free(struct pf_resident_host *r)
{
    if (!r)
        return;
    if (!has_ended(r)) {
        kill(r->pid, SIGKILL); /* the other resident processes and the copies die with it */
        waitpid(r->pid, NULL, 0);
    }
    for (uint32_t i = 0; i < r->njobs; i++) {
        struct job_lane *j = &r->job[i];
        if (j->lane)
            munmap(j->lane, r->size);
        if (j->plan)
            munmap(j->plan, PLAN_BYTES);
        if (j->lane_fd >= 0)
            close(j->lane_fd);
        if (j->plan_fd >= 0)
            close(j->plan_fd);
        free(j->chunks);
    }
    close(r->plan_fd);
    pf_channel_host_free(r->host);
    free(r);
}

uint64_t pf_resident_host_copies(const struct pf_resident_host *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->njobs; i++)
        n += r->job[i].lane ? r->job[i].lane->resident.copies : 0;
    return n;
}

uint32_t pf_resident_host_jobs(const struct pf_resident_host *r) { return r->njobs; }

/* --- runs --- */

static void reset_lane(const struct pf_resident_host *r, struct pf_channel *c)
{
    for (int s = 0; s < PF_STREAMS; s++)
        c->ring[s] = r->trunk->ring[s];
    c->outcome = PF_OUTCOME_NONE;
    c->text[0] = c->error[0] = 0;
    c->errors = c->executed = c->stuck = 0;
    c->children = r->trunk->children; /* those from before the checkpoint are not explored either */
    c->copies = r->trunk->copies;
    c->nblocked = c->nunexplored = c->nstates = c->nlive = c->exploring = c->not_seq_cst = 0;
    c->limit_passed_early = c->far_limit_passed = 0;
    c->divergence.diverged = 0;
    c->reached.n = 0;
    memcpy(c->environment, r->trunk->environment, sizeof c->environment);
    c->environment_passed = r->trunk->environment_passed;
}

/* Makes the view show the streams of the lane. */
static void view_lane(const struct pf_resident_host *r, struct job_lane *j, bool cut)
{
    struct pf_clip *c = &j->view;
    size_t n = 0;
    for (unsigned s = 0; s < PF_STREAMS; s++)
        n += written(r, j->lane, s) / VIEW_CHUNK + 1;
    if (pf_vec_outgrown(&j->nchunks, n))
        j->chunks = pf_mem_resize(j->chunks, j->nchunks, sizeof *j->chunks);
    *c = (struct pf_clip){.path = r->meta->program,
                          .bytes = (unsigned char *)j->lane,
                          .size = r->size,
                          .borrowed = true,
                          .meta = *r->meta,
                          .ended = !cut};
    c->meta.traced = PF_CODE_VERSION;
    n = 0;
    for (unsigned s = 0; s < PF_STREAMS; s++) {
        const struct pf_ring *g = pf_channel_host_layout(r->host, s);
        uint64_t length = written(r, j->lane, s);
        c->stream[s].chunks.at = &j->chunks[n];
        for (uint64_t at = 0; at < length; at += VIEW_CHUNK) {
            uint32_t bytes = (uint32_t)(length - at < VIEW_CHUNK ? length - at : VIEW_CHUNK);
            j->chunks[n++] = (struct pf_clip_chunk){g->offset + at, at, bytes, bytes, PF_CODEC_RAW};
            c->stream[s].chunks.len++;
        }
        c->stream[s].length = length;
    }
    c->end.wait = j->lane->resident.wait;
    c->end.outcome = j->lane->outcome;
    memcpy(c->end.text, j->lane->text, sizeof c->end.text - 1);
    memcpy(c->end.error, j->lane->error, sizeof c->end.error - 1);
    c->end.errors = j->lane->errors;
    c->end.copies = j->lane->copies;
    c->end.divergence = j->lane->divergence;
}

/* Waits for the end of the copy; kills it when it takes too long. Returns true if it was killed. */
static bool wait_for_end(struct pf_resident_host *r, struct job_lane *j, uint64_t limit_ms)
{
    struct pf_resident *k = &j->lane->resident;
    uint64_t until = pf_now_ms() + limit_ms, full_since = 0;
    bool killed = false;
    while (__atomic_load_n(&k->ended, __ATOMIC_ACQUIRE) == j->before && !has_ended(r)) {
        wait_for_change(&k->ended, j->before, 50);
        uint64_t now = pf_now_ms();
        if (!j->lane->stuck)
            full_since = 0;
        else if (!full_since)
            full_since = now;
        bool full = full_since && now - full_since > FULL_MS;
        int32_t pid = __atomic_load_n(&k->pid, __ATOMIC_ACQUIRE);
        if ((now > until || full) && pid > 0) {
            kill(pid, SIGKILL);
            killed = true;
        }
    }
    return killed;
}

pf_status pf_resident_host_begin(struct pf_resident_host *r, uint32_t job,
                                 const struct pf_schedule_plan_step *plan, size_t n,
                                 const char *policy, struct pf_error *e)
{
    struct job_lane *j = &r->job[job];
    struct pf_resident *k = &j->lane->resident;
    if (n >= PF_RESIDENT_STEPS)
        return pf_fail(e, PF_BAD, "%s: a schedule plan has too many steps", r->meta->program);
    if (n)
        memcpy(j->plan, plan, n * sizeof *plan);
    k->steps = (uint32_t)n;
    snprintf(j->lane->schedule, sizeof j->lane->schedule, "%s", policy);
    reset_lane(r, j->lane);
    j->before = k->ended;
    __atomic_fetch_add(&k->asked, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &k->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
    return PF_OK;
}

static pf_status process_ended(const struct pf_resident_host *r, const struct pf_channel *lane,
                               struct pf_error *e)
{
    const char *text = *lane->text ? lane->text : r->trunk->text;
    bool died = WIFSIGNALED(r->status);
    if (*text)
        return pf_fail(e, PF_BAD, "%s: its resident process ended: %.200s", r->meta->program, text);
    return pf_fail(e, PF_BAD, "%s: its resident process ended with %s %d", r->meta->program,
                   died ? "signal" : "status", died ? WTERMSIG(r->status) : WEXITSTATUS(r->status));
}

/* Ends the names in the lane, which the target may have overwritten. */
static void end_names(struct pf_channel *lane)
{
    for (size_t i = 0; i < PF_BLOCKED_MAX; i++)
        lane->blocked[i].function[sizeof lane->blocked[i].function - 1] = 0;
    for (size_t i = 0; i < PF_UNEXPLORED_MAX; i++)
        lane->unexplored[i][sizeof lane->unexplored[i] - 1] = 0;
}

/* Counts in the shared memory may have been overwritten by the target. */
static uint32_t at_most(uint32_t n, uint32_t most) { return n < most ? n : most; }

pf_status pf_resident_host_end(struct pf_resident_host *r, uint32_t job, uint64_t limit_ms,
                               const struct pf_clip **clip, struct pf_resident_end *end,
                               struct pf_error *e)
{
    struct job_lane *j = &r->job[job];
    const struct pf_channel *lane = j->lane;
    bool killed = wait_for_end(r, j, limit_ms);
    if (r->ended)
        return process_ended(r, lane, e);
    view_lane(r, j, killed);
    end_names(j->lane);
    *clip = &j->view;
    *end = (struct pf_resident_end){.killed = killed,
                                    .children = lane->children,
                                    .executed = lane->executed,
                                    .used_up = lane->resident.used_up,
                                    .shared_input = r->trunk->ring[PF_STREAM_INPUT].head,
                                    .weak = lane->not_seq_cst,
                                    .limit_passed_early = lane->limit_passed_early,
                                    .far_limit_passed = lane->far_limit_passed,
                                    .blocked = lane->blocked,
                                    .nblocked = at_most(lane->nblocked, PF_BLOCKED_MAX),
                                    .unexplored = j->lane->unexplored,
                                    .states = lane->states,
                                    .nstates = at_most(lane->nstates, PF_LOCAL_STATES),
                                    .nunexplored = at_most(lane->nunexplored, PF_UNEXPLORED_MAX),
                                    .live = lane->live,
                                    .nlive = at_most(lane->nlive, PF_LIVE_MAX)};
    return PF_OK;
}

pf_status pf_resident_host_save(struct pf_resident_host *r, uint32_t job, const char *path,
                                struct pf_error *e)
{
    const struct pf_clip *view = &r->job[job].view;
    struct pf_clip_end end = view->end;
    struct pf_clip_writer *w;
    struct pf_clip_meta meta = *r->meta;
    meta.traced = 0;
    pf_status s = pf_clip_create(&w, path, &meta, e);
    if (s != PF_OK)
        return s;
    pf_clip_skip_sync(w);
    for (unsigned i = 0; i < PF_STREAMS; i++)
        for (size_t k = 0; s == PF_OK && !PF_STREAM_IS_EVENTS(i) && k < view->stream[i].chunks.len;
             k++) {
            const struct pf_clip_chunk *c = &view->stream[i].chunks.at[k];
            s = pf_clip_append(w, i, view->bytes + c->offset, c->raw, e);
        }
    if (s == PF_OK)
        s = pf_environment_end(&meta, r->job[job].lane, w, &end, e);
    if (s == PF_OK)
        s = pf_clip_finish(w, &end, e);
    pf_clip_writer_free(w);
    return s;
}
