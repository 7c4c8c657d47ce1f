/*
 * event.h - what the event body hands over: accesses, as they are about to happen.
 *
 * Model:   an event is counted, the scheduler may let others run first (pf_sched_event), and then,
 *          while tracing, it is written down with its value: nobody else runs before the access
 *          itself has happened. One visible operation is one event, also a copy, which is a read and
 *          a write.
 * Memory:  none.
 * Threads: the one that does the access.
 * Errors:  none.
 *
 * Entered from event_entry.S with vector registers in use: nothing here touches them.
 */
#ifndef PF_RT_EVENT_H
#define PF_RT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* what: the size (1, 2, 4, 8) and these. */
#define PF_EVENT_WRITE 16
#define PF_EVENT_VPTR 32 /* storing what is there already is no access */
void pf_event_access(uintptr_t addr, uint32_t site, uint64_t value, uint32_t what);

enum pf_event_range {
    PF_EVENT_RANGE_READ,
    PF_EVENT_RANGE_WRITE,  /* content: the bytes, or NULL: not known yet */
    PF_EVENT_RANGE_FILL,   /* content: the byte */
    PF_EVENT_RANGE_COPIED, /* as _WRITE, of the same event as the read before */
};
void pf_event_range(uintptr_t addr, uint32_t site, uint64_t size, const void *content,
                    enum pf_event_range how);

/* An interposed function is about to store to an atomic variable, in nobody's event body. */
void pf_event_releases(const volatile void *addr, size_t size, uint32_t id);
/* It has changed a counter of 4 bytes, in one step, from `old` to `now`. */
void pf_event_counts(const volatile void *addr, uint32_t old, uint32_t now, uint32_t id);

/* An event has taken the budget below 0: others may run first. */
struct pf_pending;
void pf_event_due(const struct pf_pending *event);

/* The same inside the runtime (nested), where nobody else can run: the event counts all the same. */
void pf_event_inside(void);

/* What memory holds, up to 8 bytes, zero-extended. */
uint64_t pf_event_value(uintptr_t addr, unsigned size);

#endif
