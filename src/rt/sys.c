/* sys.c - see sys.h. The system call instructions are in gate.S. */
#include "sys.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

/* --- rewinding --- */

#define KEEPS_MAX 1024 /* releases of memory that are left out in one run */
uint8_t pf_rewind_on, pf_rewind_spoiled;
void (*pf_rewind_leave)(int status), (*pf_rewind_die)(int signal);
long (*pf_rewind_perform)(long number, const long argument[6]);
void (*pf_rewind_clear)(uint64_t from, uint64_t to);
uint64_t pf_rewind_unchanging[PF_REWIND_CALLS / 64];
static uint32_t kept;
bool pf_rewind_keeps_memory(void) { return pf_rewind_on && kept++ < KEEPS_MAX; }

/* --- memory --- */

/* Addresses for the runtime's own mappings. The kernel would choose a hole left by the target's
 * munmap, and the target may map something there again. */
#define OWN_BASE 0x080000000000ull
static uint64_t own_used;

/* Only a hint: the kernel chooses another address if this one is taken. */
static uint64_t own_address(size_t size)
{
    return OWN_BASE + __atomic_fetch_add(&own_used, pf_page_up(size) + PF_PAGE, __ATOMIC_RELAXED);
}

void *pf_sys_map(void *at, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    uint64_t hint = at ? (uint64_t)at : own_address(size);
    const long a[6] = {(long)hint, (long)size, PROT_READ | PROT_WRITE, flags, -1, 0};
    long r = pf_rewind_on ? pf_rewind_perform(SYS_mmap, a)
                          : pf_sys6(SYS_mmap, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (pf_sys_failed(r))
        return NULL;
    if (at && (void *)r != at) { /* an old kernel that ignores MAP_FIXED_NOREPLACE */
        pf_sys(SYS_munmap, r, size);
        return NULL;
    }
    return (void *)r;
}

long pf_sys_map_file(int fd, size_t size, bool shared)
{
    return pf_sys(SYS_mmap, own_address(size), size, shared ? PROT_READ | PROT_WRITE : PROT_READ,
                  shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
}

void pf_sys_discard(void *at, size_t size)
{
    if (pf_rewind_keeps_memory())
        pf_rewind_clear((uint64_t)at, (uint64_t)at + size);
    else
        pf_sys(SYS_madvise, at, size, MADV_DONTNEED);
}

void pf_sys_populate(void *at, size_t size)
{
    pf_sys(SYS_madvise, at, size, MADV_POPULATE_WRITE /* older kernels refuse it */);
}

void pf_prefault_pages(uintptr_t at)
{
    uint8_t *used = pf_prefault_mark(at);
    __atomic_store_n(used, 1, __ATOMIC_RELAXED);
    if (used[-1] | used[1])
        pf_sys_populate((void *)(at >> PF_PREFAULT_SHIFT << PF_PREFAULT_SHIFT),
                        1u << PF_PREFAULT_SHIFT);
}

void pf_prefault_forget(uintptr_t from, uintptr_t to)
{
    uint8_t *used = pf_prefault_mark(from + (1u << PF_PREFAULT_SHIFT) - 1),
            *end = pf_prefault_mark(to);
    for (; used < end; used++)
        if (*used)
            *used = 0;
}

long pf_sys_mincore(void *at, size_t size, unsigned char *out)
{
    return pf_sys(SYS_mincore, at, size, out);
}

long pf_sys_move_fd(long fd)
{
    long high = fd < 0 ? fd : pf_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, PF_OWN_FDS);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    return high;
}

/* --- output of the runtime --- */

#define SIGNAL_BIT(n) (1ull << ((n) - 1))

/* Raises the limit on the size of files to the hard one, which wrap_limit.c keeps. Returns
 * false if that is impossible, or if the limit has that value already. */
static bool raise_file_limit(struct rlimit *before)
{
    if (pf_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, before) ||
        before->rlim_cur >= before->rlim_max)
        return false;
    struct rlimit most = {before->rlim_max, before->rlim_max};
    return pf_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, &most, NULL) == 0;
}

/* Removes the signals that the write itself has caused; otherwise the target would get them as soon
 * as it unblocks them. A signal that was pending before stays pending. */
long pf_sys_write_by(long number, int fd, const void *what, size_t n)
{
    uint64_t caused = SIGNAL_BIT(SIGPIPE) | SIGNAL_BIT(SIGXFSZ), mask, pending = 0;
    const struct timespec at_once = {0};
    struct rlimit limit;
    pf_sys(SYS_rt_sigprocmask, SIG_BLOCK, &caused, &mask, sizeof mask);
    if (mask & caused)
        pf_sys(SYS_rt_sigpending, &pending, sizeof pending);
    long r = pf_sys(number, fd, what, n);
    caused &= ~pending;
    if (r == -EFBIG && raise_file_limit(&limit)) {
        pf_sys(SYS_rt_sigtimedwait, &caused, NULL, &at_once, sizeof caused);
        r = pf_sys(number, fd, what, n);
        pf_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, &limit, NULL);
    }
    if (r == -EPIPE || r == -EFBIG)
        pf_sys(SYS_rt_sigtimedwait, &caused, NULL, &at_once, sizeof caused);
    pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    return r;
}

long pf_sys_write(int fd, const void *bytes, size_t n)
{
    return pf_sys_write_by(SYS_write, fd, bytes, n);
}

void pf_sys_say_all(const char *const *texts)
{
    struct iovec v[PF_SAY_MAX];
    size_t n = 0;
    for (; texts[n] && n < PF_SAY_MAX; n++) {
        v[n] = (struct iovec){(char *)texts[n], 0};
        while (texts[n][v[n].iov_len])
            v[n].iov_len++;
    }
    pf_sys_write_by(SYS_writev, 2, v, n);
}

bool pf_sys_readable(const volatile void *at, size_t size)
{
    /* The kernel reads the mask before it looks at the first argument, which is invalid. */
    uint64_t end = (uint64_t)at + size;
    if (!at)
        return false;
    for (uint64_t p = (uint64_t)at & -8ull; p < end; p = pf_page_down(p) + PF_PAGE)
        if (pf_sys(SYS_rt_sigprocmask, -1, p, NULL, 8) == -EFAULT)
            return false;
    return end >= (uint64_t)at;
}
