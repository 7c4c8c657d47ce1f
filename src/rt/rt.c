#include "rt.h"
#include "access.h"
#include "access_set.h"
#include "cell.h"
#include "limits.h"
#include "lockset.h"
#include "module.h"
#include "options.h"
#include "oracle_log.h"
#include "race.h"
#include "sample.h"
#include "site_pair.h"
#include "site_per_byte.h"
#include "slot.h"
#include "stack.h"
#include "store.h"
#include "sync.h"
#include "sys.h"
#include <cpuid.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define MAIN_STACK_MAX (64ull << 20) /* of an unlimited stack this much is named as such */

struct pf_rt pf_rt;

extern uint32_t pf_vector_state; /* check_entry.S */

void pf_wrap_init(void) __attribute__((weak));
void pf_direct_choose(void) __attribute__((weak)); /* direct/direct.h */
void pf_direct_options(void) __attribute__((weak));
void pf_direct_start(void) __attribute__((weak));
extern void *__libc_stack_end;

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

static bool map_planes(void)
{
    return map_plane(PF_SHADOW_BASE, PF_SHADOW_SIZE) && map_plane(PF_MORE_BASE, PF_MORE_SIZE) &&
           map_plane(PF_MORE_USED, PF_MORE_USED_SIZE) &&
           map_plane(PF_SYNC_PLANE, PF_SYNC_PLANE_SIZE) &&
           map_plane(PF_BLOCK_PLANE, PF_BLOCK_PLANE_SIZE) &&
           map_plane(PF_READY_PLANE, PF_READY_SIZE);
}

static void say(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    pf_sys(SYS_write, 2, s, n);
}

static void begin_main(void)
{
    struct pf_thread *t = pf_thread_create(NULL);
    if (!t)
        return;
    struct rlimit r = {0};
    pf_sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, &r);
    uint64_t size = r.rlim_cur < MAIN_STACK_MAX ? r.rlim_cur : MAIN_STACK_MAX;
    t->stack_hi = ((uintptr_t)__libc_stack_end | 4095) + 1;
    t->stack_lo = t->stack_hi - (size & ~4095ull);
    pf_thread_begin(t);
}

void pf_rt_init(void)
{
    if (pf_rt.ready)
        return;
    pf_nest();
    if (pf_direct_choose)
        pf_direct_choose();
    pf_options_init();
    if (pf_direct_options)
        pf_direct_options();
    pf_store_init();
    pf_rt.plain = __pf_bare = pf_options.plain;
    if (!pf_rt.plain && !map_planes()) {
        say("photofinish: cannot map the shadow memory (is there a limit on address space, "
            "ulimit -v?); this run is NOT watched\n");
        pf_limit_hit(PF_LIMIT_MEMORY);
        pf_unnest();
        return;
    }
    find_vector_state();
    pf_rt.strict = pf_options.strict;
    pf_rt.events |= pf_options.events != 0;
    pf_stack_init();
    pf_idpair_init();
    pf_places_init();
    pf_lockset_init();
    pf_sync_init();
    pf_block_init();
    pf_sample_init();
    if (pf_options.oracle_log[0])
        pf_oracle_open(pf_options.oracle_log);
    pf_rt.careful = pf_rt.strict || pf_rt.oracle;
    if (pf_wrap_init)
        pf_wrap_init();
    pf_race_init();
    pf_sample_start();
    pf_rt.ready = true;
    pf_unnest();
    if (!pf_rt.plain) /* else no thread is ever known, and all of this stays out of the way */
        begin_main();
    if (pf_direct_start)
        pf_direct_start();
}

static void lock_all(void)
{
    pf_oracle_begin(); /* the outermost of the locks */
    pf_oracle_flush(); /* or the child would write it again */
    pf_thread_lock();
    pf_slot_lock();
    pf_sync_lock_all();
    pf_cell_lock_all();
    pf_set_lock();
    pf_block_lock_all();
    pf_lockset_lock();
    pf_stack_lock();
    pf_idpair_lock();
    pf_module_lock();
    pf_store_lock_all();
}

static void unlock_all(void)
{
    pf_store_unlock_all();
    pf_module_unlock();
    pf_idpair_unlock();
    pf_stack_unlock();
    pf_lockset_unlock();
    pf_block_unlock_all();
    pf_set_unlock();
    pf_cell_unlock_all();
    pf_sync_unlock_all();
    pf_slot_unlock();
    pf_thread_unlock();
    pf_oracle_end();
}

void pf_rt_before_fork(bool alone)
{
    pf_nest();
    if (!alone)
        lock_all();
}

void pf_rt_after_fork(bool alone, bool child)
{
    if (!alone)
        unlock_all();
    pf_unnest();
    if (child && __pf_tls.thread) {
        pf_thread_after_fork(__pf_tls.thread);
        pf_sample_forked(__pf_tls.thread);
    }
}
