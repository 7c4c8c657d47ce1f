/*
 * event.c - see event.h. Most events return from event_entry.S after decrementing the budget; these
 * functions run when it is used up. While tracing or checking memory the budget stays 0, so they
 * run at every event.
 */
#include "event.h"
#include "behaviour.h"
#include "benign.h"
#include "closure_cache.h"
#include "context.h"
#include "fuzz_policy.h"
#include "memory_error.h"
#include "memory_model.h"
#include "missing_call.h"
#include "options.h"
#include "rt.h"
#include "runtime_access.h"
#include "scheduler.h"
#include "stack.h"
#include "tracer.h"

#define UNLIMITED (INT64_MAX / 2)

void pf_event_budget_used(const struct pf_pending_event *event)
{
    if (pf_directed())
        pf_sched_event(event);
    else /* option `events`: there is no scheduler */
        __pf_tls.budget = pf_options.events > 1 ? 0 : UNLIMITED;
}

void pf_event_nested(void)
{
    if (pf_memory_model_active())
        pf_memory_model_enter();
    if (!pf_directed()) { /* option `events`: there is no scheduler */
        __pf_tls.budget = 0;
        return;
    }
    struct pf_thread *t = __pf_tls.thread;
    /* The implementation of an annotated lock may spin, so there the scheduler is asked; but not in
     * its unlock, during which no other thread runs. (In a replay the recording decides.) */
    bool asked = t && t->direct.annotated_nesting == __pf_tls.nested;
    if (asked && t->direct.annotated_unlock_events && !pf_sched_follows_recording()) {
        t->direct.annotated_unlock_events--;
        asked = false;
    }
    if (asked)
        pf_sched_event(&(struct pf_pending_event){.site = PF_PENDING_NO_SITE});
    else
        pf_sched_event_nested();
}

/* The budget is used up: asks the scheduler. Returns true if the event must be recorded. */
static bool ask_scheduler(uintptr_t addr, uint64_t size, bool write, uint32_t site)
{
    if (__builtin_expect(!pf_self(), 0)) {
        pf_event_nested();
        return false;
    }
    if (pf_direct.tracing)
        pf_missing_call_close();
    pf_event_budget_used(
        &(struct pf_pending_event){.address = addr, .size = size, .site = site, .write = write});
    if (pf_direct.watching)
        pf_memory_check(addr, size, write, 0, site);
    if (pf_direct.counts_behaviours)
        pf_behaviour_access(addr, size, write, site);
    return pf_direct.tracing;
}

/* True if the program has asked to ignore the access. */
static bool is_ignored(uintptr_t addr, uint64_t size, bool write)
{
    bool excused = pf_ignores(__pf_tls.thread, write) || pf_benign_overlaps(addr, size);
    if (excused && write && pf_closure_any)
        pf_closure_on_write(addr, size, NULL);
    return excused;
}

uint64_t pf_event_load_value(uintptr_t addr, unsigned size)
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

/* Fast path of ask_scheduler while tracing: true if the event is within the thread's grant. */
static inline bool within_grant(void)
{
    struct pf_context *c = pf_running;
    if (!pf_direct.tracing || pf_direct.fuzzing || !pf_self())
        return false;
    pf_missing_call_close();
    if (c->grant_left <= 0)
        return false;
    c->grant_left--;
    __pf_tls.budget = 0;
    return true;
}

/* Before the access: it may be the one at which the program crashes. */
static inline void set_newest(uint32_t site)
{
    pf_running->event_site = site + 1;
    pf_running->event_frame = __pf_tls.frame;
}

void pf_event_access(uintptr_t addr, uint32_t site, uint64_t value, uint32_t what)
{
    unsigned size = what & 15;
    bool write = what & PF_EVENT_WRITE, recorded = true;
    if (pf_memory_model_active())
        pf_memory_model_enter();
    if (__builtin_expect(within_grant(), 1)) {
        if (__builtin_expect(!pf_red_zone_is_clear(addr, size), 0))
            pf_memory_check(addr, size, write, 0, site);
    } else {
        recorded = ask_scheduler(addr, size, write, site);
    }
    if (pf_memory_model_active() && pf_self())
        pf_memory_model_access(addr, size, write, value, site);
    if (__builtin_expect(pf_direct.noting, 0) && !write && pf_self())
        pf_local_state_note(site);
    if (!recorded)
        return;
    if (is_ignored(addr, size, write))
        return;
    set_newest(site);
    if (!write)
        value = pf_event_load_value(addr, size);
    else if (what & PF_EVENT_VPTR && value == pf_event_load_value(addr, 8))
        return;
    pf_nest();
    pf_trace_access(pf_stack_id(__pf_tls.thread, site), addr, size, write, value,
                    pf_running->until - (uint64_t)pf_running->grant_left);
    pf_unnest();
}

static void trace_range(uintptr_t addr, uint64_t size, uint32_t id, bool write, const void *bytes,
                        bool attached)
{
    struct pf_trace_record e = {.kind = write ? PF_EV_WRITE : PF_EV_READ,
                                .attached = attached,
                                .site = id,
                                .what = addr,
                                .more = size};
    if (size == 0 || is_ignored(addr, size, write))
        return;
    if (!bytes) {
        e.flags = PF_EF_UNKNOWN;
    } else if (size <= 8) {
        e.has_value = true;
        e.value = pf_event_load_value((uintptr_t)bytes, (unsigned)size);
    } else {
        e.bytes = bytes;
        e.nbytes = size > PF_TRACE_RECORD_BYTES ? PF_TRACE_RECORD_BYTES : (uint32_t)size;
    }
    pf_nest();
    pf_trace_event(&e);
    pf_unnest();
}

static void trace_fill(uintptr_t addr, uint64_t size, uint32_t id, uint8_t byte)
{
    uint8_t bytes[PF_TRACE_RECORD_BYTES];
    for (unsigned i = 0; i < sizeof bytes; i++)
        ((volatile uint8_t *)bytes)[i] = byte;
    trace_range(addr, size, id, true, bytes, false);
}

void pf_event_range(uintptr_t addr, uint32_t site, uint64_t size, const void *content, uint32_t how)
{
    bool attached = how == PF_EVENT_RANGE_COPIED, write = how != PF_EVENT_RANGE_READ;
    bool recorded = true;
    if (pf_memory_model_active() && !attached) /* a copy uses the value that its source has now */
        pf_memory_model_enter();
    if (attached) {
        if (!pf_self())
            return;
        if (pf_direct.watching)
            pf_memory_check(addr, size, write, 0, site);
        if (pf_direct.counts_behaviours)
            pf_behaviour_access(addr, size, write, site);
        recorded = pf_direct.tracing;
    } else if (within_grant()) {
        if (!pf_red_zone_is_clear(addr, size))
            pf_memory_check(addr, size, write, 0, site);
    } else {
        recorded = ask_scheduler(addr, size, write, site);
    }
    if (pf_memory_model_active() && pf_self())
        pf_memory_model_range(addr, size, how, content, site);
    if (!recorded)
        return;
    set_newest(site);
    uint32_t id = pf_stack_id(__pf_tls.thread, site);
    const void *bytes = write ? content : (const void *)addr;
    if (how == PF_EVENT_RANGE_FILL) {
        trace_fill(addr, size, id, (uint8_t)(uintptr_t)content);
    } else if (!attached && bytes && size > 8 && size <= PF_TRACE_RECORD_BYTES) {
        if (is_ignored(addr, size, write))
            return;
        pf_nest();
        pf_trace_wide(id, addr, size, write, bytes, (uint32_t)size,
                      pf_running->until - (uint64_t)pf_running->grant_left);
        pf_unnest();
    } else {
        trace_range(addr, size, id, write, bytes, attached);
    }
}

/* The value that an interposed function writes is unknown: the write may come before or after this
 * call. */
void pf_event_interposed_access(const volatile void *addr, size_t size, bool write, uint32_t id)
{
    pf_memory_check((uintptr_t)addr, size, write, id, 0);
    if (pf_memory_model_active())
        pf_memory_model_interposed((uintptr_t)addr, size, write);
    if (pf_direct.fuzzing)
        pf_fuzz_policy_access((uintptr_t)addr, size, write);
    if (!pf_direct.tracing || !pf_stack_watched())
        return;
    /* The kernel may refuse a bad pointer that the function passes on to it. */
    uint8_t bytes[PF_TRACE_RECORD_BYTES];
    size_t n = size < sizeof bytes ? size : sizeof bytes;
    bool known = !write && pf_try_copy(bytes, (const void *)addr, n);
    trace_range((uintptr_t)addr, size, id, write, known ? bytes : NULL, true);
}

void pf_event_leaf_access(const volatile void *addr, size_t size, bool write, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (!t || __pf_tls.dispatch == PF_DISPATCH_PLAIN || !pf_stack_watched() ||
        !(pf_direct.tracing || pf_direct.fuzzing || pf_memory_model_active() ||
          (!pf_red_zone_is_clear((uintptr_t)addr, size) &&
           pf_red_zone_find((uintptr_t)addr, size))))
        return;
    pf_nest();
    pf_event_interposed_access(addr, size, write, pf_stack_id(t, site));
    pf_unnest();
}
