/*
 * materialise.c - see materialise.h. Every context is saved on its own stack by pf_switch, so a new
 * kernel thread only has to start with that stack pointer (pf_context_resume in switch.S).
 */
#define _GNU_SOURCE
#include "materialise.h"
#include "scheduler.h"
#include "signals.h"
#include "stream_ring.h"
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#define WORK_STACK (64u << 10) /* bytes */

extern void pf_context_resume(void) __attribute__((visibility("hidden")));
long pf_clone_thread(long flags, void *sp, uint64_t fs, struct pf_context *c)
    __attribute__((visibility("hidden")));
_Noreturn void pf_baton_leave(uint32_t *next) __attribute__((visibility("hidden")));
__attribute__((used, visibility("hidden"))) void pf_baton_begin(struct pf_context *c);

bool pf_materialised;
static struct pf_context *leader; /* the context that gets the first thread of the process */

static void baton_wait(struct pf_context *c)
{
    while (!__atomic_exchange_n(&c->baton, 0, __ATOMIC_ACQUIRE)) {
        register long timeout __asm__("r10") = 0;
        __asm__ volatile("leaq 1f(%%rip), %%r12\n\tjmp pf_waits_for_its_turn\n1:"
                         :
                         : "a"(SYS_futex), "D"(&c->baton), "S"(FUTEX_WAIT_PRIVATE), "d"(0),
                           "r"(timeout)
                         : "rcx", "r11", "r12", "memory");
    }
}

static void baton_give(struct pf_context *c)
{
    __atomic_store_n(&c->baton, 1, __ATOMIC_RELEASE);
    pf_sys(SYS_futex, &c->baton, FUTEX_WAKE_PRIVATE, 1);
}

/* Runs on the new kernel thread of a context, below the context's saved registers. */
void pf_baton_begin(struct pf_context *c)
{
    const char *name = pf_syscall_state_of(c)->name;
    if (name[0])
        pf_sys(SYS_prctl, PR_SET_NAME, name);
    pf_kernel_thread_init();
    pf_trap_arm();
    baton_wait(c);
}

void pf_materialise_add(struct pf_context *c)
{
    long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                 CLONE_SETTLS;
    if (pf_clone_thread(flags, c->sp, c->fs, c) < 0)
        pf_direct_refuse("the kernel cannot create a thread for the debugger to show");
}

void pf_baton_pass(struct pf_context *from, struct pf_context *to)
{
    if (from->state == PF_CONTEXT_ENDED)
        pf_baton_leave(&to->baton);
    baton_give(to);
    baton_wait(from);
}

/* Runs on a separate stack, because the current context also moves to another thread. */
static void convert(void)
{
    struct pf_context *me = pf_context_self();
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        struct pf_context *c = pf_context_at(i);
        if (c->state != PF_CONTEXT_ENDED && c != leader)
            pf_materialise_add(c);
    }
    pf_materialised = true;
    baton_give(me);
    uint64_t *frame = (uint64_t *)leader->sp - 8, *saved = leader->sp;
    pf_copy(frame, saved, 8 * sizeof *frame);
    frame[5] = (uint64_t)leader; /* rbx */
    frame[7] = (uint64_t)pf_context_resume;
    void *unused;
    pf_switch(&unused, frame, leader->fs);
    __builtin_unreachable();
}

void pf_materialise(void)
{
    struct pf_context *me = pf_context_self();
    char *stack = pf_sys_map(NULL, WORK_STACK);
    if (!stack)
        pf_direct_refuse("no memory for the debugger's threads");
    leader = pf_context_at(0)->state == PF_CONTEXT_ENDED ? me : pf_context_at(0);
    /* aligned as after a call instruction */
    uint64_t *frame = (uint64_t *)(stack + WORK_STACK) - 9;
    uint32_t control[2] = {0};
    __asm__("stmxcsr %0" : "=m"(control[0]));
    __asm__("fnstcw %0" : "=m"(control[1]));
    pf_copy(&frame[0], control, 8);
    frame[7] = (uint64_t)convert;
    pf_switch(&me->sp, frame, me->fs);
}

void pf_debugger_wait(void)
{
    struct pf_channel *c = pf_channel_get();
    struct timespec interval = {0, 100000000};
    pf_sys(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    __atomic_store_n(&c->stopped, (uint32_t)pf_sys(SYS_gettid), __ATOMIC_SEQ_CST);
    pf_sys(SYS_futex, &c->stopped, FUTEX_WAKE, 1);
    while (!__atomic_load_n(&c->go, __ATOMIC_SEQ_CST)) {
        pf_sys(SYS_futex, &c->go, FUTEX_WAIT, 0, &interval);
        if (!pf_channel_pf_alive())
            pf_direct_refuse("pf has ended");
    }
}
