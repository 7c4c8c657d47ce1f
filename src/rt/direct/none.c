/*
 * none.c - a world that passes everything through and logs nothing: what stands in for the parts of the
 * world that are not there.
 */
#include "context.h"
#include "log.h"
#include "sys.h"

#define WEAK __attribute__((weak))

WEAK void pf_world_init(void) {}
WEAK long pf_world_call(long number, const long a[6])
{
    long b[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};
    switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
        return pf_context_fork(number, a);
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_sched_getparam:
    case SYS_sched_getscheduler:
        b[0] = pf_context_find(a[0]) ? 0 : a[0];
        break;
    case SYS_getpid:
        return pf_direct.pid;
    case SYS_rt_sigprocmask:
        return 0;
    default:
        break;
    }
    return pf_sys6(number, b[0], b[1], b[2], b[3], b[4], b[5]);
}
WEAK bool pf_world_poll(uint64_t deadline)
{
    (void)deadline;
    return false;
}
WEAK void pf_world_signals(void) {}
WEAK void pf_world_deliver_due(void) {}
WEAK bool pf_world_deliver(void) { return false; }
WEAK uint64_t pf_world_deadline(void) { return 0; }
WEAK void pf_world_forked(void) {}
WEAK void pf_log_split(const char *path, uint32_t number)
{
    (void)path;
    (void)number;
    pf_log_detach();
}
