#include "plan.h"
#include "log.h"
#include "sys.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const struct pf_plan_step *step;
static uint64_t n, next;

void pf_plan_init(void)
{
    const char *path = pf_log_channel()->plan;
    struct stat st = {0};
    if (!*path)
        return;
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), at = -1;
    if (fd >= 0 && pf_sys(SYS_fstat, fd, &st) == 0 && st.st_size >= (long)sizeof *step)
        at = pf_sys(SYS_mmap, NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (at < 0 && at > -4096)
        pf_direct_refuse("the plan cannot be read");
    step = (const struct pf_plan_step *)at;
    n = (uint64_t)st.st_size / sizeof *step;
}

static uint64_t done(const struct pf_plan_step *k)
{
    struct pf_context *c = pf_context_at(k->thread);
    return c ? pf_context_events(c) : 0;
}

struct pf_context *pf_plan_next(uint64_t *events)
{
    while (next < n && done(&step[next]) >= step[next].until)
        next++;
    if (next == n)
        return NULL;
    struct pf_context *c = pf_context_at(step[next].thread);
    if (!c || c->state == PF_CONTEXT_ENDED)
        pf_plan_fails();
    *events = step[next].until - pf_context_events(c);
    return c;
}

_Noreturn void pf_plan_fails(void)
{
    struct pf_context *c = pf_context_at(step[next].thread);
    const char *what = !c                             ? "a step of a thread that is not there yet"
                       : c->state == PF_CONTEXT_ENDED ? "a step of a thread that is over"
                                                      : "a step of a thread that waits";
    pf_diverged_in(c, what, step[next].until, done(&step[next]));
}
