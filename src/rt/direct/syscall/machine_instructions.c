/* machine_instructions.c - see machine_instructions.h. */
#define _GNU_SOURCE
#include "machine_instructions.h"
#include "scheduler.h"
#include "spin_yield.h"
#include "sys.h"
#include <cpuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define SET_CPUID 0x1012 /* request of arch_prctl; libc does not define it */

void pf_machine_trap(bool faults)
{
    pf_sys(SYS_prctl, PR_SET_TSC, faults ? PR_TSC_SIGSEGV : PR_TSC_ENABLE);
    pf_sys(SYS_arch_prctl, SET_CPUID, !faults);
}

static void emulate_rdtsc(ucontext_t *u, bool with_cpu)
{
    greg_t *g = u->uc_mcontext.gregs;
    uint64_t now = pf_sched_now() * 2; /* as a 2 GHz clock */
    g[REG_RAX] = (greg_t)(uint32_t)now;
    g[REG_RDX] = (greg_t)(now >> 32);
    if (with_cpu)
        g[REG_RCX] = 0;
    if (pf_direct.noting)
        pf_resident_note_name("rdtsc");
    /* virtual time advances, so that a loop that only reads the clock ends */
    pf_sched_count_call();
    if (pf_virtual_is_polling())
        pf_spin_yield_at(u);
}

static void emulate_cpuid(greg_t *g)
{
    uint32_t leaf = (uint32_t)g[REG_RAX], part = (uint32_t)g[REG_RCX], a, b, c, d;
    pf_sys(SYS_arch_prctl, SET_CPUID, true);
    __cpuid_count(leaf, part, a, b, c, d);
    pf_sys(SYS_arch_prctl, SET_CPUID, false);
    if (leaf == 1) {
        b &= 0x00ffffff; /* the upper byte is the number of the core */
        c &= ~(uint32_t)bit_RDRND;
    } else if (leaf == 7 && part == 0) {
        b &= ~(uint32_t)(bit_RDSEED | bit_HLE | bit_RTM);
        c &= ~(uint32_t)bit_RDPID;
    } else if (leaf == 0xb || leaf == 0x1f) {
        d = 0; /* number of the core */
    } else if (leaf == 0x8000001e) {
        a = 0; /* number of the core */
    }
    g[REG_RAX] = a;
    g[REG_RBX] = b;
    g[REG_RCX] = c;
    g[REG_RDX] = d;
}

bool pf_machine_emulate(ucontext_t *u)
{
    greg_t *g = u->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)g[REG_RIP];
    bool clock = at[0] == 0x0f && at[1] == 0x31;
    bool clock_and_cpu = at[0] == 0x0f && at[1] == 0x01 && at[2] == 0xf9;
    bool features = at[0] == 0x0f && at[1] == 0xa2;
    if (!clock && !clock_and_cpu && !features)
        return false;
    g[REG_RIP] += clock_and_cpu ? 3 : 2;
    if (features)
        emulate_cpuid(g);
    else
        emulate_rdtsc(u, clock_and_cpu);
    return true;
}
