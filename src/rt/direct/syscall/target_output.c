/*
 * target_output.c - what the target writes: logged while recording, compared in a replay.
 *
 * For standard output and error the bytes are stored, so that a difference can be shown; for
 * everything else the length and a hash. A replay writes only to pf's own standard output and
 * error, and only what the target wrote to its own. Descriptors are tracked through dup, because a
 * program may replace descriptor 1 by a file.
 */
#define _GNU_SOURCE
#include "number_text.h"
#include "output_record.h"
#include "stack.h"
#include "stream_ring.h"
#include "syscalls.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* What is known about a descriptor. */
struct output_descriptor {
    uint8_t standard; /* 1: it is standard output; 2: standard error; 0: neither */
    /* a pipe, socket pair or eventfd that the program has made: what it writes there stays in the
     * program, unless it has started other processes */
    bool internal;
};
#define FDS 4096 /* descriptors that are tracked */
static struct output_descriptor descriptors[FDS] = {[1] = {.standard = 1}, [2] = {.standard = 2}};

static struct output_descriptor descriptor_of(long fd)
{
    return fd >= 0 && fd < FDS ? descriptors[fd] : (struct output_descriptor){0};
}

static void set_descriptor(long fd, struct output_descriptor what)
{
    if (fd >= 0 && fd < FDS)
        descriptors[fd] = what;
}

static uint8_t standard_of(long fd) { return descriptor_of(fd).standard; }

int pf_output_standard(int fd) { return standard_of(fd); }

static bool hide;
void pf_output_hide(void) { hide = true; }
bool pf_output_hidden(int fd) { return hide && standard_of(fd); }

void pf_output_track(long number, const long a[6], long r)
{
    const struct output_descriptor internal = {.internal = true}, other = {0};
    const int *pair = (const int *)(number == SYS_socketpair ? a[3] : a[0]);
    if (r < 0)
        return;
    switch (number) {
    case SYS_close:
        set_descriptor(a[0], other);
        break;
    case SYS_close_range:
        if (!(a[2] & CLOSE_RANGE_CLOEXEC))
            for (unsigned long fd = (unsigned)a[0]; fd <= (unsigned)a[1] && fd < FDS; fd++)
                set_descriptor((long)fd, other);
        break;
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
        set_descriptor(r, descriptor_of(a[0]));
        break;
    case SYS_fcntl:
        if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
            set_descriptor(r, descriptor_of(a[0]));
        break;
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat:
    case SYS_socket:
    case SYS_accept:
    case SYS_accept4:
        set_descriptor(r, other);
        break;
    case SYS_eventfd:
    case SYS_eventfd2:
        set_descriptor(r, internal);
        break;
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_socketpair:
        set_descriptor(pair[0], internal);
        set_descriptor(pair[1], internal);
        break;
    default:
        break;
    }
}

size_t pf_output_vectors(long number, const long a[6], struct iovec *one, const struct iovec **list)
{
    const struct msghdr *m = (const struct msghdr *)a[1];
    switch (number) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_sendto:
        *one = (struct iovec){(void *)a[1], (size_t)a[2]};
        *list = one;
        return 1;
    case SYS_sendmsg:
        *list = m ? m->msg_iov : NULL;
        return m ? m->msg_iovlen : 0;
    case SYS_sendmmsg: /* several messages: only their number is compared */
        *list = NULL;
        return 0;
    default:
        *list = (const struct iovec *)a[1];
        return (size_t)a[2];
    }
}

static void show(int fd, const char *bytes, size_t n)
{
    struct pf_channel *channel = pf_channel_get();
    if (channel && channel->quiet)
        return;
    while (n) {
        long r = pf_sys(SYS_write, fd, bytes, n);
        if (r == -EINTR)
            continue;
        if (r <= 0) { /* the run continues; not an error if the reader closed the pipe */
            if (channel && !channel->unshown && r != -EPIPE)
                channel->unshown = (uint32_t)-r;
            return;
        }
        bytes += r;
        n -= (size_t)r;
    }
}

/* --- which stack writes a certain byte --- */

struct stack_text {
    char *at, *end;
};

static void add_text(struct stack_text *t, const char *s)
{
    for (; s && *s && t->at < t->end; s++)
        *t->at++ = *s;
    *t->at = 0;
}

static bool add_position(const struct pf_position *p, void *arg)
{
    struct stack_text *t = arg;
    add_text(t, p->func);
    if (p->file) {
        add_text(t, " ");
        add_text(t, p->file);
        add_text(t, ":");
        add_text(t, pf_number_format(&(struct pf_number_text){0}, p->line));
    }
    add_text(t, "\n");
    return true;
}

static uint64_t standard_written[3]; /* bytes, by descriptor */

uint64_t pf_output_written(int fd) { return fd >= 0 && fd < 3 ? standard_written[fd] : 0; }

static uint64_t written; /* bytes of the wanted descriptor so far */

/* Stores the stack of the current thread if it has produced the wanted byte, which is among the
 * first n bytes. */
static void note_stack(struct pf_channel *c, uint64_t n)
{
    if (c->output_at >= n || *c->output_stack)
        return;
    struct stack_text t = {c->output_stack, c->output_stack + sizeof c->output_stack - 1};
    if (__pf_tls.thread && __pf_tls.thread->context.frames)
        pf_stack_walk_live(__pf_tls.thread, add_position, &t);
}

static void count_written(int fd, const struct iovec *v, size_t count, uint64_t n)
{
    struct pf_channel *c = pf_channel_get();
    if (!c || !c->output_wanted || fd != c->output_fd)
        return;
    for (uint64_t at = written, i = 0; i < count && at < written + n; at += v[i++].iov_len)
        if (c->output_at >= at && c->output_at - at < v[i].iov_len) {
            uint64_t skip = c->output_at - at, left = v[i].iov_len - skip;
            c->output_length = left < sizeof c->output_bytes ? left : sizeof c->output_bytes;
            pf_copy(c->output_bytes, (const char *)v[i].iov_base + skip, c->output_length);
        }
    written += n;
    note_stack(c, written);
}

int pf_output_wanted_stream(void)
{
    const struct pf_channel *c = pf_channel_get();
    return c && c->output_wanted ? c->output_fd : -1;
}

void pf_output_buffered(uint64_t n) { note_stack(pf_channel_get(), written + n); }

/* True if the descriptor is the write end of a pipe whose read end is the descriptor before it. It
 * may have been made while the runtime started, as by an allocator. */
static bool is_own_pipe(int fd)
{
    struct stat write_end, read_end;
    return fd > 3 && pf_sys(SYS_fstat, fd, &write_end) == 0 &&
           pf_sys(SYS_fstat, fd - 1, &read_end) == 0 && S_ISFIFO(write_end.st_mode) &&
           write_end.st_ino == read_end.st_ino && write_end.st_dev == read_end.st_dev;
}

/* libunwind, and so tcmalloc, writes one byte into a pipe of its own to see whether memory is
 * readable. The byte may be of dead stack memory, which a replay does not reproduce. */
static bool is_probe(const struct pf_output_record *r)
{
    return r->length == 1 && (r->fd & PF_OUTPUT_INTERNAL || is_own_pipe(r->fd));
}

/* Compares a record of this run, and the position that belongs to it, with the recorded one. */
static void compare_record(const struct pf_output_record *r, int64_t position)
{
    const struct pf_output_record *was = pf_ring_get(PF_STREAM_OUTPUT, sizeof *was);
    const int64_t *at =
        was && was->fd & PF_OUTPUT_PLACED ? pf_ring_get(PF_STREAM_OUTPUT, sizeof *at) : NULL;
    if (!was || (was->kept && !pf_ring_get(PF_STREAM_OUTPUT, was->kept)))
        pf_diverged("more output than recorded, in bytes", 0, r->length);
    if ((was->fd ^ r->fd) & ~PF_OUTPUT_INTERNAL || was->length != r->length)
        pf_diverged("different length of output", was->length, r->length);
    int64_t where;
    if (at)
        __builtin_memcpy(&where, at, sizeof where); /* it is not aligned */
    if (at && where != position)
        pf_diverged("different position of output", (uint64_t)where, (uint64_t)position);
    if (was->hash != r->hash && !is_probe(r))
        pf_diverged("different output", was->hash, r->hash);
}

/* The position of the file at which the call writes; -1: where the last bytes ended. */
static int64_t position_of(long number, const long a[6])
{
    return number == SYS_pwrite64 || number == SYS_pwritev || number == SYS_pwritev2 ? a[3] : -1;
}

void pf_output_bytes(long number, const long a[6], const struct iovec *v, size_t count, long result)
{
    if (result <= 0)
        return;
    int fd = (int)a[0];
    int64_t position = position_of(number, a);
    uint8_t shown = standard_of(fd);
    struct pf_output_record r = {.context = pf_context_number(pf_context_self()), .fd = fd};
    size_t left = (size_t)result;
    for (size_t i = 0; i < count && left; i++) {
        size_t n = v[i].iov_len < left ? v[i].iov_len : left;
        r.hash = pf_output_hash(r.hash, v[i].iov_base, n);
        r.length += (uint32_t)n;
        left -= n;
    }
    r.kept = shown ? r.length : 0;
    if (descriptor_of(fd).internal && !pf_channel_get()->children)
        r.fd |= PF_OUTPUT_INTERNAL;
    count_written(fd, v, count, r.length);
    if (fd >= 0 && fd < 3)
        standard_written[fd] += r.length;
    if (position >= 0)
        r.fd |= PF_OUTPUT_PLACED;
    if (pf_recording()) {
        pf_ring_put(PF_STREAM_OUTPUT, &r, sizeof r);
        if (position >= 0)
            pf_ring_put(PF_STREAM_OUTPUT, &position, sizeof position);
    } else {
        compare_record(&r, position);
    }
    left = r.kept;
    for (size_t i = 0; i < count && left; i++) {
        size_t n = v[i].iov_len < left ? v[i].iov_len : left;
        if (pf_recording())
            pf_ring_put(PF_STREAM_OUTPUT, v[i].iov_base, n);
        else
            show(shown, v[i].iov_base, n);
        left -= n;
    }
}
