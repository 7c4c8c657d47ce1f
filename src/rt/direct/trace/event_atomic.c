/*
 * event_atomic.c - atomic operations and fences as events. The scheduler is asked before the
 * operation; the event is recorded after it, when both the old and the new value are known.
 */
#include "behaviour.h"
#include "context.h"
#include "event.h"
#include "memory_error.h"
#include "memory_model.h"
#include "missing_call.h"
#include "stack.h"
#include "tracer.h"

struct atomic_operation {
    uintptr_t addr;
    uint64_t old;
    uint32_t packed, site;
};
/* A thread is inside at most one atomic operation. */
static __thread struct atomic_operation current __attribute__((tls_model("initial-exec")));

static void count(uintptr_t addr, uint64_t size, bool write, uint32_t site)
{
    if (pf_direct.tracing)
        pf_missing_call_close();
    if (--__pf_tls.budget < 0)
        pf_event_budget_used(&(struct pf_pending_event){
            .address = addr, .size = size, .site = site, .write = write, .atomic = true});
}

void pf_event_in_runtime(void)
{
    if (--__pf_tls.budget < 0)
        pf_event_nested();
}

void pf_event_atomic_begin(void *addr, uint32_t packed, uint32_t site)
{
    uint8_t op = packed >> 8 & 0xff;
    uint8_t size = packed & 0xff;
    count((uintptr_t)addr, size, op != PF_ATOMIC_LOAD, site);
    if (pf_direct.watching)
        pf_memory_check((uintptr_t)addr, size, op != PF_ATOMIC_LOAD, 0, site);
    if (pf_direct.counts_behaviours && op != PF_ATOMIC_STORE)
        pf_behaviour_access((uintptr_t)addr, size, false, site);
    if (pf_direct.counts_behaviours && op != PF_ATOMIC_LOAD)
        pf_behaviour_access((uintptr_t)addr, size, true, site);
    if (pf_direct.noting)
        pf_local_state_note(site);
    if (pf_memory_model_active())
        pf_memory_model_atomic_begin((uintptr_t)addr, packed, site);
    current = (struct atomic_operation){.addr = (uintptr_t)addr, .packed = packed, .site = site};
    if (pf_direct.tracing && size <= 8)
        current.old = pf_event_load_value((uintptr_t)addr, size);
}

/* Flags as defined by the trace model: without flags an operation has the full effect of its kind
 * (acquire and release). */
static uint8_t flags_of(unsigned order, bool rmw)
{
    switch (order) {
    case PF_RELAXED:
        return PF_EF_RELAXED;
    case PF_CONSUME:
    case PF_ACQUIRE:
        return rmw ? PF_EF_ACQUIRE : 0;
    case PF_RELEASE:
        return rmw ? PF_EF_RELEASE : 0;
    default:
        return 0;
    }
}

void pf_event_atomic_end(uint32_t stored)
{
    const struct atomic_operation *o = &current;
    uint8_t size = o->packed & 0xff, op = o->packed >> 8 & 0xff;
    uint64_t value = pf_direct.tracing && size <= 8 ? pf_event_load_value(o->addr, size) : 0;
    if (pf_memory_model_active())
        pf_memory_model_atomic_end(o->addr, o->packed, stored);
    if (!pf_direct.tracing || !pf_stack_watched())
        return;
    bool rmw = stored && op != PF_ATOMIC_STORE;
    unsigned order = op == PF_ATOMIC_CAS && !stored ? o->packed >> 24 : o->packed >> 16 & 0xff;
    struct pf_trace_record e = {.kind = rmw      ? PF_EV_RMW
                                        : stored ? PF_EV_AWRITE
                                                 : PF_EV_AREAD,
                                .flags = flags_of(order, rmw),
                                .site = pf_stack_id(__pf_tls.thread, o->site),
                                .what = o->addr,
                                .more = size,
                                .has_value = size <= 8,
                                .has_old = rmw && size <= 8,
                                .old = o->old};
    if (op == PF_ATOMIC_CAS)
        e.flags |= PF_EF_COMPARES;
    if (pf_direct.exploring && order != PF_SEQ_CST)
        pf_resident_note_weak();
    if (e.has_value)
        e.value = value;
    else
        e.flags |= PF_EF_UNKNOWN;
    pf_nest();
    pf_trace_event(&e);
    pf_unnest();
}

void pf_event_atomic_store(const volatile void *addr, size_t size, uint32_t id)
{
    if (pf_memory_model_active())
        pf_memory_model_interposed((uintptr_t)addr, size, true);
    if (pf_direct.tracing && pf_stack_watched())
        pf_trace_event(&(struct pf_trace_record){.kind = PF_EV_AWRITE,
                                                 .flags = PF_EF_UNKNOWN,
                                                 .attached = true,
                                                 .site = id,
                                                 .what = (uintptr_t)addr,
                                                 .more = size});
}

void pf_event_counter_update(const volatile void *addr, uint32_t old, uint32_t now, uint32_t id)
{
    if (pf_memory_model_active())
        pf_memory_model_interposed((uintptr_t)addr, sizeof old, true);
    if (pf_direct.tracing && pf_stack_watched())
        pf_trace_event(&(struct pf_trace_record){.kind = PF_EV_RMW,
                                                 .attached = true,
                                                 .site = id,
                                                 .what = (uintptr_t)addr,
                                                 .more = sizeof old,
                                                 .has_value = true,
                                                 .has_old = true,
                                                 .value = now,
                                                 .old = old});
}

void pf_event_fence(uint32_t order, uint32_t site)
{
    count(0, 0, false, PF_PENDING_NO_SITE);
    if (pf_memory_model_active())
        pf_memory_model_fence(order);
    if (!pf_direct.tracing || !pf_stack_watched() || order == PF_RELAXED)
        return;
    if (pf_direct.exploring)
        pf_resident_note_weak();
    pf_nest();
    pf_trace_event(&(struct pf_trace_record){.kind = PF_EV_FENCE,
                                             .flags = flags_of(order, true),
                                             .site = pf_stack_id(__pf_tls.thread, site)});
    pf_unnest();
}
