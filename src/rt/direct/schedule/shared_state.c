/* shared_state.c - see shared_state.h. */
#define _GNU_SOURCE
#include "shared_state.h"
#include "fnv.h"
#include "mappings.h"
#include "open_descriptors.h"
#include "syscalls.h"
#include "textbuf.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#define COPY_MAX (64ull << 20) /* bytes of shared memory that are copied */
#define RANGES 64u /* of shared memory */

/* --- memory --- */

static struct range {
    uint64_t lo, hi;
    char *copy;
} ranges[RANGES];
static uint32_t nranges;
static bool too_much; /* shared memory: it is not copied */

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

/* Whether the descriptor is readable, writable, or closed at the other end, and, of a socket, its
 * addresses. */
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
    return pf_fnv_bytes(h, &name, sizeof name);
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
    pf_copy(path + sizeof folder - 1, number, pf_str_len(number) + 1);
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

static uint64_t descriptors;
static uint16_t opened[PF_OWN_FDS]; /* this process opens no others between save and restore */
static uint32_t nopened;

static void find_descriptors(void)
{
    bool open[PF_OPEN_DESCRIPTORS];
    nopened = 0;
    pf_open_descriptors(open);
    for (uint16_t fd = 0; fd < PF_OWN_FDS; fd++)
        if (open[fd] && pf_continuation_shares_descriptor(fd))
            opened[nopened++] = fd;
}

static uint64_t hash_descriptors(void)
{
    uint64_t h = PF_FNV_START;
    for (uint32_t i = 0; i < nopened; i++)
        h = hash_descriptor(pf_fnv_number(h, opened[i]), opened[i]);
    return h;
}

void pf_shared_state_save(void)
{
    save_memory();
    find_descriptors();
    descriptors = hash_descriptors();
}

bool pf_shared_state_restore(void)
{
    for (uint32_t i = 0; i < nranges; i++)
        pf_copy((void *)ranges[i].lo, ranges[i].copy, ranges[i].hi - ranges[i].lo);
    return !too_much && hash_descriptors() == descriptors;
}

bool pf_shared_state_has_memory(void) { return too_much || nranges; }
