/*
 * watch_window.c - see watch_window.h.
 *
 * A burst is measured in processor time, because a thread watches nothing while it waits or while
 * the machine is busy with others. The system call that reads the processor time is made when a
 * burst begins, and when it should be over by the time stamp counter.
 */
#include "watch_window.h"
#include "options.h"
#include "sys.h"
#include <time.h>

#define BURST_CYCLES (1u << 18) /* about 100 microseconds */
#define BURST_NS 100000u
#define GAP_MAX (1u << 22) /* more cycles between two calls do not count: it may have waited */

static uint64_t window_end, next_window, distance;

void pf_window_start(void)
{
    uint32_t percent = (uint32_t)pf_options.overhead;
    distance = percent ? BURST_CYCLES * 100ull / percent : UINT64_MAX / 2;
    next_window = pf_window_now() + distance;
}

bool pf_window_is_open(uint64_t now)
{
    return now < __atomic_load_n(&window_end, __ATOMIC_RELAXED);
}

bool pf_window_open_if_due(uint64_t now)
{
    uint64_t due = __atomic_load_n(&next_window, __ATOMIC_RELAXED);
    if (now < due || !__atomic_compare_exchange_n(&next_window, &due, now + distance, 0,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&window_end, now + BURST_CYCLES, __ATOMIC_RELAXED);
    return true;
}

bool pf_watch_time_over(struct pf_watch_time *w, uint64_t now)
{
    uint64_t gap = w->last_call ? now - w->last_call : 0;
    if (gap > GAP_MAX)
        gap = GAP_MAX;
    w->last_call = now;
    w->total += gap;
    w->watched += w->watching ? gap : 0;
    uint64_t allowed = w->total / 100 * (uint32_t)pf_options.overhead;
    return pf_options.overhead && w->watched > allowed + BURST_CYCLES;
}

static uint64_t processor_time(void)
{
    struct timespec t = {0};
    pf_sys(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void pf_watch_burst_begin(struct pf_watch_time *w, bool in_window)
{
    w->in_window = in_window;
    w->burst_end =
        in_window ? __atomic_load_n(&window_end, __ATOMIC_RELAXED) : pf_window_now() + BURST_CYCLES;
    if (!in_window)
        w->burst_cpu = processor_time();
}

bool pf_watch_burst_over(struct pf_watch_time *w)
{
    uint64_t now = pf_window_now();
    if (now < w->burst_end)
        return false;
    if (w->in_window)
        return true;
    uint64_t used = processor_time() - w->burst_cpu;
    if (used >= BURST_NS)
        return true;
    w->burst_end = now + (BURST_NS - used) * BURST_CYCLES / BURST_NS;
    return false;
}
