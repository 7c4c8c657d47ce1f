/*
 * poll_calls.c - poll, select and epoll: the kernel is asked with a zero timeout, and the thread
 * waits in the scheduler.
 */
#define _GNU_SOURCE
#include "signals.h"
#include "syscalls.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

/* A signal mask that applies during one call. */
struct masked {
    bool on;
    uint64_t before;
};
static struct masked mask_begin(const uint64_t *mask)
{
    struct pf_syscall_state *w = pf_syscall_state_self();
    struct masked m = {mask != NULL, w->mask};
    if (mask)
        pf_signal_mask(w, *mask);
    return m;
}
static long mask_end(struct masked m, long r)
{
    if (m.on)
        pf_signal_mask(pf_syscall_state_self(), m.before);
    return r;
}

static uint64_t deadline_of(const struct timespec *t)
{
    return t ? pf_deadline_after(t->tv_sec, t->tv_nsec) : 0;
}
static bool is_zero(const struct timespec *t) { return t && !t->tv_sec && !t->tv_nsec; }

/* Stores the remaining time in *t, as the kernel does. */
static void store_remaining(struct timespec *t, uint64_t deadline)
{
    uint64_t now = pf_sched_now(), rest = deadline > now ? deadline - now : 0;
    if (t)
        *t = (struct timespec){(time_t)(rest / 1000000000), (long)(rest % 1000000000)};
}

/* --- poll --- */

static bool try_poll(struct pf_blocking *b)
{
    b->result = pf_sys(SYS_poll, b->argument[0], b->argument[1], 0);
    if (b->result == 0 && !b->last)
        return false;
    if (b->number == SYS_ppoll)
        store_remaining((struct timespec *)b->argument[2], b->deadline);
    return true;
}

long pf_call_poll(long number, const long a[6])
{
    struct pf_blocking b = {
        .number = number,
        .argument = a,
        .try_now = try_poll,
        .kind = PF_WAIT_FD,
        .never_restart = true,
        .set = (struct pollfd *)a[0],
        .set_size = (uint32_t)a[1],
    };
    if (number == SYS_poll) {
        int limit = (int)a[2];
        b.last = limit == 0;
        b.deadline = limit > 0 ? pf_deadline_after(limit / 1000, limit % 1000 * 1000000L) : 0;
        return pf_blocking_run(&b);
    }
    const struct timespec *t = (const struct timespec *)a[2];
    b.last = is_zero(t);
    b.deadline = deadline_of(t);
    struct masked m = mask_begin((const uint64_t *)a[3]);
    return mask_end(m, pf_blocking_run(&b));
}

/* --- select --- */

#define SELECT_MAX FD_SETSIZE
struct sets {
    unsigned long bits[3][SELECT_MAX / (8 * sizeof(long))];
};

static bool try_select(struct pf_blocking *b)
{
    const long *a = b->argument;
    struct timespec zero = {0, 0};
    struct sets s;
    long p[3];
    size_t n = ((size_t)(uint32_t)a[0] + 63) / 64 * 8;
    for (int i = 0; i < 3; i++) {
        p[i] = a[1 + i] ? (long)s.bits[i] : 0;
        if (a[1 + i])
            pf_copy(s.bits[i], (void *)a[1 + i], n);
    }
    b->result = pf_sys(SYS_pselect6, a[0], p[0], p[1], p[2], &zero, NULL);
    if (b->result == 0 && !b->last)
        return false;
    for (int i = 0; i < 3 && b->result >= 0; i++)
        if (a[1 + i])
            pf_copy((void *)a[1 + i], s.bits[i], n);
    if (a[4]) {
        struct timespec *t = (struct timespec *)a[4];
        store_remaining(t, b->deadline);
        if (b->number == SYS_select)
            t->tv_nsec /= 1000;
    }
    return true;
}

/* Converts the three sets of select into a list for poll. Returns its length. */
static uint32_t to_pollfds(const long a[6], struct pollfd *out, uint32_t room)
{
    static const short events[3] = {POLLIN, POLLOUT, POLLPRI};
    uint32_t n = 0;
    for (int fd = 0; fd < (int)a[0]; fd++) {
        short e = 0;
        for (int i = 0; i < 3; i++)
            if (a[1 + i] && FD_ISSET(fd, (fd_set *)a[1 + i]))
                e |= events[i];
        if (e && n < room)
            out[n++] = (struct pollfd){fd, e, 0};
    }
    return n;
}

long pf_call_select(long number, const long a[6])
{
    struct pf_blocking b = {
        .number = number,
        .argument = a,
        .try_now = try_select,
        .kind = PF_WAIT_FD,
        .never_restart = true,
    };
    if (a[0] < 0 || a[0] > SELECT_MAX)
        return -EINVAL;
    struct pollfd set[a[0] ? a[0] : 1];
    b.set = set;
    b.set_size = to_pollfds(a, set, (uint32_t)a[0]);
    const uint64_t *mask = NULL;
    if (a[4]) {
        struct timespec t = *(const struct timespec *)a[4];
        if (number == SYS_select)
            t.tv_nsec *= 1000;
        b.last = is_zero(&t);
        b.deadline = deadline_of(&t);
    }
    if (number == SYS_pselect6 && a[5])
        mask = *(const uint64_t *const *)a[5];
    struct masked m = mask_begin(mask);
    return mask_end(m, pf_blocking_run(&b));
}

/* --- epoll --- */

static bool try_epoll(struct pf_blocking *b)
{
    const long *a = b->argument;
    b->result = pf_sys(SYS_epoll_wait, a[0], a[1], a[2], 0);
    return b->result != 0 || b->last;
}

/* epoll_wait, epoll_pwait, epoll_pwait2. An epoll descriptor can be polled like any other. */
long pf_call_epoll(long number, const long a[6])
{
    struct pollfd one = {(int)a[0], POLLIN, 0};
    struct pf_blocking b = {
        .number = number,
        .argument = a,
        .try_now = try_epoll,
        .kind = PF_WAIT_FD,
        .never_restart = true,
        .set = &one,
        .set_size = 1,
    };
    if (number == SYS_epoll_pwait2) {
        b.last = is_zero((const struct timespec *)a[3]);
        b.deadline = deadline_of((const struct timespec *)a[3]);
    } else {
        int limit = (int)a[3];
        b.last = limit == 0;
        b.deadline = limit > 0 ? pf_deadline_after(limit / 1000, limit % 1000 * 1000000L) : 0;
    }
    const uint64_t *mask = number == SYS_epoll_wait ? NULL : (const uint64_t *)a[4];
    struct masked m = mask_begin(mask);
    return mask_end(m, pf_blocking_run(&b));
}
