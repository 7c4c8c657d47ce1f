/*
 * last_sleep.c - see last_sleep.h.
 */
#include "last_sleep.h"
#include "sys.h"
#include "thread_table.h"

static void note_epoch(struct pf_thread *u, void *clock)
{
    ((uint32_t *)clock)[u->order.sid] = u->order.clk;
}

void pf_thread_slept(struct pf_thread *t, uint32_t where)
{
    size_t size = (PF_SID_MAX + 1) * sizeof *t->order.slept_clock;
    if (!t->order.slept_clock)
        t->order.slept_clock = pf_sys_map(NULL, size);
    if (!t->order.slept_clock)
        return;
    pf_zero(t->order.slept_clock, size);
    pf_thread_each(note_epoch, t->order.slept_clock);
    t->order.slept_threads = __atomic_load_n(&pf_threads.count, __ATOMIC_RELAXED);
    t->order.slept_at = where;
}

bool pf_thread_before_sleep(const struct pf_thread *t, const struct pf_thread *u, uint32_t sid,
                            uint32_t clk)
{
    if (!t->order.slept_at || !u)
        return false;
    uint32_t then = t->order.slept_clock[sid];
    /* no entry: u had ended before the sleep was over, or did not exist yet */
    return then ? clk <= then
                : u->number < t->order.slept_threads && u->state == PF_THREAD_FINISHED;
}
