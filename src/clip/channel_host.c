/* channel_host.c - see channel_host.h. One recorder thread drains the rings of all streams. */
#define _GNU_SOURCE
#include "channel_host.h"
#include "allocation.h"
#include "pf_abi.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ull

static const struct {
    uint64_t size, chunk;
} ring_shape[PF_STREAMS] = {
#define PF_STREAM(name, bits, chunk) {1ull << (bits), chunk},
    PF_STREAM_LIST(PF_STREAM)
#undef PF_STREAM
};

struct pf_channel_host {
    int fd;
    struct pf_channel *channel; /* the header and all stream parts */
    uint64_t size;
    struct pf_ring layout[PF_STREAMS]; /* the rings before the target started */
    unsigned char *ring[PF_STREAMS]; /* written streams, each mapped twice in a row */
    struct pf_clip_writer *writer;
    pthread_t thread;
    bool running, failed;
    bool corrupted; /* the target overwrote the shared memory */
    bool lost[PF_STREAMS]; /* a chunk of the stream could not be written */
    uint32_t ending;
    struct pf_error error;
};

static uint64_t pages(uint64_t n) { return (n + PAGE - 1) & -PAGE; }

static pf_status system_fail(struct pf_error *e)
{
    return pf_fail(e, PF_IO, "cannot create the memory shared with the program: %s",
                   strerror(errno));
}

static pf_status map_twice(struct pf_channel_host *h, int s, struct pf_error *e)
{
    const struct pf_ring *r = &h->channel->ring[s];
    unsigned char *at =
        mmap(NULL, 2 * r->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return system_fail(e);
    for (int half = 0; half < 2; half++)
        if (mmap(at + (size_t)half * r->size, r->size, PROT_READ, MAP_SHARED | MAP_FIXED, h->fd,
                 (off_t)r->offset) == MAP_FAILED) {
            munmap(at, 2 * r->size);
            return system_fail(e);
        }
    h->ring[s] = at;
    return PF_OK;
}

static pf_status fill(struct pf_channel_host *h, const struct pf_clip *clip, int s,
                      struct pf_error *e)
{
    struct pf_ring *r = &h->channel->ring[s];
    unsigned char *to = (unsigned char *)h->channel + r->offset;
    pf_status st = PF_OK;
    for (size_t k = 0; st == PF_OK && k < clip->stream[s].chunks.len; k++)
        st = pf_clip_unpack(clip, (unsigned)s, k, to + clip->stream[s].chunks.at[k].at, e);
    r->head = clip->stream[s].length;
    return st;
}

pf_status pf_channel_host_new(struct pf_channel_host **out, const uint8_t use[PF_STREAMS],
                              const struct pf_clip *clip, struct pf_error *e)
{
    struct pf_channel_host *h = pf_mem_zero(1, sizeof *h);
    h->size = pages(sizeof *h->channel);
    struct pf_ring rings[PF_STREAMS] = {0};
    for (int s = 0; s < PF_STREAMS; s++) {
        uint64_t size = use[s] == PF_RING_WRITE  ? ring_shape[s].size
                        : use[s] == PF_RING_READ ? pages(clip->stream[s].length)
                                                 : 0;
        rings[s] = (struct pf_ring){
            .use = use[s], .offset = h->size, .size = size, .chunk = ring_shape[s].chunk};
        h->size += size;
    }
    h->fd = memfd_create("pf-channel", MFD_CLOEXEC);
    h->channel = MAP_FAILED;
    if (h->fd >= 0 && !ftruncate(h->fd, (off_t)h->size))
        h->channel = mmap(NULL, h->size, PROT_READ | PROT_WRITE, MAP_SHARED, h->fd, 0);
    if (h->channel == MAP_FAILED) {
        pf_status s = system_fail(e);
        if (h->fd >= 0)
            close(h->fd);
        free(h);
        return s;
    }
    struct pf_channel *c = h->channel;
    c->magic = PF_CHANNEL_MAGIC;
    c->version = PF_CHANNEL_VERSION;
    c->abi = PF_ABI_VERSION;
    c->pf = (uint32_t)getpid();
    pf_status st = PF_OK;
    for (int s = 0; st == PF_OK && s < PF_STREAMS; s++) {
        c->ring[s] = h->layout[s] = rings[s];
        if (use[s] == PF_RING_WRITE)
            st = map_twice(h, s, e);
        else if (use[s] == PF_RING_READ)
            st = fill(h, clip, s, e);
    }
    if (st == PF_OK)
        *out = h;
    else
        pf_channel_host_free(h);
    return st;
}

struct pf_channel *pf_channel_host_channel(struct pf_channel_host *h) { return h->channel; }

const struct pf_ring *pf_channel_host_layout(const struct pf_channel_host *h, unsigned stream)
{
    return &h->layout[stream];
}

/* --- the recorder --- */

/* Takes up to two chunks from one stream; with `all` also less than one chunk. True if something
 * was taken. */
static bool take(struct pf_channel_host *h, int s, bool all) /* recursion depth 1, for EVENT */
{
    struct pf_ring *r = &h->channel->ring[s];
    uint64_t tail = r->tail, n = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE) - tail;
    /* the target can overwrite the sizes in *r */
    const uint64_t size = ring_shape[s].size, chunk = ring_shape[s].chunk;
    if (!h->ring[s] || n == 0 || (n < chunk && !all))
        return false;
    if (n > size) { /* the target overwrote the channel */
        h->failed = h->corrupted = true;
        (void)!pf_fail(&h->error, PF_BAD, "the program has overwritten the memory shared with pf");
    }
    if (n > 2 * chunk)
        n = 2 * chunk;
    /* Events can be decoded only together with their addresses, values and names: write those
     * first. */
    for (int k = s + 1; s == PF_STREAM_EVENT && k <= PF_STREAM_NAME; k++) {
        const struct pf_ring *other = &h->channel->ring[k];
        for (uint64_t to = __atomic_load_n(&other->head, __ATOMIC_ACQUIRE); other->tail < to;)
            if (!take(h, k, true))
                break;
    }
    /* A stream must have no gaps: after a chunk that could not be written, nothing more of that
     * stream is written. When there is no room left for events, the schedule, the inputs and the
     * output are still written, because a replay can produce the events again. */
    struct pf_error later;
    if (!h->lost[s] && !h->corrupted && (!h->failed || !PF_STREAM_IS_EVENTS(s)) &&
        pf_clip_append(h->writer, (unsigned)s, h->ring[s] + (tail & (size - 1)), n,
                       h->failed ? &later : &h->error) != PF_OK)
        h->failed = h->lost[s] = true;
    __atomic_store_n(&r->tail, tail + n, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&h->channel->stuck, __ATOMIC_SEQ_CST)) {
        __atomic_fetch_add(&h->channel->drained, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &h->channel->drained, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return !h->corrupted;
}

static bool take_each(struct pf_channel_host *h, bool all)
{
    bool any = false;
    for (int s = 0; s < PF_STREAMS; s++)
        any |= take(h, s, all);
    return any;
}

static void *recorder(void *arg)
{
    struct pf_channel_host *h = arg;
    struct pf_channel *c = h->channel;
    const struct timespec fifth = {0, 200000000};
    while (!__atomic_load_n(&h->ending, __ATOMIC_ACQUIRE)) {
        uint32_t seen = __atomic_load_n(&c->called, __ATOMIC_SEQ_CST);
        __atomic_store_n(&c->asleep, 1, __ATOMIC_SEQ_CST);
        bool any = take_each(h, false);
        if (!any && !__atomic_load_n(&h->ending, __ATOMIC_ACQUIRE) &&
            syscall(SYS_futex, &c->called, FUTEX_WAIT, seen, &fifth, NULL, 0) < 0 &&
            errno == ETIMEDOUT)
            take_each(h, true);
        __atomic_store_n(&c->asleep, 0, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

pf_status pf_channel_host_start(struct pf_channel_host *h, struct pf_clip_writer *w,
                                struct pf_error *e)
{
    if (dup2(h->fd, PF_CHANNEL_FD) < 0) /* the copy has no close-on-exec flag */
        return pf_fail(e, PF_IO,
                       "cannot use descriptor %d: %s (is there a limit on open files, ulimit -n?)",
                       PF_CHANNEL_FD, strerror(errno));
    close(h->fd);
    h->fd = PF_CHANNEL_FD;
    h->writer = w;
    if (!w)
        return PF_OK;
    sigset_t all, before; /* signals are handled by pf's main thread */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int bad = pthread_create(&h->thread, NULL, recorder, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (bad)
        return pf_fail(e, PF_IO, "cannot start a thread: %s", strerror(bad));
    h->running = true;
    return PF_OK;
}

pf_status pf_channel_host_close(struct pf_channel_host *h, struct pf_error *e)
{
    if (h->running) {
        __atomic_store_n(&h->ending, 1, __ATOMIC_RELEASE);
        __atomic_fetch_add(&h->channel->called, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &h->channel->called, FUTEX_WAKE, 1, NULL, NULL, 0);
        pthread_join(h->thread, NULL);
        h->running = false;
        while (take_each(h, true))
            ;
    }
    if (!h->failed)
        return PF_OK;
    *e = h->error;
    return PF_IO;
}

void pf_channel_host_free(struct pf_channel_host *h)
{
    if (!h)
        return;
    struct pf_error e;
    (void)!pf_channel_host_close(h, &e);
    for (int s = 0; s < PF_STREAMS; s++)
        if (h->ring[s])
            munmap(h->ring[s], 2 * ring_shape[s].size);
    munmap(h->channel, h->size);
    close(h->fd);
    free(h);
}
