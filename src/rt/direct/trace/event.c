#include "event.h"
#include "access.h"
#include "benign.h"
#include "closure_cache.h"
#include "context.h"
#include "fuzz_policy.h"
#include "memory_error.h"
#include "missing_call.h"
#include "options.h"
#include "rt.h"
#include "scheduler.h"
#include "stack.h"
#include "tracer.h"

_Static_assert(offsetof(struct pf_tls, budget) == 48, "event_entry.S knows the offset");

#define WITHOUT_END (INT64_MAX / 2)

void pf_event_due(const struct pf_pending *event)
{
    if (pf_directed())
        pf_sched_event(event);
    else /* option `events`: there is nobody to be asked */
        __pf_tls.budget = pf_options.events > 1 ? 0 : WITHOUT_END;
}

void pf_event_inside(void)
{
    struct pf_thread *t = __pf_tls.thread;
    bool asked = t && t->inside == __pf_tls.nested; /* in a lock of the target: it may spin */
    if (asked && t->dropping && !(pf_directed() && pf_sched_follows())) {
        t->dropping--; /* a replay knows where it was asked in the end */
        asked = false;
    }
    if (pf_directed() && asked)
        pf_sched_event(&(struct pf_pending){.site = PF_PENDING_NOWHERE});
    else if (pf_directed())
        pf_sched_inside();
    else
        __pf_tls.budget = 0;
}

/* The event has found the budget used up. Is it to be written down? */
static bool ask(uintptr_t addr, uint64_t size, bool write, uint32_t site)
{
    if (__builtin_expect(!pf_self(), 0)) {
        pf_event_inside();
        return false;
    }
    if (pf_direct.tracing)
        pf_call_settle();
    pf_event_due(&(struct pf_pending){.address = addr, .size = size, .site = site, .write = write});
    if (pf_direct.watching)
        pf_memory_check(addr, size, write, 0, site);
    return pf_direct.tracing;
}

/* Does the program want it not to be looked at? */
static bool is_excused(uintptr_t addr, uint64_t size, bool write)
{
    bool excused = pf_ignores(__pf_tls.thread, write) || pf_benign(addr, size);
    if (excused && write && pf_kept_any)
        pf_kept_written(addr, size, NULL);
    return excused;
}

uint64_t pf_event_value(uintptr_t addr, unsigned size)
{
    uint64_t v = 0;
    switch (size) {
    case 1:
        return *(volatile uint8_t *)addr;
    case 2:
        return *(volatile uint16_t *)addr;
    case 4:
        return *(volatile uint32_t *)addr;
    case 8:
        return *(volatile uint64_t *)addr;
    default:
        for (unsigned i = 0; i < size && i < 8; i++)
            v |= (uint64_t)((volatile uint8_t *)addr)[i] << 8 * i;
        return v;
    }
}

/* `ask` while tracing, for most events: one of those that its thread was granted. */
static inline bool passes(void)
{
    struct pf_context *c = pf_running;
    if (!pf_direct.tracing || pf_direct.fuzzing || !pf_self())
        return false;
    pf_call_settle();
    if (c->left <= 0)
        return false;
    c->left--;
    __pf_tls.budget = 0;
    return true;
}

void pf_event_access(uintptr_t addr, uint32_t site, uint64_t value, uint32_t what)
{
    unsigned size = what & 15;
    bool write = what & PF_EVENT_WRITE;
    if (__builtin_expect(passes(), 1)) {
        if (__builtin_expect(!pf_heap_fine(addr, size), 0))
            pf_memory_check(addr, size, write, 0, site);
    } else if (!ask(addr, size, write, site)) {
        return;
    }
    if (is_excused(addr, size, write))
        return;
    if (!write)
        value = pf_event_value(addr, size);
    else if (what & PF_EVENT_VPTR && value == pf_event_value(addr, 8))
        return;
    pf_nest();
    pf_trace_access(pf_stack_id(__pf_tls.thread, site), addr, size, write, value,
                    pf_running->until - (uint64_t)pf_running->left);
    pf_unnest();
}

static void trace_range(uintptr_t addr, uint64_t size, uint32_t id, bool write, const void *bytes,
                        bool attached)
{
    struct pf_traced e = {.kind = write ? PF_EV_WRITE : PF_EV_READ,
                          .attached = attached,
                          .site = id,
                          .what = addr,
                          .more = size};
    if (size == 0 || is_excused(addr, size, write))
        return;
    if (!bytes) {
        e.flags = PF_EF_UNKNOWN;
    } else if (size <= 8) {
        e.has_value = true;
        e.value = pf_event_value((uintptr_t)bytes, (unsigned)size);
    } else {
        e.bytes = bytes;
        e.nbytes = size > PF_TRACED_BYTES ? PF_TRACED_BYTES : (uint32_t)size;
    }
    pf_nest();
    pf_trace_event(&e);
    pf_unnest();
}

static void trace_fill(uintptr_t addr, uint64_t size, uint32_t id, uint8_t byte)
{
    uint8_t bytes[PF_TRACED_BYTES];
    for (unsigned i = 0; i < sizeof bytes; i++)
        ((volatile uint8_t *)bytes)[i] = byte;
    trace_range(addr, size, id, true, bytes, false);
}

void pf_event_range(uintptr_t addr, uint32_t site, uint64_t size, const void *content,
                    enum pf_event_range how)
{
    bool attached = how == PF_EVENT_RANGE_COPIED, write = how != PF_EVENT_RANGE_READ;
    if (attached) {
        if (!pf_self())
            return;
        if (pf_direct.watching)
            pf_memory_check(addr, size, write, 0, site);
        if (!pf_direct.tracing)
            return;
    } else if (passes()) {
        if (!pf_heap_fine(addr, size))
            pf_memory_check(addr, size, write, 0, site);
    } else if (!ask(addr, size, write, site)) {
        return;
    }
    uint32_t id = pf_stack_id(__pf_tls.thread, site);
    const void *bytes = write ? content : (const void *)addr;
    if (how == PF_EVENT_RANGE_FILL) {
        trace_fill(addr, size, id, (uint8_t)(uintptr_t)content);
    } else if (!attached && bytes && size > 8 && size <= PF_TRACED_BYTES) {
        if (is_excused(addr, size, write))
            return;
        pf_nest();
        pf_trace_wide(id, addr, size, write, bytes, (uint32_t)size,
                      pf_running->until - (uint64_t)pf_running->left);
        pf_unnest();
    } else {
        trace_range(addr, size, id, write, bytes, attached);
    }
}

/* What a write of an interposed function stores is not known here: it may come before or after. */
void pf_event_touch(const volatile void *addr, size_t size, bool write, uint32_t id)
{
    pf_memory_check((uintptr_t)addr, size, write, id, 0);
    if (pf_direct.fuzzing)
        pf_fuzz_touch((uintptr_t)addr, size, write);
    if (pf_direct.tracing && pf_stack_watched())
        trace_range((uintptr_t)addr, size, id, write, write ? NULL : (const void *)addr, true);
}

void pf_event_reach(const volatile void *addr, size_t size, bool write, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (!t || __pf_tls.dispatch == PF_DISPATCH_PLAIN || !pf_stack_watched() ||
        !(pf_direct.tracing || pf_direct.fuzzing ||
          (!pf_heap_fine((uintptr_t)addr, size) && pf_heap_watch((uintptr_t)addr, size))))
        return;
    pf_nest();
    pf_event_touch(addr, size, write, pf_stack_id(t, site));
    pf_unnest();
}
