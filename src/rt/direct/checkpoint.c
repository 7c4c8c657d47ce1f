#include "checkpoint.h"
#include "log.h"
#include "scheduler.h"
#include "sys.h"
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define LIMIT_NS 60000000000ull /* of one continuation */

long pf_checkpoint(void)
{
    long pid = pf_sys(SYS_clone, SIGCHLD);
    if (pid == 0)
        pf_trap_arm(); /* which a copy does not inherit */
    return pid;
}

static uint64_t now(void)
{
    struct timespec t = {0};
    pf_sys(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static char *add(char *at, const char *end, const char *s)
{
    while (*s && at < end)
        *at++ = *s++;
    *at = 0;
    return at;
}

static char *add_number(char *at, const char *end, uint32_t v)
{
    char digits[12], *d = digits + sizeof digits;
    *--d = 0;
    do
        *--d = (char)('0' + v % 10);
    while (v /= 10);
    return add(at, end, d);
}

/* The policy of continuation i: a star in the text stands for its number. */
static void policy_of(char *out, const char *end, const char *tail, uint32_t i)
{
    for (; *tail && out < end; tail++)
        if (*tail == '*')
            out = add_number(out, end, i);
        else
            *out++ = *tail;
    *out = 0;
}

/* The status of the child, or that of one that was killed for taking too long. */
static bool collect(long pid, int *status)
{
    uint64_t end = now() + LIMIT_NS;
    for (uint64_t step = 20000; now() < end; step += step / 2) {
        struct timespec nap = {0, (long)(step < 10000000 ? step : 10000000)};
        if (pf_sys(SYS_wait4, pid, status, WNOHANG, NULL) == pid)
            return true;
        pf_sys(SYS_nanosleep, &nap, NULL);
    }
    pf_sys(SYS_kill, pid, SIGKILL);
    pf_sys(SYS_wait4, pid, status, 0, NULL);
    return false;
}

static void go_on(const struct pf_channel *c, uint32_t i)
{
    char path[sizeof c->folder + 16], policy[sizeof c->tail + 16];
    char *at = add(path, path + sizeof path - 1, c->folder);
    at = add(at, path + sizeof path - 1, "/");
    add_number(at, path + sizeof path - 1, i);
    policy_of(policy, policy + sizeof policy - 1, c->tail, i);
    pf_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    pf_world_forked(); /* before there is a log, which is not the target's to be copied */
    pf_log_split(path, i);
    pf_sched_policy(policy);
}

void pf_checkpoint_serve(void)
{
    struct pf_channel *c = pf_log_channel();
    pf_log_flush();
    for (uint32_t i = 0; i < c->continuations && i < PF_CONTINUATIONS; i++) {
        struct pf_continuation *k = &c->continuation[i];
        uint64_t before = now();
        long pid = pf_checkpoint();
        if (pid == 0) {
            go_on(c, i);
            return;
        }
        if (pid < 0)
            pf_direct_refuse("a checkpoint could not be copied (is there a limit on processes?)");
        k->copied = now() - before;
        if (!collect(pid, &k->wait))
            k->outcome = PF_OUTCOME_HANG;
    }
    pf_log_outcome(PF_OUTCOME_STOPPED, "");
    for (;;)
        pf_sys(SYS_exit_group, 0);
}
