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

#define SUPPLY_MAX 8u /* windows that a supply can hold */

static uint64_t window_end, distance;
/* Two supplies of windows. Each is stored as a time: the supply has one window for every `distance`
 * cycles that have passed since then, at most SUPPLY_MAX. Taking a window adds `distance` to the
 * time. */
static uint64_t regular_since, rare_since;

void pf_window_start(void)
{
    uint32_t percent = (uint32_t)pf_options.overhead;
    distance = percent ? BURST_CYCLES * 200ull / percent : 0;
    regular_since = rare_since = pf_window_now();
}

bool pf_window_is_open(uint64_t now)
{
    return now < __atomic_load_n(&window_end, __ATOMIC_RELAXED);
}

/* Opens a window if the supply has been filling for `least` cycles. */
static bool take(uint64_t *supply, uint64_t now, uint64_t least)
{
    uint64_t since = __atomic_load_n(supply, __ATOMIC_RELAXED), full = SUPPLY_MAX * distance;
    if (now < since || now - since < least)
        return false;
    uint64_t next = (now - since > full ? now - full : since) + distance;
    if (!__atomic_compare_exchange_n(supply, &since, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&window_end, now + BURST_CYCLES, __ATOMIC_RELAXED);
    return true;
}

bool pf_window_open_if_due(uint64_t now)
{
    return distance &&
           (take(&regular_since, now, distance) || take(&rare_since, now, SUPPLY_MAX * distance));
}

bool pf_window_is_rare(uint64_t interval)
{
    return distance && interval > distance / (SUPPLY_MAX - 1);
}

bool pf_window_open_for_rare(uint64_t now, uint64_t interval)
{
    return pf_window_is_rare(interval) &&
           take(&rare_since, now, distance + distance * distance / interval);
}

bool pf_window_is_late(uint64_t last, uint64_t now)
{
    return distance && last && now - last > distance / 4;
}

bool pf_window_rare_block(struct pf_rare_block *b, uint64_t now)
{
    uint32_t at = (uint32_t)(now / BURST_CYCLES);
    uint32_t since = at - __atomic_exchange_n(&b->last, at, __ATOMIC_RELAXED);
    uint32_t left = __atomic_load_n(&b->left, __ATOMIC_RELAXED);
    if (!left)
        return false;
    left += since < PF_RARE_BLOCK_ENTRIES ? since : PF_RARE_BLOCK_ENTRIES;
    left = left < PF_RARE_BLOCK_ENTRIES ? left : PF_RARE_BLOCK_ENTRIES;
    __atomic_store_n(&b->left, left - 1, __ATOMIC_RELAXED);
    return true;
}

bool pf_watch_time_add(struct pf_watch_time *w, uint64_t now)
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

static uint64_t processor_time(void) { return pf_sys_clock(CLOCK_THREAD_CPUTIME_ID); }

uint64_t pf_watch_processor_cycles(void) { return processor_time() * BURST_CYCLES / BURST_NS; }

void pf_watch_burst_short(struct pf_watch_time *w)
{
    w->in_window = true;
    w->burst_end = 0;
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
