/*
 * child_log.c - see child_log.h.
 *
 * Rejected: rings for each child. pf would have to drain hundreds of them, and a child of a test
 * harness writes little.
 */
#include "child_log.h"
#include "stream_ring.h"
#include "sys.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

bool pf_child_log_used;
struct pf_forked *pf_forked_self;
static int fd = -1;
static bool decided; /* the outcome is known */
static uint64_t written[PF_STREAMS]; /* position in each stream */
static struct pf_continuation results;

void pf_child_log_mark(void)
{
    for (int s = 0; s < PF_STREAMS && !pf_child_log_used; s++)
        written[s] = PF_STREAM_IS_EVENTS(s) ? 0 : pf_ring_position((enum pf_stream)s);
}

static void begin(int file)
{
    if (fd >= 0)
        pf_sys(SYS_close, fd); /* the parent's */
    fd = file;
    pf_child_log_used = true;
    pf_direct.tracing = false;
    decided = false;
    results = (struct pf_continuation){0};
}

bool pf_child_log_open(const char *path)
{
    long file = pf_sys_move_fd(
        pf_sys(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
    if (file < 0)
        return false;
    begin((int)file);
    pf_sys_write(fd, written, sizeof written);
    return true;
}

void pf_child_log_drop(void)
{
    begin(-1);
    decided = true;
}

static void write_piece(uint32_t stream, const void *a, size_t na, const void *b, size_t nb)
{
    struct pf_piece p = {stream, (uint32_t)(na + nb)};
    struct iovec v[] = {{&p, sizeof p}, {(void *)a, na}, {(void *)b, nb}};
    if (fd >= 0)
        pf_sys_write_by(SYS_writev, fd, v, 3);
}

void pf_child_log_put(uint32_t stream, const void *bytes, size_t n)
{
    if (PF_STREAM_IS_EVENTS(stream))
        return; /* a replay produces the events again */
    write_piece(stream, bytes, n, NULL, 0);
    written[stream] += n;
}

void pf_child_log_outcome(enum pf_outcome what, const char *text)
{
    unsigned char word = (unsigned char)what;
    size_t n = 0;
    while (text[n])
        n++;
    if (!decided)
        write_piece(PF_STREAMS, &word, 1, text, n);
    decided = true;
}

struct pf_continuation *pf_child_log_results(void) { return pf_child_log_used ? &results : NULL; }

bool pf_child_log_keep_open(long number, const long a[6], long *result)
{
    if (fd < 0)
        return false;
    if (number == SYS_close && (int)a[0] == fd) {
        *result = -EBADF;
        return true;
    }
    if ((number == SYS_dup2 || number == SYS_dup3) && (int)a[1] == fd && a[0] != a[1]) {
        long other = pf_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, PF_OWN_FDS);
        fd = other >= 0 ? (int)other : fd; /* the call replaces the old descriptor */
        return false;
    }
    uint32_t first = (uint32_t)a[0], last = (uint32_t)a[1], own = (uint32_t)fd;
    if (number != SYS_close_range || first > own || last < own)
        return false;
    *result = first < own ? pf_sys(number, first, own - 1, a[2]) : 0;
    if (*result == 0 && last > own)
        *result = pf_sys(number, own + 1, last, a[2]);
    return true;
}
