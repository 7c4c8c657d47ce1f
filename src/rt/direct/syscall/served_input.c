/* served_input.c - see served_input.h. */
#define _GNU_SOURCE
#include "served_input.h"
#include "file_overlay.h"
#include "stream_ring.h"
#include "sys.h"
#include "syscalls.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct served_bytes {
    bool present;
    uint8_t *at;
    uint64_t n, used;
};
static struct served_bytes sockets[PF_SOCKETS_MAX + 1], random_bytes; /* sockets: by number */
static uint64_t inodes[PF_SOCKETS_MAX + 1];
static uint32_t nsockets;

uint32_t pf_socket_number(uint64_t inode, bool is_new)
{
    for (uint32_t i = 1; i <= nsockets; i++)
        if (inodes[i] == inode)
            return i;
    if (!is_new || nsockets == PF_SOCKETS_MAX)
        return 0;
    inodes[++nsockets] = inode;
    return nsockets;
}

bool pf_is_random_device(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 &&
           (minor(st->st_rdev) == 8 || minor(st->st_rdev) == 9);
}

bool pf_received(long number, const long a[6], struct pf_received *out)
{
    *out = (struct pf_received){.fd = (int)a[0], .at = &out->one, .n = 1};
    out->one = (struct iovec){(void *)a[1], (size_t)a[2]};
    switch (number) {
    case SYS_read:
        return true;
    case SYS_recvfrom:
        out->peeks = a[3] & MSG_PEEK;
        return true;
    case SYS_readv:
        out->at = (const struct iovec *)a[1];
        out->n = (size_t)a[2];
        return true;
    case SYS_recvmsg:
        out->at = ((const struct msghdr *)a[1])->msg_iov;
        out->n = ((const struct msghdr *)a[1])->msg_iovlen;
        out->peeks = a[2] & MSG_PEEK;
        return true;
    case SYS_getrandom:
        out->fd = -1;
        out->one = (struct iovec){(void *)a[0], (size_t)a[1]};
        return true;
    default:
        return false;
    }
}

/* Copies the next bytes into the buffers, at most n. Returns their number. */
static uint64_t deliver(struct served_bytes *s, const struct pf_received *to, uint64_t n)
{
    uint64_t done = 0, left = s->n - s->used;
    for (size_t i = 0; i < to->n && done < n && done < left; i++) {
        uint64_t part = to->at[i].iov_len;
        part = part < n - done ? part : n - done;
        part = part < left - done ? part : left - done;
        pf_copy(to->at[i].iov_base, s->at + s->used + done, part);
        done += part;
    }
    if (!to->peeks)
        s->used += done;
    return done;
}

long pf_served_result(long number, const long a[6], long r)
{
    struct pf_received to;
    struct stat st = {0};
    if (r < 0 || !pf_received(number, a, &to))
        return r;
    bool from_kernel = to.fd < 0; /* getrandom */
    if (!from_kernel && pf_sys(SYS_fstat, to.fd, &st) != 0)
        return r;
    if (from_kernel || pf_is_random_device(&st)) {
        (void)deliver(&random_bytes, &to, (uint64_t)r);
        return r;
    }
    /* every run numbers the sockets here, so that the numbers are the same in all runs */
    struct served_bytes *s =
        S_ISSOCK(st.st_mode) ? &sockets[pf_socket_number(st.st_ino, r > 0)] : &sockets[0];
    uint64_t room = 0;
    for (size_t i = 0; i < to.n; i++)
        room += to.at[i].iov_len;
    if (!s->present || !room)
        return r;
    return (long)deliver(s, &to, r || !pf_fd_is_stream(to.fd) ? (uint64_t)r : room);
}

/* --- the list --- */

static uint32_t digit(char c) { return (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10); }

static bool starts(const char *s, const char *end, const char *with)
{
    while (*with && s < end && *s == *with)
        s++, with++;
    return !*with;
}

/* One line SOURCE=HEX; `equal` is the '='. */
static void take(const char *line, const char *equal, const char *end)
{
    static char path[1024];
    struct served_bytes bytes = {.present = true, .n = (uint64_t)(end - equal - 1) / 2};
    bytes.at = pf_sys_map(NULL, bytes.n + 1);
    if (!bytes.at)
        pf_diverged_words("inputs that cannot be served", "none", "no memory");
    for (uint64_t i = 0; i < bytes.n; i++)
        bytes.at[i] = (uint8_t)(digit(equal[1 + 2 * i]) << 4 | digit(equal[2 + 2 * i]));
    size_t skip = starts(line, end, "file:") ? 5 : starts(line, end, "absent:") ? 7 : 0;
    if (skip && (size_t)(equal - line) - skip < sizeof path) {
        pf_copy(path, line + skip, (size_t)(equal - line) - skip);
        path[(size_t)(equal - line) - skip] = 0;
        if (skip == 5)
            pf_overlay_serve(path, bytes.at, bytes.n);
        else
            pf_overlay_hide(path);
    } else if (starts(line, end, "socket[")) {
        uint32_t number = 0;
        for (const char *p = line + 7; *p >= '0' && *p <= '9'; p++)
            number = number * 10 + (uint32_t)(*p - '0');
        if (number && number <= PF_SOCKETS_MAX)
            sockets[number] = bytes;
    } else if (starts(line, end, "random")) {
        random_bytes = bytes;
    }
}

void pf_served_init(void)
{
    const struct pf_channel *c = pf_channel_get();
    struct stat st = {0};
    if (!c->private_files || !pf_recording())
        return;
    pf_overlay_begin();
    if (!c->served[0])
        return;
    long fd = pf_sys(SYS_open, c->served, O_RDONLY | O_CLOEXEC, 0), at = -1;
    if (fd >= 0 && pf_sys(SYS_fstat, fd, &st) == 0)
        at = pf_sys_map_file((int)fd, (size_t)st.st_size, false);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (pf_sys_failed(at))
        pf_diverged_words("inputs that cannot be served", "none", c->served);
    const char *p = (const char *)at, *all = p + st.st_size;
    while (p < all) {
        const char *equal = NULL, *end = p;
        for (; end < all && *end != '\n'; end++)
            if (*end == '=')
                equal = end;
        if (equal)
            take(p, equal, end);
        p = end + 1;
    }
    pf_sys(SYS_munmap, at, st.st_size);
}
