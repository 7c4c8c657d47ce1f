/*
 * wrap_limit.c - limits that the target sets for itself, in free mode: address space, data, size of
 * files. (Directed mode emulates the system calls: direct/syscall/process_calls.c.)
 *
 * The memory of the runtime counts towards the target's limits, and its log is a file. So the
 * kernel gets other limits than the target has asked for, and getrlimit returns those of the
 * target. Memory: what the runtime has mapped is added, and some room for what it will map. Files:
 * the hard limit stays, so that the runtime can raise the limit for its own writes (pf_sys_write).
 */
#include "mode_ops.h"
#include "pf_shadow.h"
#include "spin.h"
#include "sys.h"
#include "wrap_libc.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#define ROOM (1ull << 30) /* for memory that the runtime maps later */
#define LIMITS 3

static struct stored_limit {
    bool set;
    struct rlimit to;
} stored[LIMITS];
static struct pf_spin guard;

void pf_rlimit_lock(void) { pf_spin_lock(&guard); }
void pf_rlimit_unlock(void) { pf_spin_unlock(&guard); }

static struct stored_limit *stored_of(int what)
{
    return what == RLIMIT_AS      ? &stored[0]
           : what == RLIMIT_DATA  ? &stored[1]
           : what == RLIMIT_FSIZE ? &stored[2]
                                  : NULL;
}

static bool is_app_memory(uint64_t at)
{
    static const uint64_t range[][2] = {PF_APP_RANGES};
    for (unsigned i = 0; i < sizeof range / sizeof *range; i++)
        if (at >= range[i][0] && at < range[i][1])
            return true;
    return false;
}

/* Bytes that the runtime has mapped; data: only private writable ones. Reads the lines "lo-hi rwxp"
 * of /proc/self/maps. */
static uint64_t runtime_memory(bool data)
{
    static char piece[4096];
    uint64_t sum = 0, bound[2] = {0, 0};
    unsigned field = 0; /* 0, 1: the bounds; then the letters of the protection; 6: the rest */
    bool writable = false;
    long fd = pf_sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
    while (fd >= 0 && (n = pf_sys(SYS_read, fd, piece, sizeof piece)) > 0)
        for (long i = 0; i < n; i++) {
            char c = piece[i];
            if (c == '\n') {
                bound[0] = bound[1] = field = 0;
            } else if (field < 2 && (c == '-' || c == ' ')) {
                field++;
            } else if (field < 2) {
                bound[field] = bound[field] << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
            } else if (field < 6) {
                writable = field == 3 ? c == 'w' : writable;
                if (++field == 6 && !is_app_memory(bound[0]) && (!data || (writable && c == 'p')))
                    sum += bound[1] - bound[0];
            }
        }
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    return sum;
}

static rlim_t enlarged(rlim_t limit, int what)
{
    uint64_t more = what == RLIMIT_FSIZE ? 0 : runtime_memory(what == RLIMIT_DATA) + ROOM;
    return limit > RLIM_INFINITY - more ? RLIM_INFINITY : limit + more;
}

/* Exchanges a limit of this process; `to` and `old` may be NULL. Returns 0 or a negative errno. */
static long exchange(int what, const struct rlimit *to, struct rlimit *old)
{
    struct stored_limit *s = stored_of(what);
    struct rlimit wanted, now;
    if (!s || (to && !pf_sys_readable(to, sizeof *to)))
        return pf_sys(SYS_prlimit64, 0, what, to, old);
    long r = pf_sys(SYS_prlimit64, 0, what, NULL, &now);
    if (r)
        return r;
    struct rlimit before = s->set ? s->to : now;
    if (to) {
        wanted = *to;
        if (wanted.rlim_cur > wanted.rlim_max)
            return -EINVAL;
        if (wanted.rlim_max > before.rlim_max && pf_sys(SYS_geteuid))
            return -EPERM;
        rlim_t most = wanted.rlim_max > now.rlim_max ? wanted.rlim_max : now.rlim_max;
        rlim_t soft = enlarged(wanted.rlim_cur, what);
        struct rlimit kernel = {soft < most ? soft : most, most};
        r = pf_sys(SYS_prlimit64, 0, what, &kernel, NULL);
        if (r)
            return r;
        *s = (struct stored_limit){true, wanted};
    }
    if (old)
        r = pf_sys(SYS_prlimit64, 0, what, NULL, old); /* fails for a bad pointer */
    if (old && !r)
        *old = before;
    return r;
}

PF_REAL_EXTERN(prlimit);
int pf_rlimit_exchange(pid_t pid, int what, const struct rlimit *to, struct rlimit *old)
{
    if (pid && pid != (pid_t)pf_sys(SYS_getpid))
        return PF_REAL(prlimit)(pid, what, to, old);
    pf_spin_lock(&guard);
    long r = exchange(what, to, old);
    pf_spin_unlock(&guard);
    if (r)
        errno = (int)-r;
    return r ? -1 : 0;
}

/* The functions with and without the suffix 64 are the same on this platform. */
#define LIMIT_FUNCTIONS(suffix)                                                                    \
    PF_INTERPOSE(int, setrlimit##suffix,                                                           \
                 (__rlimit_resource_t what, const struct rlimit##suffix *p))                       \
    {                                                                                              \
        PF_VISIBLE(setrlimit##suffix);                                                             \
        int r = pf_mode->limit(0, (int)what, (const void *)p, NULL);                               \
        PF_WITH_FRAME(setrlimit##suffix, if (r == 0) pf_reads(p, sizeof *p));                      \
        return r;                                                                                  \
    }                                                                                              \
    PF_INTERPOSE(int, getrlimit##suffix, (__rlimit_resource_t what, struct rlimit##suffix * p))    \
    {                                                                                              \
        PF_VISIBLE(getrlimit##suffix);                                                             \
        int r = pf_mode->limit(0, (int)what, NULL, (void *)p);                                     \
        PF_WITH_FRAME(getrlimit##suffix, if (r == 0) pf_writes(p, sizeof *p));                     \
        return r;                                                                                  \
    }                                                                                              \
    PF_INTERPOSE(int, prlimit##suffix,                                                             \
                 (pid_t pid, enum __rlimit_resource what, const struct rlimit##suffix *to,         \
                  struct rlimit##suffix *old))                                                     \
    {                                                                                              \
        PF_VISIBLE(prlimit##suffix);                                                               \
        int r = pf_mode->limit(pid, (int)what, (const void *)to, (void *)old);                     \
        PF_WITH_FRAME(prlimit##suffix, if (r == 0 && to) pf_reads(to, sizeof *to);                 \
                      if (r == 0 && old) pf_writes(old, sizeof *old));                             \
        return r;                                                                                  \
    }
LIMIT_FUNCTIONS()
LIMIT_FUNCTIONS(64)
