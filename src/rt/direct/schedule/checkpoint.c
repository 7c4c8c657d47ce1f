/*
 * checkpoint.c - see checkpoint.h. Continuations of --at run one after the other, so that each has
 * the core for itself; those of a schedule plan run in parallel, each on a core of its own.
 */
#include "checkpoint.h"
#include "access_order.h"
#include "behaviour.h"
#include "continuation_limit.h"
#include "memory_choice.h"
#include "number_text.h"
#include "orphan.h"
#include "schedule_plan.h"
#include "scheduler.h"
#include "shared_state.h"
#include "spin_yield.h"
#include "stream_ring.h"
#include "sys.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define LIMIT_NS 60000000000ull /* time limit of one continuation */
/* continuations that are kept although they failed in the same way and show nothing new */
#define SAME_FAILURES 8
/* with --news: after this many continuations that were killed at their limit, no further one
 * starts */
#define CUT_MAX 2

long pf_checkpoint(void)
{
    uint32_t self = (uint32_t)pf_sys(SYS_getpid);
    pf_ring_mark();
    long pid = pf_sys(SYS_clone, 0); /* no exit signal: the target would receive it */
    if (pid == 0) { /* the copy inherits none of these */
        pf_orphan_die_with(self);
        pf_trap_arm();
        pf_spin_yield_arm();
    }
    return pid;
}

static uint64_t now(void) { return pf_sys_clock(CLOCK_MONOTONIC); }

static char *add(char *at, const char *end, const char *s)
{
    while (*s && at < end)
        *at++ = *s++;
    *at = 0;
    return at;
}

static char *add_number(char *at, const char *end, uint32_t v)
{
    return add(at, end, pf_number_format(&(struct pf_number_text){0}, v));
}

/* Writes the policy of continuation i: every `*` in `tail` becomes i. */
static void policy_of(char *out, const char *end, const char *tail, uint32_t i)
{
    for (; *tail && out < end; tail++)
        if (*tail == '*')
            out = add_number(out, end, i);
        else
            *out++ = *tail;
    *out = 0;
}

/* If pf has died, the process ends, and the copies with it. Called after a wait, which the signal
 * that reports the death ends. */
static void end_if_orphaned(void)
{
    if (pf_orphaned())
        pf_orphan_end();
}

/* Waits for the child and stores its status. Returns false if it was killed at its time limit. */
static bool collect(long pid, uint64_t limit, int *status)
{
    long fd = pf_sys(SYS_pidfd_open, pid, 0);
    struct pollfd ended = {.fd = (int)fd, .events = POLLIN};
    bool in_time = false;
    uint64_t end = now() + limit;
    for (uint64_t step = 20000, at = now(); !in_time && at < end; step += step / 2, at = now()) {
        struct timespec left = {(long)((end - at) / 1000000000), (long)((end - at) % 1000000000)};
        if (fd >= 0) { /* a signal ends the wait early */
            in_time = pf_sys(SYS_ppoll, &ended, 1, &left, NULL, 0) == 1;
            end_if_orphaned();
            continue;
        }
        struct timespec nap = {0, (long)(step < 10000000 ? step : 10000000)};
        siginfo_t info = {.si_pid = 0};
        pf_sys(SYS_nanosleep, &nap, NULL); /* an old kernel: look again and again */
        end_if_orphaned();
        in_time = pf_sys(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL,
                         NULL) == 0 &&
                  info.si_pid == pid;
    }
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (!in_time)
        pf_sys(SYS_kill, pid, SIGKILL);
    pf_sys(SYS_wait4, pid, status, __WALL, NULL);
    return in_time;
}

static const char *log_path_of(const struct pf_channel *c, uint32_t i)
{
    static char path[sizeof c->folder + 16];
    char *at = add(path, path + sizeof path - 1, c->folder);
    at = add(at, path + sizeof path - 1, "/");
    add_number(at, path + sizeof path - 1, i);
    return path;
}

/* Starts continuation i: files and log of its own. */
static void start_continuation(const struct pf_channel *c, uint32_t i)
{
    pf_continuation_isolate(); /* before the log is opened, which must not be copied */
    pf_ring_split(log_path_of(c, i), i);
    pf_channel_get()->continuation[i].shares = pf_continuation_shares();
}

static void follow_policy(const struct pf_channel *c, uint32_t i)
{
    char policy[sizeof c->tail + 16];
    policy_of(policy, policy + sizeof policy - 1, c->tail, c->first + i);
    start_continuation(c, i);
    if (c->covers)
        pf_behaviour_start();
    pf_sched_policy(policy);
}

/* True if enough continuations that failed like k are kept already. */
static bool is_familiar(const struct pf_channel *c, const struct pf_continuation *k)
{
    uint32_t n = 0;
    for (const struct pf_continuation *o = c->continuation; o < k; o++)
        n +=
            o->kept && o->wait == k->wait && o->reported == k->reported && !o->errors == !k->errors;
    return n >= SAME_FAILURES;
}

static bool is_kept(const struct pf_channel *c, const struct pf_continuation *k)
{
    if (c->keep == PF_KEEP_ALL)
        return true;
    bool failed = k->wait || k->reported || k->errors;
    return !k->outcome && (k->behaviours || (failed && !is_familiar(c, k)));
}

void pf_checkpoint_run_all(void)
{
    struct pf_channel *c = pf_channel_get();
    uint64_t began = now();
    uint32_t cut = 0;
    pf_ring_flush();
    pf_ring_share_log();
    pf_continuation_prepare();
    pf_shared_state_save();
    for (uint32_t i = 0; i < c->continuations && i < PF_CONTINUATIONS; i++) {
        struct pf_continuation *k = &c->continuation[i];
        uint64_t before = now();
        if ((c->all_ns && before - began > c->all_ns) ||
            (c->keep == PF_KEEP_NEWS && cut == CUT_MAX))
            break;
        long pid = pf_checkpoint();
        if (pid == 0) {
            follow_policy(c, i);
            return;
        }
        if (pid < 0)
            pf_direct_refuse(
                "cannot copy the process for a checkpoint (is there a limit on processes?)");
        k->copied = now() - before;
        if (!collect(pid, c->each_ns ? c->each_ns : LIMIT_NS, &k->wait)) {
            k->outcome = PF_OUTCOME_HANG;
            cut++;
        }
        k->took = now() - before;
        k->done = 1;
        k->kept = is_kept(c, k);
        pf_ring_take_log(log_path_of(c, i), k->kept);
        bool restored = pf_shared_state_restore();
        if (c->keep == PF_KEEP_NEWS && !restored)
            break; /* the next one could fail because of this one */
    }
    pf_channel_set_outcome(PF_OUTCOME_STOPPED, "");
    for (;;)
        pf_sys(SYS_exit_group, 0);
}

/* --- continuations of a schedule plan --- */

#define JOBS 64 /* continuations that run at the same time */
static struct {
    long pid; /* 0: this entry is free */
    uint32_t number;
    uint64_t end;
    struct pf_continuation_limit limit; /* if it enforces the order of two accesses */
} running[JOBS];

/* The time of continuation i is over. False: other programs had the cores, so it gets more. */
static bool is_late(uint32_t i)
{
    if (now() <= running[i].end)
        return false;
    uint64_t left = pf_channel_get()->ordered
                        ? pf_continuation_limit_left(&running[i].limit, running[i].pid)
                        : 0;
    running[i].end = now() + left;
    return !left;
}

/* Collects the status of continuations that have ended. Returns how many still run. */
static uint32_t reap(void)
{
    struct pf_channel *c = pf_channel_get();
    uint32_t n = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        struct pf_continuation *k = &c->continuation[running[i].number];
        int status = 0;
        if (!running[i].pid)
            continue;
        bool late = is_late(i);
        if (late)
            pf_sys(SYS_kill, running[i].pid, SIGKILL);
        if (pf_sys(SYS_wait4, running[i].pid, &status, (late ? 0 : WNOHANG) | __WALL, NULL) !=
            running[i].pid) {
            n++;
            continue;
        }
        k->wait = status;
        if (late)
            k->outcome = PF_OUTCOME_HANG;
        k->done = 1;
        running[i].pid = 0;
    }
    return n;
}

/* Sleeps until a continuation ends, or the first time limit is over. False: the kernel is too old.
 * The descriptors are closed again, so that the next continuation does not have them. */
static bool sleep_until_one_ends(void)
{
    struct pollfd ended[JOBS];
    uint32_t n = 0;
    uint64_t end = UINT64_MAX, at = now();
    bool ok = true;
    for (uint32_t i = 0; i < JOBS && ok; i++) {
        if (!running[i].pid)
            continue;
        long fd = pf_sys(SYS_pidfd_open, running[i].pid, 0);
        ok = fd >= 0;
        end = running[i].end < end ? running[i].end : end;
        if (ok)
            ended[n++] = (struct pollfd){.fd = (int)fd, .events = POLLIN};
    }
    uint64_t left = end > at ? end - at : 0;
    struct timespec most = {(long)(left / 1000000000), (long)(left % 1000000000)};
    if (ok)
        pf_sys(SYS_ppoll, ended, n, &most, NULL, 0);
    while (n)
        pf_sys(SYS_close, ended[--n].fd);
    return ok;
}

static void wait_below(uint32_t most)
{
    for (uint64_t step = 20000; reap() >= most; step += step / 2) {
        struct timespec nap = {0, (long)(step < 200000 ? step : 200000)};
        if (!sleep_until_one_ends())
            pf_sys(SYS_nanosleep, &nap, NULL);
        end_if_orphaned();
    }
}

void pf_checkpoint_choose_core(const struct pf_channel *c, uint32_t slot)
{
    unsigned char one[sizeof c->affinity];
    uint32_t bits = c->affinity_bytes * 8, n = 0;
    pf_zero(one, sizeof one);
    for (uint32_t i = 0; i < bits; i++)
        n += c->affinity[i / 8] >> i % 8 & 1;
    for (uint32_t i = bits, k = n ? slot % n : 0; n && i-- > 0;)
        if (c->affinity[i / 8] >> i % 8 & 1 && k-- == 0) {
            one[i / 8] = (unsigned char)(1u << i % 8);
            pf_sys(SYS_sched_setaffinity, 0, c->affinity_bytes, one);
            return;
        }
}

/* Enforces the order of the request that belongs to the plan: NUMBER.order instead of
 * NUMBER.plan. */
static void begin_order(const char *plan)
{
    char path[sizeof((struct pf_channel *)0)->folder + 32];
    struct pf_order_request request;
    char *at = add(path, path + sizeof path - 8, plan);
    add(at - (sizeof "plan" - 1), path + sizeof path - 1, "order");
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0 || pf_sys(SYS_read, fd, &request, sizeof request) != (long)sizeof request)
        pf_direct_refuse("cannot read the order of a continuation");
    pf_sys(SYS_close, fd);
    pf_memory_choice_begin(request.choice, request.nchoices);
    pf_sched_policy(request.policy);
    if (request.other_clock)
        pf_virtual_change();
    pf_schedule_plan_clear();
    pf_access_order_begin(&request, plan);
}

void pf_checkpoint_branch(uint32_t i)
{
    struct pf_channel *c = pf_channel_get();
    char plan[sizeof c->folder + 24];
    uint32_t jobs = c->jobs < 1 ? 1 : c->jobs > JOBS ? JOBS : c->jobs, slot = 0;
    if (i >= PF_CONTINUATIONS)
        return;
    wait_below(jobs);
    pf_continuation_prepare();
    while (running[slot].pid)
        slot++;
    uint64_t before = now();
    long pid = pf_checkpoint();
    if (pid < 0)
        pf_direct_refuse(
            "cannot copy the process for a checkpoint (is there a limit on processes?)");
    if (pid > 0) {
        running[slot].pid = pid;
        running[slot].number = i;
        uint64_t most = c->each_ns ? c->each_ns : LIMIT_NS;
        running[slot].end = now() + most;
        pf_continuation_limit_begin(&running[slot].limit, most);
        c->continuation[i].copied = now() - before;
        return;
    }
    pf_zero(running, sizeof running);
    if (jobs > 1)
        pf_checkpoint_choose_core(c, slot);
    start_continuation(c, i);
    char *at = add(plan, plan + sizeof plan - 1, c->folder);
    at = add(at, plan + sizeof plan - 1, "/");
    at = add_number(at, plan + sizeof plan - 1, i);
    add(at, plan + sizeof plan - 1, ".plan");
    /* Finds memory errors that the plan causes; heap marks exist in every directed run. */
    pf_direct.watching = true;
    if (c->ordered) {
        if (i && c->continuation[i].shares) /* the first one has changed what they share */
            pf_sys(SYS_exit_group, 0);
        begin_order(plan);
        return;
    }
    pf_sched_policy(c->schedule);
    pf_schedule_plan_load(plan);
}

void pf_checkpoint_wait_all(void)
{
    if (pf_channel_get())
        wait_below(1);
}
