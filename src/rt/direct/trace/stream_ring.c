/*
 * stream_ring.c - see stream_ring.h.
 *
 * Writing is a copy and one store; pf's recorder thread compresses and writes to the file. Nothing
 * needs to be flushed: what is in a ring survives the target. Rejected: writing chunks to the file
 * from here, because the last, partly filled one would be lost if the target is killed, and because
 * compression would need a library in the target.
 */
#include "stream_ring.h"
#include "child_log.h"
#include "finding.h"
#include "orphan.h"
#include "sys.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

#define SMALL 32 /* bytes: for fewer, starting a string instruction takes longer than copying */

static struct pf_channel *channel;
static uint64_t cursor[PF_STREAMS];     /* of streams that are read: position of the next byte */
static struct pf_ring *rings[PF_STREAMS]; /* NULL: off */

static unsigned char *stream_at(enum pf_stream s)
{
    return (unsigned char *)(PF_CHANNEL_BASE + (s + 1) * PF_CHANNEL_STRIDE);
}

/* The value of PF_CLIP, read from /proc: libc's environment is not initialised yet. */
static int channel_fd(void)
{
    static char bytes[1 << 16];
    static const char key[] = PF_CHANNEL_ENV "=";
    long fd = pf_sys(SYS_open, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0), n;
    int found = -1, value = 0;
    size_t at = 0; /* bytes of `key` matched so far; SIZE_MAX: another variable */
    while (fd >= 0 && found < 0 && (n = pf_sys(SYS_read, fd, bytes, sizeof bytes)) > 0)
        for (long i = 0; i < n; i++) {
            char c = bytes[i];
            if (at == sizeof key - 1 && c >= '0' && c <= '9')
                value = value * 10 + (c - '0');
            else if (at == sizeof key - 1 && !c)
                found = value;
            else
                at = at < sizeof key - 1 && c == key[at] ? at + 1 : SIZE_MAX;
            if (!c)
                at = 0;
        }
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    return found;
}

static bool map_at(void *at, uint64_t size, int prot, int fd, uint64_t offset)
{
    return pf_sys(SYS_mmap, at, size, prot, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, offset) ==
           (long)at;
}

static bool map_streams(struct pf_channel *c, int fd)
{
    for (int s = 0; s < PF_STREAMS; s++) {
        struct pf_ring *r = &c->ring[s];
        unsigned char *at = stream_at(s);
        bool ok = true;
        if (r->use == PF_RING_WRITE)
            ok = map_at(at, r->size, PROT_READ | PROT_WRITE, fd, r->offset) &&
                 map_at(at + r->size, r->size, PROT_READ | PROT_WRITE, fd, r->offset);
        else if (r->use == PF_RING_READ && r->size)
            ok = map_at(at, r->size, PROT_READ, fd, r->offset);
        if (!ok)
            return false;
        rings[s] = r->use == PF_RING_OFF ? NULL : r;
    }
    return true;
}

void pf_channel_attach(void)
{
    int fd = channel_fd();
    if (fd < 0)
        return;
    struct pf_channel *c = (void *)PF_CHANNEL_BASE;
    uint64_t size = pf_page_up(sizeof *c);
    if (!map_at(c, size, PROT_READ | PROT_WRITE, fd, 0)) {
        pf_sys_say("photofinish: " PF_CHANNEL_ENV
                   " does not refer to a channel, this run is not recorded\n");
        return;
    }
    uint32_t self = (uint32_t)pf_sys(SYS_getpid);
    bool ours = c->magic == PF_CHANNEL_MAGIC && c->version == PF_CHANNEL_VERSION &&
                (c->owner == 0 || c->owner == self);
    if (ours && map_streams(c, fd)) {
        c->owner = self;
        channel = c;
        pf_direct.mode = (uint8_t)c->mode;
        pf_direct.tracing = c->tracing;
        pf_direct.watching = c->watch || c->tracing;
        pf_direct.removes_lock = c->without_lock[0] != 0;
        pf_direct.slow_locks = pf_direct.removes_lock;
        pf_direct.memory = (uint8_t)c->memory.model;
    } else {
        pf_sys(SYS_munmap, c, size); /* a child of the recorded process, or another build of pf */
    }
    pf_sys(SYS_close, fd); /* the program may use this number */
}

struct pf_channel *pf_channel_get(void) { return channel; }

static bool map_over(void *at, uint64_t size, int fd, uint64_t offset)
{
    return pf_sys(SYS_mmap, at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset) ==
           (long)at;
}

bool pf_channel_move(const char *path)
{
    uint64_t size = pf_page_up(sizeof *channel);
    long fd = pf_sys(SYS_open, path, O_RDWR | O_CLOEXEC, 0);
    bool ok = fd >= 0;
    for (int s = 0; s < PF_STREAMS && ok; s++) {
        const struct pf_ring *r = rings[s];
        unsigned char *at = stream_at(s);
        if (r && r->use == PF_RING_WRITE)
            ok = map_over(at, r->size, (int)fd, r->offset) &&
                 map_over(at + r->size, r->size, (int)fd, r->offset);
    }
    ok = ok && map_over(channel, size, (int)fd, 0);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    return ok;
}

struct pf_ring *pf_ring_of(enum pf_stream s, unsigned char **base)
{
    *base = stream_at(s);
    return rings[s];
}

static struct pf_channel *parents; /* in a child: the channel of the program that forked it */

void pf_channel_child_runs(bool copy)
{
    if (parents)
        __atomic_fetch_add(&parents->copies, copy ? 1 : -1u, __ATOMIC_RELAXED);
    if (parents && !copy)
        parents->environment_passed = true;
}

void pf_channel_detach(void)
{
    parents = channel;
    pf_channel_child_runs(true);
    for (int s = 0; s < PF_STREAMS; s++)
        rings[s] = NULL;
    channel = NULL;
}

void pf_channel_wake_pf(void)
{
    __atomic_fetch_add(&channel->called, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&channel->asleep, __ATOMIC_SEQ_CST))
        pf_sys(SYS_futex, &channel->called, FUTEX_WAKE, 1);
}

bool pf_channel_pf_alive(void)
{
    if (!pf_forked_self)
        return (uint32_t)pf_sys(SYS_getppid) == channel->pf;
    return pf_sys(SYS_kill, channel->pf, 0) != -ESRCH;
}

/* Waits until n bytes are free. Returns false if pf has died and will not read any more. */
static bool make_room(struct pf_ring *r, uint64_t n)
{
    struct timespec look = {0, 100000000};
    __atomic_store_n(&channel->stuck, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        uint32_t seen = __atomic_load_n(&channel->drained, __ATOMIC_SEQ_CST);
        if (r->head + n - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE) <= r->size)
            break;
        pf_channel_wake_pf();
        if (pf_sys(SYS_futex, &channel->drained, FUTEX_WAIT, seen, &look) == -ETIMEDOUT &&
            !pf_channel_pf_alive())
            return false;
    }
    __atomic_store_n(&channel->stuck, 0, __ATOMIC_RELAXED);
    return true;
}

static void (*on_abandoned)(void);
void pf_ring_on_abandoned(void (*f)(void)) { on_abandoned = f; }

/* Called when pf no longer reads the rings. */
static void abandoned(void)
{
    if (on_abandoned)
        on_abandoned();
    pf_channel_detach();
}

unsigned char *pf_ring_reserve(enum pf_stream s, size_t n)
{
    struct pf_ring *r = rings[s];
    if (!r || r->use != PF_RING_WRITE)
        return NULL;
    if (r->head + n - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE) > r->size && !make_room(r, n)) {
        abandoned();
        return NULL;
    }
    return stream_at(s) + (r->head & (r->size - 1));
}

void pf_ring_commit(enum pf_stream s, size_t n)
{
    struct pf_ring *r = rings[s];
    uint64_t before = r->head;
    __atomic_store_n(&r->head, before + n, __ATOMIC_RELEASE);
    if ((before ^ (before + n)) & -r->chunk)
        pf_channel_wake_pf();
}

/* --- the log of a continuation --- */

/* A continuation puts the pieces of its log into memory that it shares with the process it was
 * copied from, so that nothing is lost when it is killed. That process writes them to a file if it
 * keeps them. When the memory is full, or if there is none, the continuation writes to the file. */
#define LOG_AT (PF_CHANNEL_BASE + (PF_STREAMS + 1) * PF_CHANNEL_STRIDE)
#define LOG_SIZE (4ull << 20)
#define LOG_ROOM (LOG_SIZE - sizeof(struct continuation_log))
struct continuation_log {
    uint64_t used; /* bytes in `at` */
    uint64_t in_file; /* the file has the pieces before them */
    unsigned char at[];
};
static struct continuation_log *log_memory; /* NULL: none */

static const char *log_path;
static int log_fd = -1;
static struct pf_continuation *continuation; /* NULL: this process is not a continuation */

struct pf_continuation *pf_continuation_self(void) { return continuation; }

static void open_log(int flags)
{
    long fd = pf_sys(SYS_open, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0600);
    log_fd = (int)pf_sys_move_fd(fd);
    if (log_fd < 0) {
        pf_sys_say("photofinish: a continuation cannot create its file\n");
        pf_sys(SYS_exit_group, 2);
    }
}

/* Moves the pieces in memory to the file. */
static void empty_memory(void)
{
    if (log_fd < 0)
        open_log(O_TRUNC);
    pf_sys_write(log_fd, log_memory->at, log_memory->used);
    log_memory->in_file = true;
    log_memory->used = 0;
}

static void log_bytes(const void *from, size_t n)
{
    if (!n)
        return;
    pf_copy(log_memory->at + log_memory->used, from, n);
    log_memory->used += n;
}

static void log_write(uint32_t stream, const void *a, size_t na, const void *b, size_t nb)
{
    struct pf_piece p = {stream, (uint32_t)(na + nb)};
    size_t n = sizeof p + na + nb;
    if (log_memory && log_memory->used + n > LOG_ROOM)
        empty_memory();
    if (log_memory && n <= LOG_ROOM) {
        uint64_t whole = log_memory->used;
        log_bytes(&p, sizeof p);
        log_bytes(a, na);
        log_bytes(b, nb);
        log_memory->used = whole + n;
        return;
    }
    struct iovec v[] = {{&p, sizeof p}, {(void *)a, na}, {(void *)b, nb}};
    pf_sys_write_by(SYS_writev, log_fd, v, 3);
}

static uint64_t before[PF_STREAMS]; /* bytes written when the process was copied */

void pf_ring_mark(void)
{
    for (int s = 0; s < PF_STREAMS; s++)
        before[s] = rings[s] && rings[s]->use == PF_RING_WRITE ? rings[s]->head : 0;
}

void pf_ring_share_log(void)
{
    long at = pf_sys(SYS_mmap, LOG_AT, LOG_SIZE, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    log_memory = at == (long)LOG_AT ? (void *)at : NULL;
}

void pf_ring_split(const char *path, uint32_t number)
{
    continuation = &channel->continuation[number];
    for (int s = PF_STREAM_EVENT; s <= PF_STREAM_NAME; s++)
        rings[s] = NULL;
    pf_direct.tracing = false;
    log_path = path;
    if (log_memory) {
        log_bytes(before, sizeof before);
    } else {
        open_log(O_TRUNC);
        pf_sys_write(log_fd, before, sizeof before);
    }
}

void pf_ring_take_log(const char *path, bool keep)
{
    if (!log_memory)
        return;
    log_path = path;
    if (keep) {
        open_log(log_memory->in_file ? 0 : O_TRUNC);
        pf_sys_write(log_fd, log_memory->at, log_memory->used);
        pf_sys(SYS_close, log_fd);
    } else if (log_memory->in_file) {
        pf_sys(SYS_unlink, path);
    }
    log_fd = -1;
    log_memory->used = log_memory->in_file = 0;
}

#define COPY_MAX 4096 /* most bytes of a record that is copied */
static struct {
    _Alignas(8) unsigned char at[COPY_MAX];
    size_t n;
} copy;

void pf_ring_copy_begin(void) { copy.n = 0; }
const void *pf_ring_copy(void) { return copy.n <= COPY_MAX ? copy.at : NULL; }

static void copy_input(const void *bytes, size_t n)
{
    if (copy.n + n <= COPY_MAX)
        pf_copy(copy.at + copy.n, bytes, n);
    copy.n += n;
}

/* A word at any address. Volatile stores are not turned into a call of memcpy. */
struct ring_word {
    uint64_t word;
} __attribute__((packed, may_alias));

void pf_ring_put(enum pf_stream s, const void *bytes, size_t n)
{
    if (__builtin_expect(pf_child_log_used, 0)) {
        pf_child_log_put(s, bytes, n);
        return;
    }
    if (__builtin_expect(continuation != NULL, 0)) {
        if (rings[s] && rings[s]->use == PF_RING_WRITE)
            log_write(s, bytes, n, NULL, 0);
        if (s == PF_STREAM_INPUT)
            copy_input(bytes, n);
        return;
    }
    const unsigned char *from = bytes;
    if (n <= SMALL) {
        unsigned char *to = pf_ring_reserve(s, n);
        size_t i = 0;
        for (; to && i + 8 <= n; i += 8) {
            uint64_t word;
            __builtin_memcpy(&word, from + i, 8);
            ((volatile struct ring_word *)(to + i))->word = word;
        }
        for (; to && i < n; i++)
            ((volatile unsigned char *)to)[i] = from[i];
        if (to)
            pf_ring_commit(s, n);
        return;
    }
    while (n) { /* in pieces: it may be larger than the ring */
        size_t piece = n < 1 << 19 ? n : 1 << 19;
        unsigned char *to = pf_ring_reserve(s, piece);
        if (!to)
            return;
        pf_copy(to, from, piece);
        pf_ring_commit(s, piece);
        from += piece;
        n -= piece;
    }
}

const void *pf_ring_get(enum pf_stream s, size_t n)
{
    struct pf_ring *r = rings[s];
    if (!r || r->use != PF_RING_READ || n > r->head - cursor[s])
        return NULL;
    const void *at = stream_at(s) + cursor[s];
    cursor[s] += n;
    return at;
}

const unsigned char *pf_ring_remaining(enum pf_stream s, size_t *n)
{
    struct pf_ring *r = rings[s];
    if (!r || r->use != PF_RING_READ)
        return NULL;
    *n = r->head - cursor[s];
    return stream_at(s) + cursor[s];
}

void pf_ring_skip(enum pf_stream s, size_t n) { cursor[s] += n; }

uint64_t pf_ring_position(enum pf_stream s)
{
    struct pf_ring *r = rings[s];
    return !r ? 0 : r->use == PF_RING_READ ? cursor[s] : r->head;
}

/* Where this process stores its results; NULL: in the channel. */
static struct pf_continuation *own_results(void)
{
    return continuation ? continuation : pf_child_log_results();
}

void pf_channel_set_events(uint64_t n, uint32_t threads)
{
    if (own_results()) {
        own_results()->events = n;
    } else if (channel) {
        channel->events = n;
        channel->threads = threads;
    }
}

struct pf_reached *pf_channel_reached(void)
{
    return own_results() ? &own_results()->reached : &channel->reached;
}

struct pf_order_outcome *pf_channel_order(void)
{
    return continuation ? &continuation->order : NULL;
}

void pf_channel_note_forgotten(void)
{
    if (own_results())
        own_results()->forgotten++;
    else if (channel)
        channel->forgotten++;
}

struct pf_divergence *pf_channel_divergence(void)
{
    return own_results() ? &own_results()->divergence : &channel->divergence;
}

void pf_ring_flush(void)
{
    if (channel)
        pf_channel_wake_pf();
}

static struct pf_failure_site failure_site(uint32_t kind, const struct pf_stack_frame *at)
{
    struct pf_failure_site s = {.kind = kind};
    if (at && at->file) {
        s.file = pf_reached_file(at->file);
        s.line = at->line;
        s.column = at->column;
    }
    return s;
}

void pf_channel_report_error(const char *text, uint32_t kind, const struct pf_stack_frame *at)
{
    if (!channel)
        return;
    struct pf_continuation *own = own_results();
    uint32_t *errors = own ? &own->errors : &channel->errors;
    if (own && !own->errors)
        own->failed_at = failure_site(kind, at);
    char *error = own ? own->error : channel->error;
    _Static_assert(sizeof own->error == sizeof channel->error, "both have the same size");
    for (size_t n = 0; !*errors && text[n] && n < sizeof channel->error - 1; n++)
        error[n] = text[n];
    ++*errors;
    if (pf_forked_self && !continuation)
        pf_forked_self->errors++;
}

void pf_channel_report_failure(const char *text, uint32_t kind, const struct pf_stack_frame *at)
{
    if (!channel)
        return;
    struct pf_continuation *own = own_results();
    char *failure = own ? own->failure : channel->failure;
    if (own && !own->errors)
        own->failed_at = failure_site(kind, at);
    _Static_assert(sizeof continuation->failure == sizeof channel->failure,
                   "both have the same size");
    for (size_t n = 0; text[n] && n < sizeof channel->failure - 1; n++)
        failure[n] = text[n];
}

void pf_channel_set_outcome(enum pf_outcome what, const char *text)
{
    if (pf_child_log_used) {
        pf_child_log_outcome(what, text);
        return;
    }
    if (!channel || channel->outcome != PF_OUTCOME_NONE) /* the first outcome counts */
        return;
    if (continuation) {
        unsigned char word = (unsigned char)what;
        size_t n = 0;
        while (text[n])
            n++;
        continuation->reported = what;
        log_write(PF_STREAMS, &word, 1, text, n);
        return;
    }
    pf_copy_text(channel->text, sizeof channel->text, text);
    __atomic_store_n(&channel->outcome, what, __ATOMIC_RELEASE);
}
