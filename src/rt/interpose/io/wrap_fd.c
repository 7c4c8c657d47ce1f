/*
 * wrap_fd.c - the table of descriptors and their channels.
 *
 * The table has two levels, so that it costs nothing until it is used. A descriptor that makes no
 * order is recognised without a lock: most are files. A use holds the lock of its stripe: another
 * thread may close the descriptor meanwhile (a race of the target must not become ours), and a fork
 * must not copy a half-changed clock.
 */
#include "wrap_fd.h"
#include "hooks.h"
#include "limits.h"
#include "spin.h"
#include "store.h"
#include "sys.h"
#include <fcntl.h>
#include <sys/stat.h>

#define CHUNK 1024u /* descriptors of one second-level table */
#define CHUNKS 1024u /* second-level tables */
#define FD_MAX (CHUNK * CHUNKS)
#define STRIPES 64u /* locks */
#define WATCHERS 2 /* epoll descriptors of a channel that are listed */
#define NAMED 256u /* named pipes and queues; further ones share a channel */

struct channel {
    struct pf_hb_clock *clock;
    uint32_t refs;
    uint8_t nwatchers; /* above WATCHERS: too many, so that a send goes to all epoll descriptors */
    /* one of the process-wide channels: never freed, its watchers are not listed */
    bool shared;
    bool watches_shared; /* an epoll descriptor whose set has such a channel */
    /* a descriptor of it was sent in a message: it is joined with `sockets` */
    bool sent_in_message;
    struct channel *watchers[WATCHERS];
};

struct fd_entry {
    struct channel *to, *from;
    uint32_t kind; /* enum pf_fd_kind */
    bool holds_file_lock; /* a file may be locked through it */
    uint32_t opened_at, opened_by; /* site id and thread number; 0: unknown */
};

static struct fd_entry *chunks[CHUNKS];
static struct {
    struct pf_spin lock;
    char pad[60];
} stripes[STRIPES];
static struct channel sockets = {.shared = true}, all_epolls = {.shared = true};
/* Channels of named pipes and queues, by device and inode. The first one is shared by all that find
 * no free entry. */
static struct {
    uint64_t device, inode;
    struct channel channel;
} named[NAMED];
static struct pf_spin named_lock;
static struct pf_spin watch_lock; /* protects the watchers of all channels */
static bool any_overflow; /* some channel has too many watchers */

static struct pf_spin *stripe(int fd) { return &stripes[(unsigned)fd % STRIPES].lock; }

static struct fd_entry *entry(int fd)
{
    if (fd >= (int)FD_MAX)
        pf_limit_hit(PF_LIMIT_MEMORY);
    if (fd < 0 || fd >= (int)FD_MAX)
        return NULL;
    struct fd_entry **chunk = &chunks[(unsigned)fd / CHUNK];
    struct fd_entry *e = __atomic_load_n(chunk, __ATOMIC_ACQUIRE);
    if (!e) {
        /* a mapping: the shadow of the runtime's store is not its own */
        struct fd_entry *mine = pf_rt.events ? pf_store_alloc_permanent(CHUNK * sizeof *mine)
                                             : pf_sys_map(NULL, CHUNK * sizeof *mine);
        if (!mine)
            return NULL;
        if (__atomic_compare_exchange_n(chunk, &e, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            e = mine;
    }
    return e + (unsigned)fd % CHUNK;
}

static struct channel *channel_new(void)
{
    _Static_assert(sizeof(struct channel) <= 64, "a channel fits the smallest block");
    struct channel *ch = pf_store_alloc(0);
    if (ch)
        *ch = (struct channel){.clock = pf_hb_clock_new()};
    return ch;
}

static struct channel *hold(struct channel *ch)
{
    if (ch && !ch->shared)
        __atomic_fetch_add(&ch->refs, 1, __ATOMIC_RELAXED);
    return ch;
}

static void drop(struct channel *ch)
{
    if (!ch || ch->shared || __atomic_sub_fetch(&ch->refs, 1, __ATOMIC_ACQ_REL))
        return;
    for (int i = 0; i < ch->nwatchers && i < WATCHERS; i++)
        drop(ch->watchers[i]);
    pf_hb_clock_free(ch->clock);
    pf_store_free(ch, 0);
}

/* The clocks of process-wide channels are created when they are first needed. */
static struct pf_hb_clock *clock_of(struct channel *ch)
{
    struct pf_hb_clock *c = __atomic_load_n(&ch->clock, __ATOMIC_ACQUIRE);
    if (!c) {
        struct pf_hb_clock *mine = pf_hb_clock_new();
        if (__atomic_compare_exchange_n(&ch->clock, &c, mine, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return mine;
        pf_hb_clock_free(mine);
    }
    return c;
}

static void set(int fd, enum pf_fd_kind kind, struct channel *to, struct channel *from)
{
    struct fd_entry *e = entry(fd);
    if (!e)
        return;
    hold(to);
    hold(from);
    pf_spin_lock(stripe(fd));
    struct fd_entry was = *e;
    e->to = to;
    e->from = from;
    __atomic_store_n(&e->kind, (uint32_t)kind, __ATOMIC_RELEASE);
    pf_spin_unlock(stripe(fd));
    drop(was.to);
    drop(was.from);
}

void pf_fd_new(int fd, enum pf_fd_kind kind)
{
    switch (kind) {
    case PF_FD_SOCKET:
        set(fd, kind, &sockets, &sockets);
        return;
    case PF_FD_UNKNOWN:
    case PF_FD_NONE:
        set(fd, kind, NULL, NULL);
        return;
    default:
        break;
    }
    struct channel *ch = hold(channel_new());
    set(fd, kind, ch, ch);
    drop(ch);
}

void pf_fd_new_pipe(int reader, int writer)
{
    struct channel *ch = hold(channel_new());
    set(reader, PF_FD_PIPE, NULL, ch);
    set(writer, PF_FD_PIPE, ch, NULL);
    drop(ch);
}

void pf_fd_new_pair(int a, int b)
{
    struct channel *ab = hold(channel_new()), *ba = hold(channel_new());
    set(a, PF_FD_PIPE, ab, ba);
    set(b, PF_FD_PIPE, ba, ab);
    drop(ab);
    drop(ba);
}

static struct channel *named_channel(uint64_t device, uint64_t inode)
{
    unsigned at = 0;
    pf_spin_lock(&named_lock);
    for (unsigned i = 1; i < NAMED && !at; i++) {
        if (!named[i].inode) {
            named[i].device = device;
            named[i].inode = inode;
        }
        if (named[i].device == device && named[i].inode == inode)
            at = i;
    }
    named[at].channel.shared = true;
    pf_spin_unlock(&named_lock);
    return &named[at].channel;
}

/* In a replay the descriptor does not exist: the result comes from the log. */
bool pf_fd_stat(int fd, struct stat *about)
{
    const long argument[6] = {fd, (long)about};
    return pf_target_syscall(SYS_fstat, argument) >= 0;
}

void pf_fd_new_named(int fd)
{
    struct stat about;
    if (fd < 0 || !pf_fd_stat(fd, &about))
        return;
    struct channel *ch = named_channel(about.st_dev, about.st_ino);
    set(fd, PF_FD_NAMED, ch, ch);
}

/* Bits that device numbers do not have. A device number with one of them selects a channel that
 * only opening uses. */
#define BY_READERS (1ull << 63)
#define BY_WRITERS (1ull << 62)

struct pf_hb_clock *pf_fd_opening(struct pf_thread *t, int at, const char *path, int flags)
{
    struct stat about;
    const long argument[6] = {at, (long)path, (long)&about};
    if (flags & (O_NONBLOCK | O_PATH) || (flags & O_ACCMODE) == O_RDWR || !path)
        return NULL;
    if (pf_target_syscall(SYS_newfstatat, argument) < 0 || !S_ISFIFO(about.st_mode))
        return NULL;
    uint64_t ours = flags & O_ACCMODE ? BY_WRITERS : BY_READERS,
             others = ours ^ BY_READERS ^ BY_WRITERS;
    pf_hb_clock_release(t, clock_of(named_channel(about.st_dev | ours, about.st_ino)));
    return clock_of(named_channel(about.st_dev | others, about.st_ino));
}

void pf_fd_opened(struct pf_thread *t, int fd, struct pf_hb_clock *others)
{
    pf_fd_new(fd, PF_FD_UNKNOWN);
    if (others && fd >= 0)
        pf_hb_clock_acquire(t, others);
}

static void find_kind(int fd)
{
    struct stat about;
    if (!pf_fd_stat(fd, &about))
        return;
    switch (about.st_mode & S_IFMT) {
    case S_IFIFO:
        pf_fd_new_named(fd);
        return;
    case S_IFSOCK:
        pf_fd_new(fd, PF_FD_SOCKET);
        return;
    case 0: /* an anonymous inode of the kernel: eventfd and the like */
        pf_fd_new(fd, PF_FD_EVENT);
        return;
    default:
        pf_fd_new(fd, PF_FD_NONE);
    }
}

enum pf_fd_kind pf_fd_kind(int fd)
{
    struct fd_entry *e = entry(fd);
    if (!e)
        return PF_FD_NONE;
    uint32_t kind = __atomic_load_n(&e->kind, __ATOMIC_ACQUIRE);
    if (kind == PF_FD_UNKNOWN) {
        find_kind(fd);
        kind = __atomic_load_n(&e->kind, __ATOMIC_ACQUIRE);
    }
    return kind;
}

/* A reference to the channel of fd, or NULL. */
static struct channel *get(int fd, bool to)
{
    if (pf_fd_kind(fd) <= PF_FD_NONE)
        return NULL;
    struct fd_entry *e = entry(fd);
    pf_spin_lock(stripe(fd));
    struct channel *ch = hold(to ? e->to : e->from);
    pf_spin_unlock(stripe(fd));
    return ch;
}

/* The shadow of this word stands for the descriptor. */
static const void *word_of(const struct fd_entry *e) { return &e->to; }

void pf_fd_opened_by(struct pf_call *c, int fd)
{
    struct fd_entry *e = fd >= 0 ? entry(fd) : NULL;
    if (!e)
        return;
    e->opened_at = pf_call_id(c, PF_NATIVE_CALL);
    e->opened_by = c->t->number;
}

void pf_fd_use(struct pf_call *c, int fd)
{
    const struct fd_entry *e = pf_rt.object_uses ? entry(fd) : NULL;
    if (e)
        pf_runtime_read(c->t, word_of(e), sizeof e->to, pf_call_id(c, PF_NATIVE_READ));
}

void pf_fd_close(struct pf_call *c, int fd)
{
    struct fd_entry *e = pf_rt.object_uses ? entry(fd) : NULL;
    if (e) {
        pf_runtime_write(c->t, word_of(e), sizeof e->to, pf_call_id(c, PF_NATIVE_WRITE));
        pf_memory_new(word_of(e), sizeof e->to);
        e->opened_at = e->opened_by = 0;
    }
    pf_fd_end(c->t, fd);
}

static bool descriptor_at(uintptr_t addr, struct pf_descriptor *out)
{
    for (unsigned i = 0; i < CHUNKS; i++) {
        struct fd_entry *of = __atomic_load_n(&chunks[i], __ATOMIC_ACQUIRE);
        if (!of || addr - (uintptr_t)of >= CHUNK * sizeof *of)
            continue;
        unsigned k = (unsigned)((addr - (uintptr_t)of) / sizeof *of);
        *out = (struct pf_descriptor){(int)(i * CHUNK + k), of[k].opened_at, of[k].opened_by};
        return true;
    }
    return false;
}

void pf_fd_init(void) { pf_hooks.descriptor_at = descriptor_at; }

void pf_fd_dup(int from, int to)
{
    if (to < 0)
        return;
    enum pf_fd_kind kind = pf_fd_kind(from);
    struct channel *out = get(from, true), *in = get(from, false);
    set(to, kind, out, in);
    const struct fd_entry *e = entry(from);
    if (e && __atomic_load_n(&e->holds_file_lock, __ATOMIC_RELAXED))
        pf_fd_set_holds_file_lock(to); /* the last descriptor that is closed unlocks the file */
    drop(out);
    drop(in);
}

void pf_fd_send(struct pf_thread *t, int fd)
{
    if (pf_fd_kind(fd) <= PF_FD_NONE)
        return;
    pf_spin_lock(stripe(fd));
    struct channel *ch = entry(fd)->to;
    if (ch) {
        pf_hb_clock_release(t, clock_of(ch));
        if (__atomic_load_n(&ch->sent_in_message, __ATOMIC_RELAXED))
            pf_hb_clock_release(t, clock_of(&sockets));
        int n = __atomic_load_n(&ch->nwatchers, __ATOMIC_ACQUIRE);
        for (int i = 0; i < n && i < WATCHERS; i++)
            pf_hb_clock_release(t, clock_of(ch->watchers[i]));
        if (n > WATCHERS)
            pf_hb_clock_release(t, clock_of(&all_epolls));
    }
    pf_spin_unlock(stripe(fd));
}

void pf_fd_receive(struct pf_thread *t, int fd)
{
    if (pf_fd_kind(fd) <= PF_FD_NONE)
        return;
    pf_spin_lock(stripe(fd));
    struct channel *ch = entry(fd)->from;
    if (ch)
        pf_hb_clock_acquire(t, clock_of(ch));
    if (ch && __atomic_load_n(&ch->sent_in_message, __ATOMIC_RELAXED))
        pf_hb_clock_acquire(t, clock_of(&sockets));
    pf_spin_unlock(stripe(fd));
}

static void mark_sent(struct channel *ch)
{
    if (ch && !ch->shared) {
        __atomic_store_n(&ch->sent_in_message, true, __ATOMIC_RELAXED);
        pf_spin_lock(&watch_lock);
        for (int i = 0; i < ch->nwatchers && i < WATCHERS; i++)
            ch->watchers[i]->watches_shared = true;
        pf_spin_unlock(&watch_lock);
    }
    drop(ch);
}

void pf_fd_sent_in_message(int fd)
{
    mark_sent(get(fd, true));
    mark_sent(get(fd, false));
}

void pf_fd_received_in_message(int fd)
{
    if (pf_fd_kind(fd) > PF_FD_NONE)
        pf_fd_new(fd, PF_FD_SOCKET);
}

void pf_fd_send_all(struct pf_thread *t)
{
    for (unsigned fd = 0; fd < FD_MAX; fd++) {
        const struct fd_entry *of = __atomic_load_n(&chunks[fd / CHUNK], __ATOMIC_ACQUIRE);
        if (!of)
            fd |= CHUNK - 1;
        else if (__atomic_load_n(&of[fd % CHUNK].kind, __ATOMIC_RELAXED) > PF_FD_NONE)
            pf_fd_send(t, (int)fd);
    }
}

void pf_fd_set_holds_file_lock(int fd)
{
    struct fd_entry *e = entry(fd);
    if (e)
        __atomic_store_n(&e->holds_file_lock, true, __ATOMIC_RELAXED);
}

void pf_fd_end(struct pf_thread *t, int fd)
{
    struct fd_entry *e = entry(fd);
    if (e && __atomic_exchange_n(&e->holds_file_lock, false, __ATOMIC_RELAXED))
        pf_file_unlocking(t, fd);
    if (!e || __atomic_load_n(&e->kind, __ATOMIC_ACQUIRE) == PF_FD_UNKNOWN)
        return;
    pf_fd_send(t, fd);
    set(fd, PF_FD_UNKNOWN, NULL, NULL);
    if (!pf_rt.events)
        pf_memory_new(word_of(e), sizeof e->to); /* closed: the number has no users */
}

void pf_fd_end_range(struct pf_thread *t, unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < FD_MAX; fd++) {
        if (!__atomic_load_n(&chunks[fd / CHUNK], __ATOMIC_ACQUIRE))
            fd |= CHUNK - 1; /* no descriptor of this chunk is known */
        else
            pf_fd_end(t, (int)fd);
    }
}

void pf_fd_epoll_add(int epoll, int fd)
{
    struct channel *w = get(epoll, false), *ch = w ? get(fd, false) : NULL;
    if (ch && ch->shared) {
        w->watches_shared = true;
    } else if (ch) {
        pf_spin_lock(&watch_lock);
        w->watches_shared |= __atomic_load_n(&ch->sent_in_message, __ATOMIC_RELAXED);
        bool known = false;
        for (int i = 0; i < ch->nwatchers && i < WATCHERS; i++)
            known |= ch->watchers[i] == w;
        if (!known && ch->nwatchers < WATCHERS) {
            ch->watchers[ch->nwatchers] = hold(w);
            __atomic_store_n(&ch->nwatchers, ch->nwatchers + 1, __ATOMIC_RELEASE);
        } else if (!known) {
            __atomic_store_n(&ch->nwatchers, WATCHERS + 1, __ATOMIC_RELEASE);
            __atomic_store_n(&any_overflow, true, __ATOMIC_RELAXED);
        }
        pf_spin_unlock(&watch_lock);
    }
    drop(ch);
    drop(w);
}

void pf_fd_epoll_returned(struct pf_thread *t, int epoll)
{
    if (pf_fd_kind(epoll) <= PF_FD_NONE)
        return;
    pf_spin_lock(stripe(epoll));
    struct channel *w = entry(epoll)->from;
    if (w) {
        pf_hb_clock_acquire(t, clock_of(w));
        for (unsigned i = 0; w->watches_shared && i < NAMED; i++)
            if (named[i].channel.clock)
                pf_hb_clock_acquire(t, named[i].channel.clock);
        if (w->watches_shared)
            pf_hb_clock_acquire(t, clock_of(&sockets));
        if (__atomic_load_n(&any_overflow, __ATOMIC_RELAXED))
            pf_hb_clock_acquire(t, clock_of(&all_epolls));
    }
    pf_spin_unlock(stripe(epoll));
}

void pf_fd_lock_all(void)
{
    for (unsigned i = 0; i < STRIPES; i++)
        pf_spin_lock(&stripes[i].lock);
    pf_spin_lock(&watch_lock);
    pf_spin_lock(&named_lock);
}
void pf_fd_unlock_all(void)
{
    pf_spin_unlock(&named_lock);
    pf_spin_unlock(&watch_lock);
    for (unsigned i = 0; i < STRIPES; i++)
        pf_spin_unlock(&stripes[i].lock);
}

/* For stdio, which is not nested. */
static void call_nested(void (*f)(struct pf_thread *, int), struct pf_thread *t, int fd)
{
    pf_nest();
    f(t, fd);
    pf_unnest();
    pf_signal_poll_if_pending(t);
}
void pf_fd_send_unnested(struct pf_thread *t, int fd) { call_nested(pf_fd_send, t, fd); }
void pf_fd_receive_unnested(struct pf_thread *t, int fd) { call_nested(pf_fd_receive, t, fd); }
void pf_fd_end_unnested(struct pf_thread *t, int fd) { call_nested(pf_fd_end, t, fd); }
void pf_fd_send_all_unnested(struct pf_thread *t)
{
    pf_nest();
    pf_fd_send_all(t);
    pf_unnest();
    pf_signal_poll_if_pending(t);
}
