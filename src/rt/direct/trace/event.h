/*
 * event.h - the entry points of the event body: accesses that are about to happen.
 *
 * Model:   an event is counted; the scheduler may let other threads run first (pf_sched_event);
 *          then, while tracing, the event is recorded with its value. No other thread runs between
 *          that and the access itself. One visible operation is one event, even a copy, which is a
 *          read and a write.
 * Memory:  none.
 * Threads: the thread that performs the access.
 * Errors:  none.
 *
 * Called by event_entry.S while vector registers are live: nothing here uses them.
 */
#ifndef PF_RT_EVENT_H
#define PF_RT_EVENT_H

/* The last argument of pf_event_access: the size (1, 2, 4, 8) plus these flags. */
#define PF_EVENT_WRITE 16
#define PF_EVENT_VPTR 32 /* storing the value that is already there is not an access */

/* The last argument of pf_event_range. */
#define PF_EVENT_RANGE_READ 0
#define PF_EVENT_RANGE_WRITE 1  /* content: the bytes; NULL: not known yet */
#define PF_EVENT_RANGE_FILL 2   /* content: the byte value */
#define PF_EVENT_RANGE_COPIED 3 /* like _WRITE, part of the same event as the read before */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void pf_event_access(uintptr_t addr, uint32_t site, uint64_t value, uint32_t what);
void pf_event_range(uintptr_t addr, uint32_t site, uint64_t size, const void *content,
                    uint32_t how);

/* Fills the tables of the lower layers with what operations do in event mode (event_mode.c). */
void pf_event_mode_init(void);
extern const struct pf_order_ops pf_event_order_ops; /* event_order.c */

/* Atomic operations and fences (event_atomic.c): called before and after the operation. */
void pf_event_atomic_begin(void *addr, uint32_t packed, uint32_t site);
void pf_event_atomic_end(uint32_t stored);
void pf_event_fence(uint32_t order, uint32_t site);
/* an atomic operation or a fence inside the runtime */
void pf_event_in_runtime(void);

/* An access of an interposed function. */
void pf_event_interposed_access(const volatile void *addr, size_t size, bool write, uint32_t id);
/* The same for interposed functions that do not nest; `site` belongs to the function on top of the
 * stack. */
void pf_event_leaf_access(const volatile void *addr, size_t size, bool write, uint32_t site);

/* An interposed function is about to store to an atomic variable, outside of any event body. */
void pf_event_atomic_store(const volatile void *addr, size_t size, uint32_t id);
/* An interposed function has changed a 4-byte counter atomically from `old` to `now`. */
void pf_event_counter_update(const volatile void *addr, uint32_t old, uint32_t now, uint32_t id);

/* An event has decremented the budget below 0: other threads may run first. */
struct pf_pending_event;
void pf_event_budget_used(const struct pf_pending_event *event);

/* The same inside the runtime (nested), where no other thread can run: the event is counted, but
 * does not switch. */
void pf_event_nested(void);

/* Loads up to 8 bytes, zero-extended. */
uint64_t pf_event_load_value(uintptr_t addr, unsigned size);
#endif

#endif
