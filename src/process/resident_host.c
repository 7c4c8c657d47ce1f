/*
 * resident_host.c - see resident_host.h. Plans and streams are in memory files that the target
 * opens through /proc, so that a run neither creates files nor starts another pf.
 */
#define _GNU_SOURCE
#include "resident_host.h"
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
#define FULL_MS 200 /* how long a copy may wait for room in its rings */

struct pf_resident_host {
    const struct pf_clip_meta *meta;
    struct pf_channel_host *host;
    struct pf_channel *trunk; /* the channel of the resident process */
    struct pf_channel *lane;  /* the channel of its copies */
    uint64_t size;            /* of either */
    int lane_fd, plan_fd;
    pid_t pid;
    bool ended; /* the resident process has ended */
    struct pf_clip view;
    struct pf_clip_chunk *chunks;
    size_t nchunks;
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
    int status;
    if (!r->ended && waitpid(r->pid, &status, WNOHANG) == r->pid)
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
        return pf_fail(e, PF_BAD, "%s: was stopped before its first thread started",
                       r->meta->program);
    return pf_fail(e, PF_BAD, "%s: %s%s", r->meta->program,
                   c->owner ? "ended before its first thread started"
                            : "did not run in directed mode; build it with the pf cc of this "
                              "installation",
                   c->unwatched ? " (there is no room for the runtime's memory)" : "");
}

/* --- answers --- */

pf_status pf_answer_file_open(struct pf_answer_file *f, struct pf_error *e)
{
    f->table = MAP_FAILED;
    if ((f->fd = memory_file("pf-answers", e)) < 0)
        return PF_IO;
    if (!ftruncate(f->fd, sizeof *f->table))
        f->table = mmap(NULL, sizeof *f->table, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    if (f->table != MAP_FAILED)
        return PF_OK;
    close(f->fd);
    return pf_fail(e, PF_IO, "cannot map %zu bytes: %s", sizeof *f->table, strerror(errno));
}

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

static pf_status write_plan(struct pf_resident_host *r, const struct pf_schedule_plan_step *plan,
                            size_t n, struct pf_error *e)
{
    size_t bytes = n * sizeof *plan;
    if (pwrite(r->plan_fd, plan, bytes, 0) == (ssize_t)bytes &&
        ftruncate(r->plan_fd, (off_t)bytes) == 0)
        return PF_OK;
    return pf_fail(e, PF_IO, "cannot write a schedule plan: %s", strerror(errno));
}

static pf_status make_lane(struct pf_resident_host *r, struct pf_error *e)
{
    uint64_t size = (sizeof *r->trunk + PAGE - 1) & -PAGE;
    for (int s = 0; s < PF_STREAMS; s++)
        size += r->trunk->ring[s].size;
    r->size = size;
    if ((r->lane_fd = memory_file("pf-lane", e)) < 0)
        return PF_IO;
    void *at = MAP_FAILED;
    if (!ftruncate(r->lane_fd, (off_t)size))
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, r->lane_fd, 0);
    if (at == MAP_FAILED)
        return pf_fail(e, PF_IO, "cannot map %llu bytes: %s", (unsigned long long)size,
                       strerror(errno));
    r->lane = at;
    return PF_OK;
}

/* Copies the streams up to the checkpoint into the lane. */
static void fill_lane(struct pf_resident_host *r)
{
    memcpy(r->lane, r->trunk, sizeof *r->lane);
    for (int s = 0; s < PF_STREAMS; s++) {
        const struct pf_ring *g = &r->trunk->ring[s];
        if (g->use == PF_RING_WRITE)
            memcpy((char *)r->lane + g->offset, (char *)r->trunk + g->offset,
                   g->head < g->size ? g->head : g->size);
    }
}

static pf_status start(struct pf_resident_host *r, const struct pf_resident_start *how,
                       struct pf_error *e)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), r->plan_fd);
    struct pf_schedule_plan_step plan[] = {{.thread = 0, .until = how->events},
                                           {.thread = PF_PLAN_SERVE}};
    pf_status s = write_plan(r, plan, 2, e);
    struct pf_directed d = {.resident = true,
                            .allow_outside = how->allow_outside,
                            .schedule = how->schedule,
                            .exclude = r->meta->exclude,
                            .plan = path,
                            .tracing = true};
    return s == PF_OK ? pf_directed_start(&r->host, r->meta, &d, &r->pid, e) : s;
}

pf_status pf_resident_host_new(struct pf_resident_host **out, const struct pf_clip_meta *m,
                               const struct pf_resident_start *how, struct pf_error *e)
{
    struct pf_resident_host *r = pf_mem_zero(1, sizeof *r);
    r->meta = m;
    r->lane_fd = r->plan_fd = -1;
    pf_status s = (r->plan_fd = memory_file("pf-plan", e)) < 0 ? PF_IO : PF_OK;
    if (s == PF_OK)
        s = start(r, how, e);
    if (s != PF_OK) {
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
        s = make_lane(r, e);
    if (s == PF_OK) {
        snprintf(k->lane, sizeof k->lane, "/proc/%d/fd/%d", (int)getpid(), r->lane_fd);
        snprintf(k->plan, sizeof k->plan, "/proc/%d/fd/%d", (int)getpid(), r->plan_fd);
        snprintf(k->answers, sizeof k->answers, "/proc/%d/fd/%d", (int)getpid(), how->answers->fd);
        fill_lane(r);
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
        kill(r->pid, SIGKILL); /* a copy that still runs dies with it */
        waitpid(r->pid, NULL, 0);
    }
    if (r->lane)
        munmap(r->lane, r->size);
    if (r->lane_fd >= 0)
        close(r->lane_fd);
    close(r->plan_fd);
    pf_channel_host_free(r->host);
    free(r->chunks);
    free(r);
}

/* --- runs --- */

static void reset_lane(struct pf_resident_host *r)
{
    struct pf_channel *c = r->lane;
    for (int s = 0; s < PF_STREAMS; s++)
        c->ring[s] = r->trunk->ring[s];
    c->outcome = PF_OUTCOME_NONE;
    c->text[0] = c->error[0] = 0;
    c->errors = c->children = c->copies = c->executed = c->stuck = 0;
    c->nblocked = c->nunexplored = c->nstates = c->nlive = c->exploring = c->not_seq_cst = 0;
    c->divergence.diverged = 0;
    c->reached.n = 0;
}

/* Makes r->view show the streams of the lane. */
static void view_lane(struct pf_resident_host *r, bool cut)
{
    struct pf_clip *c = &r->view;
    size_t n = 0;
    for (int s = 0; s < PF_STREAMS; s++)
        n += r->lane->ring[s].head / VIEW_CHUNK + 1;
    if (n > r->nchunks)
        r->chunks = pf_mem_resize(r->chunks, r->nchunks = n, sizeof *r->chunks);
    *c = (struct pf_clip){.path = r->meta->program,
                          .bytes = (unsigned char *)r->lane,
                          .size = r->size,
                          .borrowed = true,
                          .meta = *r->meta,
                          .ended = !cut};
    c->meta.traced = PF_CODE_VERSION;
    n = 0;
    for (int s = 0; s < PF_STREAMS; s++) {
        const struct pf_ring *g = &r->lane->ring[s];
        uint64_t length = g->use != PF_RING_WRITE ? 0 : g->head < g->size ? g->head : g->size;
        c->stream[s].chunk = &r->chunks[n];
        for (uint64_t at = 0; at < length; at += VIEW_CHUNK) {
            uint32_t bytes = (uint32_t)(length - at < VIEW_CHUNK ? length - at : VIEW_CHUNK);
            r->chunks[n++] = (struct pf_clip_chunk){g->offset + at, at, bytes, bytes, PF_CODEC_RAW};
            c->stream[s].n++;
        }
        c->stream[s].length = length;
    }
    c->end.wait = r->trunk->resident.wait;
    c->end.outcome = r->lane->outcome;
    memcpy(c->end.text, r->lane->text, sizeof c->end.text - 1);
    memcpy(c->end.error, r->lane->error, sizeof c->end.error - 1);
    c->end.errors = r->lane->errors;
    c->end.copies = r->lane->copies;
    c->end.divergence = r->lane->divergence;
}

/* Waits for the end of the copy; kills it when it takes too long. Returns true if it was killed. */
static bool wait_for_end(struct pf_resident_host *r, uint32_t before, uint64_t limit_ms)
{
    struct pf_resident *k = &r->trunk->resident;
    uint64_t until = pf_now_ms() + limit_ms, full_since = 0;
    bool killed = false;
    while (__atomic_load_n(&k->ended, __ATOMIC_ACQUIRE) == before && !has_ended(r)) {
        wait_for_change(&k->ended, before, 50);
        uint64_t now = pf_now_ms();
        if (!r->lane->stuck)
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

pf_status pf_resident_host_run(struct pf_resident_host *r, const struct pf_schedule_plan_step *plan,
                               size_t n, uint64_t limit_ms, const struct pf_clip **clip,
                               struct pf_resident_end *end, struct pf_error *e)
{
    struct pf_resident *k = &r->trunk->resident;
    /* a plan file may not be empty: this step is over at once */
    const struct pf_schedule_plan_step nothing = {.thread = 0, .until = 0};
    pf_status s = write_plan(r, n ? plan : &nothing, n ? n : 1, e);
    if (s != PF_OK)
        return s;
    reset_lane(r);
    uint32_t before = k->ended;
    __atomic_fetch_add(&k->asked, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &k->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
    bool killed = wait_for_end(r, before, limit_ms);
    if (r->ended)
        return pf_fail(e, PF_BAD, "%s: its resident process ended: %.200s", r->meta->program,
                       r->trunk->text);
    view_lane(r, killed);
    *clip = &r->view;
    *end = (struct pf_resident_end){.killed = killed,
                                    .children = r->lane->children,
                                    .executed = r->lane->executed,
                                    .used_up = k->used_up,
                                    .shared_input = r->trunk->ring[PF_STREAM_INPUT].head,
                                    .weak = r->lane->not_seq_cst,
                                    .blocked = r->lane->blocked,
                                    .nblocked = r->lane->nblocked,
                                    .unexplored = r->lane->unexplored,
                                    .states = r->lane->states,
                                    .nstates = r->lane->nstates,
                                    .nunexplored = r->lane->nunexplored,
                                    .live = r->lane->live,
                                    .nlive = r->lane->nlive};
    return PF_OK;
}

pf_status pf_resident_host_save(struct pf_resident_host *r, const char *path, struct pf_error *e)
{
    struct pf_clip_writer *w;
    struct pf_clip_meta meta = *r->meta;
    meta.traced = 0;
    pf_status s = pf_clip_create(&w, path, &meta, e);
    if (s != PF_OK)
        return s;
    pf_clip_skip_sync(w);
    for (unsigned i = 0; i < PF_STREAM_EVENT; i++)
        for (size_t k = 0; s == PF_OK && k < r->view.stream[i].n; k++) {
            const struct pf_clip_chunk *c = &r->view.stream[i].chunk[k];
            s = pf_clip_append(w, i, r->view.bytes + c->offset, c->raw, e);
        }
    if (s == PF_OK)
        s = pf_clip_finish(w, &r->view.end, e);
    pf_clip_writer_free(w);
    return s;
}
