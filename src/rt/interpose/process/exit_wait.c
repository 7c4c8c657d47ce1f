/*
 * exit_wait.c - the wait for other threads when the process is about to end (option
 * atexit_sleep_ms).
 *
 * A program whose main does not join its threads would end before they have done much, and their
 * races would be missed. ThreadSanitizer sleeps for a second at the end of such a process. Here
 * the wait comes before the exit handlers destroy anything, so it cannot make threads access
 * destroyed objects. The wait is over once no other thread runs: each has ended, or is blocked in
 * the kernel. Whether a thread is blocked is read from /proc, because any system call of code
 * without checks may block. A thread that sleeps no longer than the rest of the wait counts as
 * running, because it will continue by itself; one in a wait with a time limit counts as blocked.
 */
#include "options.h"
#include "reporter.h"
#include "rt.h"
#include "sys.h"
#include "textbuf.h"
#include "thread_table.h"
#include "wrap.h"
#include <fcntl.h>
#include <sys/uio.h>
#include <time.h>

#define MS 1000000ull
#define STEP_FIRST (MS / 4)
#define STEP_MAX (8 * MS) /* between two looks at the threads */

/* Reads /proc/self/task/TID/NAME into a string; returns false if that is not possible. */
static bool read_task(uint32_t tid, const char *name, char *out, size_t size)
{
    char path[64] = "/proc/self/task/", digits[12];
    size_t n = pf_str_len(path), k = sizeof digits;
    do
        digits[--k] = (char)('0' + tid % 10);
    while (tid /= 10);
    while (k < sizeof digits)
        path[n++] = digits[k++];
    path[n++] = '/';
    pf_copy(path + n, name, pf_str_len(name) + 1);
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    long r = fd < 0 ? -1 : pf_sys(SYS_read, fd, out, size - 1);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    out[r > 0 ? r : 0] = 0;
    return r > 0;
}

/* The text after `key` in a file of lines; NULL: none. */
static const char *find_line(const char *text, const char *key)
{
    for (const char *s = text; *s; s++)
        if ((s == text || s[-1] == '\n') && pf_str_starts(s, key))
            return s + pf_str_len(key);
    return NULL;
}

/* Parses a number, decimal or with 0x, after blanks. */
static uint64_t parse_number(const char **s)
{
    uint64_t v = 0, base = 10;
    while (**s == ' ' || **s == '\t')
        ++*s;
    if ((*s)[0] == '0' && (*s)[1] == 'x') {
        *s += 2;
        base = 16;
    }
    for (;; ++*s) {
        char c = **s;
        uint64_t digit = c >= '0' && c <= '9' ? (uint64_t)(c - '0') : (uint64_t)(c - 'a' + 10);
        if (digit >= base)
            return v;
        v = v * base + digit;
    }
}

/* True if the thread is in nanosleep or clock_nanosleep, for at most `ns`. */
static bool is_short_sleep(uint32_t tid, uint64_t ns)
{
    char text[256];
    const char *s = text;
    if (!read_task(tid, "syscall", text, sizeof text) || *s < '0' || *s > '9')
        return false;
    uint64_t number = parse_number(&s), arg[3];
    for (int i = 0; i < 3; i++)
        arg[i] = parse_number(&s);
    bool by_clock = number == SYS_clock_nanosleep;
    if (!by_clock && number != SYS_nanosleep)
        return false;
    struct timespec t = {0}; /* the thread may be gone by now, and its stack with it */
    struct iovec to = {&t, sizeof t}, from = {(void *)(by_clock ? arg[2] : arg[0]), sizeof t};
    long pid = pf_sys(SYS_getpid);
    if (pf_sys(SYS_process_vm_readv, pid, &to, 1, &from, 1, 0) != sizeof t || t.tv_sec < 0)
        return false;
    uint64_t until = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return until <= ns + (by_clock && arg[1] & TIMER_ABSTIME ? pf_sys_clock((int)arg[0]) : 0);
}

/* True if the thread neither runs nor will run within `ns` by itself. Adds its number of context
 * switches to *switches. */
static bool is_idle(uint32_t tid, uint64_t ns, uint64_t *switches)
{
    char text[2048];
    const char *state, *s;
    if (!read_task(tid, "status", text, sizeof text) || !(state = find_line(text, "State:\t")))
        return true; /* it has ended */
    if ((s = find_line(text, "voluntary_ctxt_switches:")))
        *switches += parse_number(&s);
    if ((s = find_line(text, "nonvoluntary_ctxt_switches:")))
        *switches += parse_number(&s);
    return *state != 'R' && *state != 'D' && !(*state == 'S' && is_short_sleep(tid, ns));
}

/* True if all other threads of the process are idle. *others: how many there are. */
static bool all_idle(uint64_t ns, uint64_t *switches, uint32_t *others)
{
    char buffer[1024] __attribute__((aligned(8)));
    uint32_t self = (uint32_t)pf_sys(SYS_gettid);
    long fd = pf_sys(SYS_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    bool idle = fd >= 0;
    *switches = *others = 0;
    while (idle && (n = pf_sys(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n && idle;) {
            const struct pf_directory_entry *d = (const void *)(buffer + at);
            const char *name = d->name;
            at += d->length;
            uint32_t tid = *name == '.' ? self : (uint32_t)parse_number(&name);
            *others += tid != self;
            idle = tid == self || is_idle(tid, ns, switches);
        }
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    return idle;
}

/* The kernel's view of several threads is not one moment: a thread may wake another one, which was
 * looked at already, and then block. So the threads must be idle twice, without a context switch in
 * between. */
void pf_wait_at_exit(void)
{
    static pid_t waited; /* the process that has waited */
    struct pf_thread *t = pf_self();
    pid_t pid = (pid_t)pf_sys(SYS_getpid);
    if (pf_options.atexit_sleep_ms <= 0 || !t || t->tid != (pid_t)pf_sys(SYS_gettid) ||
        pf_thread_alive() < 2 || __atomic_exchange_n(&waited, pid, __ATOMIC_RELAXED) == pid)
        return;
    uint64_t began = pf_sys_clock(CLOCK_MONOTONIC),
             until = began + (uint64_t)pf_options.atexit_sleep_ms * MS;
    uint64_t at = began, step = STEP_FIRST, before = UINT64_MAX, switches;
    for (; at < until && pf_thread_alive() > 1; at = pf_sys_clock(CLOCK_MONOTONIC)) {
        uint32_t others;
        bool idle = all_idle(until - at, &switches, &others);
        if (idle && (!others || switches == before))
            break;
        before = idle ? switches : UINT64_MAX;
        uint64_t ns = step < until - at ? step : until - at;
        struct timespec wait = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        pf_sys(SYS_nanosleep, &wait, NULL);
        step = step < STEP_MAX ? 2 * step : STEP_MAX;
    }
    pf_reporter_waited((pf_sys_clock(CLOCK_MONOTONIC) - began) / MS);
}
