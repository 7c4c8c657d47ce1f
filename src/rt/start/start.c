/*
 * start.c - starts the layers of the runtime, from the lowest to the highest.
 */
#include "start.h"
#include "direct.h"
#include "event.h"
#include "event_bodies.h"
#include "hooks.h"
#include "limits.h"
#include "lockset.h"
#include "module.h"
#include "options.h"
#include "oracle_log.h"
#include "reporter.h"
#include "rt.h"
#include "runtime_access.h"
#include "sample.h"
#include "site_pair.h"
#include "site_per_byte.h"
#include "stack.h"
#include "store.h"
#include "sync.h"
#include "sys.h"
#include "thread_life.h"
#include "thread_record.h"
#include <cpuid.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define MAIN_STACK_MAX (64ull << 20) /* the part of an unlimited stack that is treated as stack */

extern uint32_t pf_vector_state; /* defined in check_entry.S */

extern void *__libc_stack_end;

void __tsan_on_initialize(void) __attribute__((weak)); /* a function of the program */

/* Sets pf_vector_state: which extended state exists (1: x87, 4: AVX), and whether the processor can
 * tell which of it is in use (8). */
static void find_vector_state(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    uint32_t state = 1 | (a & 4);
    if (__get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 4)
        state |= 8;
    pf_vector_state = state;
}

static bool map_plane(uint64_t at, uint64_t size)
{
    if (!pf_sys_map((void *)at, size))
        return false;
    pf_sys(SYS_madvise, at, size, MADV_NOHUGEPAGE);
    pf_sys(SYS_madvise, at, size, MADV_DONTDUMP);
    return true;
}

/* Maps the tables of the runtime; false if there is no address space for one of them. */
static bool map_tables(void)
{
    return pf_stack_init() && pf_site_pair_init() && pf_lockset_init() && pf_sync_init() &&
           pf_memory_ops.block_init();
}

static bool map_planes(void)
{
    return map_plane(PF_SHADOW_BASE, PF_SHADOW_SIZE) &&
           map_plane(PF_OVERFLOW_BASE, PF_OVERFLOW_SIZE) &&
           map_plane(PF_OVERFLOW_STATE, PF_OVERFLOW_STATE_SIZE) &&
           map_plane(PF_SYNC_PLANE, PF_SYNC_PLANE_SIZE) &&
           map_plane(PF_BLOCK_PLANE, PF_BLOCK_PLANE_SIZE) &&
           map_plane(PF_PREFAULT_PLANE, PF_PREFAULT_SIZE);
}

static void begin_main(void)
{
    struct pf_thread *t = pf_thread_create(NULL);
    if (!t)
        return;
    struct rlimit r = {0};
    pf_sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, &r);
    uint64_t size = r.rlim_cur < MAIN_STACK_MAX ? r.rlim_cur : MAIN_STACK_MAX;
    t->stack_hi = pf_page_down((uintptr_t)__libc_stack_end) + PF_PAGE;
    t->stack_lo = t->stack_hi - pf_page_down(size);
    pf_thread_begin(t);
}

/* Turns off what only free mode does: it reports misuse of locks, threads and signal handlers
 * (docs/kinds.md), keeps freed blocks, waits for other threads at exit, and lets findings change
 * the exit status. */
static void turn_off_free_mode(void)
{
    pf_options.report_mutex_bugs = pf_options.report_destroy_locked = false;
    pf_options.report_locks_at_end = pf_options.report_sync_misuse = false;
    pf_options.report_signal_unsafe = pf_options.report_thread_leaks = false;
    pf_options.detect_deadlocks = false;
    pf_options.quarantine_size_mb = pf_options.atexit_sleep_ms = 0;
    pf_options.own_status = true; /* so that the exit status is the same in every replay */
}

static void (*events_module_loaded)(uintptr_t lo, uintptr_t hi);

static void load_bodies(uintptr_t lo, uintptr_t hi)
{
    if (pf_rt.ready && pf_module_wants_bodies(lo))
        pf_event_bodies_load_for(lo);
    events_module_loaded(lo, hi);
}

void pf_rt_init(void)
{
    if (pf_rt.ready)
        return;
    pf_nest();
    pf_rt.umask = (unsigned)pf_sys(SYS_umask, 0);
    pf_sys(SYS_umask, pf_rt.umask);
    pf_direct_choose_mode();
    pf_options_init();
    pf_direct_options();
    pf_rt.events |= pf_options.events != 0;
    pf_hooks.module_loaded = pf_shadow_module_loaded;
    if (pf_rt.events) {
        pf_event_mode_init();
        events_module_loaded = pf_hooks.module_loaded;
        pf_hooks.module_loaded = load_bodies;
        turn_off_free_mode();
    }
    pf_rt.plain = __pf_bare = pf_options.plain;
    bool mapped = pf_store_init() && (pf_rt.plain || map_planes()) && map_tables();
    if (!mapped && !pf_rt.plain) {
        pf_sys_say("photofinish: cannot map the shadow memory (is there a limit on address space, "
                   "ulimit -v, or none on the stack, ulimit -s?); this run is NOT watched\n");
        pf_direct_unavailable();
        pf_limit_hit(PF_LIMIT_MEMORY);
        pf_unnest();
        return;
    }
    find_vector_state();
    pf_rt.strict = pf_options.strict;
    pf_site_per_byte_init();
    pf_sample_init();
    if (pf_options.oracle_log[0])
        pf_oracle_open(pf_options.oracle_log);
    bool all_kinds = !pf_options.races_only && !pf_rt.plain;
    pf_rt.lock_order = all_kinds && pf_options.detect_deadlocks;
    pf_rt.object_uses = all_kinds && !pf_rt.events;
    pf_rt.lock_stacks = (pf_rt.object_uses && !pf_rt.sampling) || pf_options.report_locks_at_end;
    /* Not while sampling, when a thread that is not watched leaves no records. Not with the oracle,
     * which does not know these writes. */
    pf_rt.heap_marks = pf_rt.object_uses && !pf_rt.sampling && !pf_rt.oracle;
    pf_rt.scope_marks = !pf_rt.events && !pf_rt.sampling && !pf_rt.oracle;
    pf_rt.slow_path_only = pf_rt.strict || pf_rt.oracle || pf_rt.events;
    pf_wrap_init();
    pf_reporter_init();
    pf_sample_start();
    if (pf_rt.events)
        pf_event_bodies_load();
    pf_rt.ready = true;
    pf_unnest();
    /* in plain mode no thread is registered, so the rest of the runtime does nothing */
    if (!pf_rt.plain)
        begin_main();
    pf_direct_start();
    if (__tsan_on_initialize)
        __tsan_on_initialize();
}
