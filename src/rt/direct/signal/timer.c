/*
 * timer.c - alarm, setitimer and timer_create in virtual time. Timers fire between two segments, in
 * a replay at the same boundary; the kernel does not know of them.
 *
 * Timers of processor time also run on virtual time: a replay has no other.
 */
#define _GNU_SOURCE
#include "scheduler.h"
#include "signals.h"
#include <errno.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#define TIMERS 128 /* of the target */
#define ITIMERS 3 /* entries 0 to 2: ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF */
struct timer {
    bool used;
    int signal; /* 0: no signal */
    int clock;
    int32_t tid; /* 0: sent to the process */
    union sigval value;
    uint64_t deadline, interval; /* deadline 0: not running; interval 0: fires once */
    int overrun;
};
static struct timer timers[TIMERS] = {
    {true, SIGALRM, 0, 0, {0}, 0, 0, 0},
    {true, SIGVTALRM, 0, 0, {0}, 0, 0, 0},
    {true, SIGPROF, 0, 0, {0}, 0, 0, 0},
};
static uint32_t timer_end = ITIMERS;
static bool armed; /* a timer was started: without one, the check at every switch is cheap */

uint64_t pf_timer_deadline(void)
{
    uint64_t first = 0;
    for (uint32_t i = 0; armed && i < timer_end; i++)
        if (timers[i].deadline && (!first || timers[i].deadline < first))
            first = timers[i].deadline;
    return first;
}

static void fire(struct timer *t, uint32_t index, uint64_t now)
{
    t->overrun = 0;
    if (t->interval) {
        uint64_t missed = (now - t->deadline) / t->interval;
        t->overrun = missed < INT32_MAX ? (int)missed : INT32_MAX;
        t->deadline += (missed + 1) * t->interval;
    } else {
        t->deadline = 0;
    }
    if (!t->signal)
        return;
    siginfo_t info = {.si_signo = t->signal, .si_code = index < ITIMERS ? SI_KERNEL : SI_TIMER};
    if (index >= ITIMERS) {
        info.si_timerid = (int)(index - ITIMERS);
        info.si_overrun = t->overrun;
        info.si_value = t->value;
    }
    pf_signal_send(&info, t->tid ? pf_context_find(t->tid) : NULL);
}

void pf_timers_forked(void)
{
    for (uint32_t i = 0; i < timer_end; i++) {
        timers[i].used = i < ITIMERS;
        timers[i].deadline = timers[i].interval = 0;
        timers[i].overrun = 0;
    }
    timer_end = ITIMERS;
    armed = false;
}

void pf_timers_fire(void)
{
    if (!armed)
        return;
    uint64_t now = pf_sched_now();
    for (uint32_t i = 0; i < timer_end; i++)
        if (timers[i].deadline && timers[i].deadline <= now)
            fire(&timers[i], i, now);
}

static uint64_t left(const struct timer *t)
{
    uint64_t now = pf_sched_now();
    return !t->deadline ? 0 : t->deadline > now ? t->deadline - now : 1;
}

static uint64_t of_timeval(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}
static uint64_t of_timespec(struct timespec t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static struct timeval timeval_of(uint64_t ns)
{
    return (struct timeval){(time_t)(ns / 1000000000), (suseconds_t)(ns % 1000000000 / 1000)};
}
static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

static void start(struct timer *t, uint64_t after, uint64_t interval)
{
    t->deadline = after ? pf_sched_now() + after : 0;
    armed |= after != 0;
    t->interval = interval;
    t->overrun = 0;
    if (t->deadline)
        pf_sched_preempt_soon();
}

static long itimer(long number, const long a[6])
{
    unsigned which = (unsigned)a[0];
    struct itimerval *old = (struct itimerval *)a[number == SYS_getitimer ? 1 : 2];
    const struct itimerval *now = (const struct itimerval *)a[1];
    if (which >= ITIMERS)
        return -EINVAL;
    struct timer *t = &timers[which];
    struct itimerval before = {timeval_of(t->interval), timeval_of(left(t))};
    if (number == SYS_setitimer) {
        if (now)
            start(t, of_timeval(now->it_value), of_timeval(now->it_interval));
        else
            start(t, 0, 0);
    }
    if (old)
        *old = before;
    return 0;
}

static long create(const long a[6])
{
    const struct sigevent *e = (const struct sigevent *)a[1];
    uint32_t i = ITIMERS;
    while (i < TIMERS && timers[i].used)
        i++;
    if (i == TIMERS)
        return -EAGAIN;
    struct timer t = {.used = true, .signal = SIGALRM, .clock = (int)a[0]};
    t.value.sival_int = (int)(i - ITIMERS);
    if (e) {
        t.value = e->sigev_value;
        t.signal = e->sigev_notify == SIGEV_NONE ? 0 : e->sigev_signo;
        if (e->sigev_notify == SIGEV_THREAD_ID) {
            t.tid = e->_sigev_un._tid;
            if (!pf_context_find(t.tid))
                return -EINVAL;
        }
    }
    if (t.signal < 0 || t.signal > PF_SIGNAL_MAX)
        return -EINVAL;
    timers[i] = t;
    if (timer_end <= i)
        timer_end = i + 1;
    *(int *)a[2] = (int)(i - ITIMERS);
    return 0;
}

static struct timer *at(long id)
{
    uint32_t i = (uint32_t)id + ITIMERS;
    return i >= ITIMERS && i < TIMERS && timers[i].used ? &timers[i] : NULL;
}

static long settime(struct timer *t, const long a[6])
{
    const struct itimerspec *now = (const struct itimerspec *)a[2];
    struct itimerspec *old = (struct itimerspec *)a[3];
    if (!now)
        return -EINVAL;
    struct itimerspec before = {timespec_of(t->interval), timespec_of(left(t))};
    uint64_t after = of_timespec(now->it_value);
    if (after && a[1] & TIMER_ABSTIME) {
        uint64_t deadline = pf_virtual_deadline(t->clock, &now->it_value);
        after = deadline > pf_sched_now() ? deadline - pf_sched_now() : 1;
    }
    start(t, after, of_timespec(now->it_interval));
    if (old)
        *old = before;
    return 0;
}

long pf_call_timer(long number, const long a[6])
{
    if (number == SYS_setitimer || number == SYS_getitimer)
        return itimer(number, a);
    if (number == SYS_timer_create)
        return create(a);
    if (number == SYS_alarm) {
        uint64_t before = left(&timers[0]);
        start(&timers[0], (uint64_t)(uint32_t)a[0] * 1000000000u, 0);
        return (long)((before + 999999999) / 1000000000);
    }
    struct timer *t = at(a[0]);
    if (!t)
        return -EINVAL;
    struct itimerspec *now = (struct itimerspec *)a[1];
    switch (number) {
    case SYS_timer_settime:
        return settime(t, a);
    case SYS_timer_gettime:
        *now = (struct itimerspec){timespec_of(t->interval), timespec_of(left(t))};
        return 0;
    case SYS_timer_getoverrun:
        return t->overrun;
    default: /* timer_delete */
        *t = (struct timer){0};
        return 0;
    }
}

/* A timerfd stays in the kernel, because it can be in an epoll set. Only absolute times are
 * converted: the target's clocks differ from the kernel's. */
long pf_call_timerfd(long number, const long a[6])
{
    const struct itimerspec *now = (const struct itimerspec *)a[2];
    if (!pf_recording() || !now || !(a[1] & TFD_TIMER_ABSTIME) || !of_timespec(now->it_value))
        return pf_syscall_plain(number, a);
    struct itimerspec relative = *now;
    uint64_t deadline = pf_virtual_deadline(CLOCK_MONOTONIC, &now->it_value);
    uint64_t realtime = pf_virtual_deadline(CLOCK_REALTIME, &now->it_value);
    /* The clock of the timerfd is not known here, but the time is in the near future on only one
     * of the clocks. */
    if (deadline <= pf_sched_now() || (realtime > pf_sched_now() && realtime < deadline))
        deadline = realtime;
    relative.it_value = timespec_of(deadline > pf_sched_now() ? deadline - pf_sched_now() : 1);
    const long b[6] = {a[0], a[1] & ~(long)TFD_TIMER_ABSTIME, (long)&relative, a[3], 0, 0};
    return pf_syscall_plain(number, b);
}
