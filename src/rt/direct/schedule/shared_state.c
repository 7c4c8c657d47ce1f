/* shared_state.c - see shared_state.h. */
#define _GNU_SOURCE
#include "shared_state.h"
#include "fnv.h"
#include "mappings.h"
#include "syscalls.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#define FDS 900 /* the runtime uses descriptors from here on */
#define COPY_MAX (64ull << 20)
#define RANGES 64u

/* --- memory --- */

static struct range {
    uint64_t lo, hi;
    char *copy;
} ranges[RANGES];
static uint32_t nranges;
static bool too_much; /* of shared memory to be copied */

static void save_memory(void)
{
    uint64_t total = 0;
    nranges = 0;
    too_much = !pf_mappings_known();
    for (const struct pf_mapping *m = pf_mapping_above(0); m; m = pf_mapping_above(m->hi)) {
        if (!m->shared || !m->writable)
            continue;
        struct range *r = &ranges[nranges];
        total += m->hi - m->lo;
        if (nranges == RANGES || total > COPY_MAX || !(r->copy = pf_sys_map(NULL, m->hi - m->lo))) {
            too_much = true;
            return;
        }
        r->lo = m->lo;
        r->hi = m->hi;
        nranges++;
        pf_copy(r->copy, (const void *)r->lo, r->hi - r->lo);
    }
}

/* --- descriptors --- */

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *p = bytes; n--; p++)
        h = (h ^ *p) * PF_FNV_PRIME;
    return h;
}

/* Is the descriptor readable, writable, closed at the other end? Is it a connected socket? */
static uint64_t hash_socket(uint64_t h, int fd)
{
    struct sockaddr_storage name = {0};
    struct pollfd now = {.fd = fd, .events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP};
    struct timespec no_time = {0};
    pf_sys(SYS_ppoll, &now, 1, &no_time, NULL, 0);
    h = pf_fnv_number(h, (uint64_t)now.revents);
    uint32_t size = sizeof name;
    h = pf_fnv_number(h, (uint64_t)pf_sys(SYS_getsockname, fd, &name, &size));
    size = sizeof name;
    h = pf_fnv_number(h, (uint64_t)pf_sys(SYS_getpeername, fd, &name, &size));
    return hash_bytes(h, &name, sizeof name);
}

/* A hash of the descriptor's state, as far as it can be seen without changing it. */
static uint64_t hash_descriptor(uint64_t h, int fd)
{
    static char text[4096];
    static const char folder[] = "/proc/self/fdinfo/";
    struct pf_fd_link link = pf_fd_link(fd); /* "/proc/self/fd/N" */
    const char *number = link.path + sizeof "/proc/self/fd/" - 1;
    char path[sizeof folder + sizeof link.path];
    int unread = 0;
    pf_copy(path, folder, sizeof folder - 1);
    pf_copy(path + sizeof folder - 1, number, pf_string_length(number) + 1);
    pf_sys(SYS_ioctl, fd, FIONREAD, &unread);
    h = hash_socket(pf_fnv_number(h, (uint64_t)unread), fd);
    long info = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n = 0;
    if (info >= 0) {
        n = pf_sys(SYS_read, info, text, sizeof text - 1);
        pf_sys(SYS_close, info);
    }
    text[n > 0 ? n : 0] = 0;
    return pf_fnv_text(h, text);
}

static uint64_t hash_descriptors(void)
{
    uint64_t h = PF_FNV_START;
    for (int fd = 0; fd < FDS; fd++)
        if (pf_continuation_shares_descriptor(fd))
            h = hash_descriptor(pf_fnv_number(h, (uint64_t)fd), fd);
    return h;
}

static uint64_t descriptors;

void pf_shared_state_save(void)
{
    save_memory();
    descriptors = hash_descriptors();
}

bool pf_shared_state_restore(void)
{
    for (uint32_t i = 0; i < nranges; i++)
        pf_copy((void *)ranges[i].lo, ranges[i].copy, ranges[i].hi - ranges[i].lo);
    return !too_much && hash_descriptors() == descriptors;
}

/* --- names --- */

#define CREATED 256u
static uint32_t *counter; /* NULL: not in a continuation */
static uint64_t created[CREATED]; /* hashes of the names that it created and not yet removed */
static uint32_t ncreated, other_changes;

void pf_shared_names_count(uint32_t *changes)
{
    counter = changes;
    *changes = ncreated = other_changes = 0;
}

static uint64_t hash_name(long folder, const char *path)
{
    return pf_fnv_text(pf_fnv_number(PF_FNV_START, path[0] == '/' ? 0 : (uint64_t)folder), path);
}

static void note_created(uint64_t name)
{
    if (ncreated < CREATED)
        created[ncreated++] = name;
    else
        other_changes++;
}

/* The name was removed, or its contents changed (`stays`). */
static void note_changed(uint64_t name, bool stays)
{
    for (uint32_t i = 0; i < ncreated; i++)
        if (created[i] == name) {
            if (!stays)
                created[i] = created[--ncreated];
            return;
        }
    other_changes++;
}

/* How the arguments name a file that the call opens. False: it is not such a call. */
static bool is_open(long number, const long a[6], long *folder, const char **path, long *flags)
{
    bool at = number == SYS_openat;
    if (!at && number != SYS_open && number != SYS_creat)
        return false;
    *folder = at ? a[0] : AT_FDCWD;
    *path = (const char *)a[at];
    *flags = number == SYS_creat ? O_CREAT | O_WRONLY | O_TRUNC : a[at + 1];
    return true;
}

bool pf_shared_names_before(long number, const long a[6])
{
    long folder, flags;
    const char *path;
    return counter && is_open(number, a, &folder, &path, &flags) && flags & O_CREAT &&
           pf_sys(SYS_faccessat, folder, path, 0) == 0;
}

static void after_open(long folder, const char *path, long flags, bool existed, long fd)
{
    struct stat st;
    if (pf_sys(SYS_fstat, fd, &st) || !S_ISREG(st.st_mode) || (flags & __O_TMPFILE) == __O_TMPFILE)
        return;
    if (flags & O_CREAT && !existed)
        note_created(hash_name(folder, path));
    else if ((flags & O_ACCMODE) != O_RDONLY)
        note_changed(hash_name(folder, path), true);
}

void pf_shared_names_after(long number, const long a[6], bool existed, long result)
{
    long folder, flags;
    const char *path;
    if (!counter || result < 0)
        return;
    if (is_open(number, a, &folder, &path, &flags))
        after_open(folder, path, flags, existed, result);
    switch (number) {
    case SYS_mkdir:
    case SYS_mknod:
        note_created(hash_name(AT_FDCWD, (const char *)a[0]));
        break;
    case SYS_mkdirat:
    case SYS_mknodat:
        note_created(hash_name(a[0], (const char *)a[1]));
        break;
    case SYS_link:
    case SYS_symlink:
        note_created(hash_name(AT_FDCWD, (const char *)a[1]));
        break;
    case SYS_symlinkat:
        note_created(hash_name(a[1], (const char *)a[2]));
        break;
    case SYS_linkat:
        note_created(hash_name(a[2], (const char *)a[3]));
        break;
    case SYS_unlink:
    case SYS_rmdir:
        note_changed(hash_name(AT_FDCWD, (const char *)a[0]), false);
        break;
    case SYS_unlinkat:
        note_changed(hash_name(a[0], (const char *)a[1]), false);
        break;
    case SYS_truncate:
        note_changed(hash_name(AT_FDCWD, (const char *)a[0]), true);
        break;
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2: /* what the new name was before is unknown */
    case SYS_openat2:
    case SYS_mq_unlink:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_semctl:
    case SYS_msgsnd:
    case SYS_msgrcv:
        other_changes++;
        break;
    default:
        break;
    }
    *counter = ncreated + other_changes;
}
