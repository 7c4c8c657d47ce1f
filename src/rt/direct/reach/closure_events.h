/*
 * closure_events.h - passes the events of recorded code to closure_cache.h: words that become
 * pointers, pointers that are read in callbacks, blocks that are allocated.
 *
 * Threads: the target's one kernel thread. Call these functions only if pf_closure_any is true.
 */
#ifndef PF_RT_CLOSURE_EVENTS_H
#define PF_RT_CLOSURE_EVENTS_H

#include "closure_cache.h"
#include "mappings.h"
#include "missing_call.h"
#include "tracer.h"

/* True if a plain access of at most 8 bytes may matter to a closure. Few do: those that make a word
 * a pointer, and reads of pointers while a missing call is open. */
static inline __attribute__((always_inline)) bool
pf_closure_access_matters(uint64_t addr, uint64_t size, bool write, uint64_t value)
{
    unsigned shift = 8 * (addr & 7);
    if (!write)
        return size == 8 && pf_missing_calls_open && pf_mappings_hull_holds(value);
    if (size < 8 && (addr & 7) + size <= 8) {
        uint64_t mask = ((1ull << 8 * size) - 1) << shift, word = *(volatile uint64_t *)(addr & -8);
        value = (word & ~mask) | (value << shift & mask);
    }
    return pf_mappings_hull_holds(value) || (addr & 7) + size > 8;
}
/* A plain access of at most 8 bytes. For a write, memory may hold the old or the new value. */
void pf_closure_on_access(uint64_t addr, uint64_t size, bool write, uint64_t value);
void pf_closure_on_event(const struct pf_trace_record *e);
/* One bit for each kind of event that may matter. */
#define PF_CLOSURE_EVENT_KINDS                                                                     \
    (1u << PF_EV_READ | 1u << PF_EV_WRITE | 1u << PF_EV_AREAD | 1u << PF_EV_AWRITE |               \
     1u << PF_EV_RMW | 1u << PF_EV_ALLOC)
_Static_assert(PF_EV_KINDS <= 32, "a bit each");

#endif
