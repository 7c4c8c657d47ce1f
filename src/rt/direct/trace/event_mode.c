/*
 * event_mode.c - what operations of the target do in event mode: the tables of the lower layers.
 */
#include "block_history.h"
#include "direct.h"
#include "event.h"
#include "hb.h"
#include "hooks.h"
#include "missing_call.h"
#include "stack_variables.h"
#include "stream_ring.h"

static void read(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id)
{
    (void)t;
    pf_event_interposed_access(addr, size, false, id);
}

static void write(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id)
{
    (void)t;
    pf_event_interposed_access(addr, size, true, id);
}

/* Memory has no access records in event mode. */
static void ignore_allocation(struct pf_thread *t, const volatile void *addr, size_t size,
                              uint32_t where)
{
}
static void ignore_range(const volatile void *addr, size_t size)
{
    (void)addr;
    (void)size;
}
static bool no_blocks(void) { return true; }

static void fence(struct pf_thread *t, uint32_t order, uint32_t site)
{
    (void)t;
    pf_event_fence(order, site);
}

static const struct pf_memory_ops memory_ops = {
    .read = read,
    .write = write,
    .atomic_begin = pf_atomic_begin_event,
    .fence = fence,
    .memory_new = ignore_range,
    .memory_allocated = ignore_allocation,
    .memory_unmapped = ignore_range,
    .block_init = no_blocks,
    .block_prefetch = pf_block_history_prefetch,
    .block_reuse = pf_block_history_reuse,
    .block_free = pf_block_history_free,
    .block_find = pf_block_history_find,
    .block_size = pf_block_history_size,
};

static void close_calls(void)
{
    if (pf_direct.tracing)
        pf_missing_call_close();
}

static void mark_zones(uintptr_t lo, uintptr_t hi) { pf_global_mark_zones(); }

void pf_event_mode_init(void)
{
    pf_memory_ops = memory_ops;
    pf_order_ops = pf_event_order_ops;
    pf_hooks.choose_body = pf_missing_call_choose_body;
    pf_hooks.context_wanted = close_calls;
    pf_hooks.module_loaded = mark_zones;
    pf_hooks.memory_error_reported = pf_channel_report_error;
    pf_hooks.failure_found = pf_channel_report_failure;
    pf_hooks.atomic_begin = pf_event_atomic_begin;
    pf_hooks.atomic_end = pf_event_atomic_end;
    pf_hooks.event_in_runtime = pf_event_in_runtime;
}
