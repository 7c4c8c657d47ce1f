/*
 * context.c - see context.h.
 *
 * A child process that shares our memory (posix_spawn, vfork) is created by the kernel, on the
 * stack that the caller provides. Its system calls are not trapped, and it soon executes another
 * program.
 */
#define _GNU_SOURCE
#include "context.h"
#include "environment.h"
#include "forked_child.h"
#include "hooks.h"
#include "memory_model.h"
#include "scheduler.h"
#include "sys.h"
#include "tracer.h"
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/auxv.h>

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE 2
#endif

#define CONTEXTS (1u << 20) /* threads of a run */
#define GREGS 18 /* the registers of ucontext's gregs up to the flags */
#define ROBUST_MAX 2048 /* the kernel's own limit: the list may be circular */

extern void pf_context_start(void) __attribute__((visibility("hidden")));
long pf_clone_own_stack(long number, const long argument[6], size_t block)
    __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) bool pf_switch_slow; /* the processor lacks wrfsbase */

static struct pf_context *table;
static uint32_t count;
static uint32_t leader; /* the context whose tid is the process id */
static int64_t tls_offset; /* offset of __pf_tls from the thread pointer, the same in all threads */

struct pf_context *pf_context_at(uint32_t number) { return number < count ? &table[number] : NULL; }
uint32_t pf_contexts(void) { return count; }
uint32_t pf_context_number(const struct pf_context *c) { return c->number; }

/* From the number of a context to the distance of its tid from the process id. The function is its
 * own inverse: it also gives the number of the context whose tid has this distance. */
static uint32_t distance(uint32_t number)
{
    return number == leader ? 0 : number ? number : leader;
}

struct pf_context *pf_context_find(long tid)
{
    if (!count || tid < table[leader].tid || tid - table[leader].tid >= count)
        return NULL;
    struct pf_context *c = &table[distance((uint32_t)(tid - table[leader].tid))];
    return c->state != PF_CONTEXT_ENDED ? c : NULL;
}

void pf_queue_add(struct pf_queue *q, struct pf_context *c)
{
    c->queue = q;
    c->next = NULL;
    c->prev = q->last;
    if (q->last)
        q->last->next = c;
    else
        q->first = c;
    q->last = c;
}

void pf_queue_remove(struct pf_context *c)
{
    struct pf_queue *q = c->queue;
    if (!q)
        return;
    if (c->prev)
        c->prev->next = c->next;
    else
        q->first = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        q->last = c->prev;
    c->queue = NULL;
}

static struct pf_context *add(struct pf_context *parent, uint64_t fs)
{
    struct pf_context *c = &table[count];
    *c = (struct pf_context){.number = count,
                             .tid = table[leader].tid + (int32_t)distance(count),
                             .fs = fs,
                             .break_at = ~0ull};
    c->tls = (struct pf_tls *)(fs + (uint64_t)tls_offset);
    if (parent) {
        c->parent = parent->number;
        c->birth_index = parent->children++;
    }
    count++;
    return c;
}

static int32_t own_tid(void) { return pf_context_self()->tid; }

void pf_context_init(int32_t pid)
{
    table = pf_sys_map(NULL, CONTEXTS * sizeof *table);
    if (!table)
        pf_direct_refuse("no address space for the table of threads");
    pf_switch_slow = !(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE);
    uint64_t fs = (uint64_t)__builtin_thread_pointer();
    tls_offset = (int64_t)((uint64_t)&__pf_tls - fs);
    table[0].tid = pid;
    struct pf_context *c = add(NULL, fs);
    c->state = PF_CONTEXT_RUNNING;
    pf_hooks.thread_id = own_tid;
}

/* The arguments of clone, clone3 and vfork in one form. */
struct clone {
    uint64_t flags, stack; /* stack: its upper end; 0: the caller's */
    int32_t *parent_tid, *child_tid;
    uint64_t tls;
};

static struct clone clone_read(long number, const long argument[6])
{
    struct clone k = {0};
    if (number == SYS_clone3) {
        const struct clone_args *a = (const void *)argument[0];
        k.flags = a->flags | a->exit_signal;
        k.stack = a->stack ? a->stack + a->stack_size : 0;
        k.parent_tid = (void *)a->parent_tid;
        k.child_tid = (void *)a->child_tid;
        k.tls = a->tls;
    } else if (number == SYS_clone) {
        k.flags = (uint64_t)argument[0];
        k.stack = (uint64_t)argument[1];
        k.parent_tid = (void *)argument[2];
        k.child_tid = (void *)argument[3];
        k.tls = (uint64_t)argument[4];
    } else if (number == SYS_vfork) {
        k.flags = CLONE_VM | CLONE_VFORK;
    }
    return k;
}

bool pf_context_is_thread(long number, const long argument[6])
{
    return (number == SYS_clone || number == SYS_clone3) &&
           clone_read(number, argument).flags & CLONE_THREAD;
}

/* Copies the registers of the trapped call below `stack`, for a context or process that returns
 * from the call on that stack. */
static uint64_t *block_write(const ucontext_t *at, uint64_t stack)
{
    uint64_t *block = (uint64_t *)((stack - PF_STACK_RED_ZONE - GREGS * 8) & -16ull);
    for (int i = 0; i < GREGS; i++)
        block[i] = (uint64_t)at->uc_mcontext.gregs[i];
    block[REG_RSP] = stack;
    return block;
}

long pf_context_clone(long number, const long argument[6])
{
    struct pf_context *me = pf_context_self();
    struct clone k = clone_read(number, argument);
    if (count >= CONTEXTS || !k.stack || !(k.flags & CLONE_VM))
        return count >= CONTEXTS ? -EAGAIN : -EINVAL;
    struct pf_context *c = add(me, k.flags & CLONE_SETTLS ? k.tls : me->fs);
    if (k.flags & CLONE_PARENT_SETTID)
        *k.parent_tid = c->tid;
    if (k.flags & CLONE_CHILD_SETTID)
        *k.child_tid = c->tid;
    if (k.flags & CLONE_CHILD_CLEARTID)
        c->clear_tid = k.child_tid;
    uint64_t *block = block_write(me->trap, k.stack);
    uint64_t *sp = (uint64_t *)((char *)block - 8 * 8 - 64);
    uint32_t control[2] = {0};
    __asm__("stmxcsr %0" : "=m"(control[0]));
    __asm__("fnstcw %0" : "=m"(control[1]));
    pf_copy(&sp[0], control, 8);
    for (int i = 1; i < 7; i++)
        sp[i] = 0;
    sp[5] = (uint64_t)block; /* rbx */
    sp[7] = (uint64_t)pf_context_start;
    c->sp = sp;
    c->stack_end = k.stack;
    pf_syscall_thread_created(c, me);
    pf_forked_child_creates_thread();
    pf_trace_thread_created(c->number);
    if (pf_memory_model_active())
        pf_memory_model_thread_created(c->number);
    pf_sched_add(c);
    return c->tid;
}

long pf_context_fork(long number, const long argument[6])
{
    struct clone k = clone_read(number, argument);
    bool shares = k.flags & CLONE_VM;
    long pid;
    pf_ring_flush();
    if (shares && k.stack) { /* posix_spawn: the child executes a program in our memory */
        pf_environment_pass();
        uint64_t *block = block_write(pf_context_self()->trap, k.stack);
        pid = pf_clone_own_stack(number, argument, k.stack - (uint64_t)block);
    } else if (shares) { /* on our own stack: make a copy, so that we need not wait for the child */
        pid = pf_sys(SYS_clone, k.flags & CSIGNAL ? k.flags & CSIGNAL : SIGCHLD);
    } else if (k.stack) { /* the child returns here on our stack, and then leaves it */
        pid = pf_sys(SYS_clone, k.flags, 0, k.parent_tid, k.child_tid, k.tls);
        if (pid == 0)
            pf_context_self()->trap->uc_mcontext.gregs[REG_RSP] = (greg_t)k.stack;
    } else {
        pid = pf_sys6(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                      argument[5]);
    }
    return pid;
}

bool pf_context_fork_copies(long number, const long argument[6])
{
    struct clone k = clone_read(number, argument);
    return !(k.stack && k.flags & CLONE_VM);
}

void pf_context_forked(long number, const long argument[6], int32_t pid)
{
    struct pf_context *me = pf_context_self();
    struct clone k = clone_read(number, argument);
    for (uint32_t i = 0; i < count; i++) {
        if (&table[i] == me)
            continue;
        table[i].state = PF_CONTEXT_ENDED;
        table[i].queue = NULL;
    }
    leader = me->number;
    for (uint32_t i = 0; i < count; i++)
        table[i].tid = pid + (int32_t)distance(i);
    me->robust = 0;
    me->clear_tid = k.flags & CLONE_CHILD_CLEARTID ? k.child_tid : NULL;
    if (k.stack)
        me->trap->uc_mcontext.gregs[REG_RSP] = (greg_t)k.stack;
    if (k.flags & CLONE_CHILD_SETTID)
        *k.child_tid = pid;
}

void pf_context_set_parent_tid(long number, const long argument[6], int32_t pid)
{
    struct clone k = clone_read(number, argument);
    if (k.flags & CLONE_PARENT_SETTID)
        *k.parent_tid = pid;
}

/* Releases a robust lock of a dead thread: the next owner finds FUTEX_OWNER_DIED. */
static void robust_drop(struct pf_context *c, uint64_t entry, int64_t offset, bool pending)
{
    uint32_t *word = (uint32_t *)((entry & ~1ull) + (uint64_t)offset);
    uint32_t was = *word;
    if (pending && was == 0) { /* the thread died between unlock and wake */
        pf_sched_wake_futex((uint64_t)word, 1, ~0u);
        return;
    }
    if ((was & FUTEX_TID_MASK) != (uint32_t)c->tid)
        return;
    *word = (was & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    if (was & FUTEX_WAITERS)
        pf_sched_wake_futex((uint64_t)word, 1, ~0u);
}

static void robust_drop_all(struct pf_context *c)
{
    const struct robust_list_head *head = (const void *)c->robust;
    if (!head)
        return;
    uint64_t pending = (uint64_t)head->list_op_pending;
    uint64_t e = (uint64_t)head->list.next;
    for (int i = 0; (e & ~1ull) != (uint64_t)head && e && i < ROBUST_MAX; i++) {
        uint64_t next = (uint64_t)((struct robust_list *)(e & ~1ull))->next;
        if (e != pending)
            robust_drop(c, e, head->futex_offset, false);
        e = next;
    }
    if (pending)
        robust_drop(c, pending, head->futex_offset, true);
}

void pf_context_end(struct pf_context *c)
{
    robust_drop_all(c);
    if (c->clear_tid) {
        *c->clear_tid = 0;
        pf_sched_wake_futex((uint64_t)c->clear_tid, 1, ~0u);
    }
}
