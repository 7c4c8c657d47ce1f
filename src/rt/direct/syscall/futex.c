/*
 * futex.c - the system call futex between contexts. Only one context runs at a time, so plain reads
 * and writes of the futex words are enough.
 *
 * Locks with priority inheritance use the kernel's protocol for the word (tid of the owner, a bit
 * for waiters). Contexts have no priorities, so of this protocol only the hand-over to the next
 * waiter remains.
 *
 * If the program itself makes the call (std::atomic::wait, say), it is recorded like a wait for a
 * condition variable whose address is that of the word: a relaxed atomic read of the word, and
 * unless it has changed, WAIT and WAKE. Their mutex belongs to the thread alone, because a futex
 * call orders no memory. A call that wakes one thread, or all, is SIGNAL or BROADCAST. These events
 * belong to the event CALL of the same call. Waits with a time limit, and other operations, are not
 * recorded.
 */
#include "cond_queue.h"
#include "missing_call.h"
#include "scheduler.h"
#include "stream_ring.h"
#include "sys.h"
#include "syscalls.h"
#include "tracer.h"
#include <errno.h>
#include <linux/futex.h>

#define RECHECK_NS 1000000ull /* between two looks at a word that another process may change */

/* True if another process may change or wake this futex. Such a change is not visible to the
 * scheduler, so the wait has to check the word periodically. */
static bool is_shared(const uint32_t *word, long op)
{
    return !(op & FUTEX_PRIVATE_FLAG) && pf_channel_get()->children &&
           pf_memory_is_shared((uint64_t)word);
}

static long wait_for(uint32_t *word, uint32_t mask, uint64_t deadline, long op)
{
    struct pf_wait w = {PF_WAIT_FUTEX, (uint64_t)word, mask, deadline, is_shared(word, op)};
    for (uint32_t was = *word;;) {
        uint64_t soon = pf_sched_now() + RECHECK_NS;
        if (w.shared)
            w.deadline = deadline && deadline < soon ? deadline : soon;
        switch (pf_sched_wait(&w)) {
        case PF_WOKEN:
            return 0;
        case PF_WOKEN_TIMEOUT:
            if (!w.shared || (deadline && pf_sched_now() >= deadline))
                return -ETIMEDOUT;
            if (*(volatile uint32_t *)word != was)
                return 0;
            break;
        default:
            if (!pf_signal_run_after_wait())
                return -EINTR;
            if (*word != was)
                return -EAGAIN;
        }
    }
}

/* --- calls that the program makes itself --- */

/* True if the program makes this call, and no other process takes part in it. *site: its stack. */
static bool is_own_call(const uint32_t *word, long op, uint32_t *site)
{
    return pf_missing_call_runs(site) && !is_shared(word, op);
}

static void trace(uint32_t site, struct pf_trace_record e)
{
    e.site = site;
    e.attached = true;
    if (!pf_direct.tracing)
        return;
    pf_nest();
    pf_trace_event(&e);
    pf_unnest();
}

/* The mutex of the thread's waits: an address where nothing can be. */
static uint64_t own_mutex(void) { return 1u + pf_context_self()->number; }

static long own_wait(uint32_t *word, uint32_t value, long op, uint32_t site)
{
    const uint64_t mutex = own_mutex();
    uint32_t now = *(volatile uint32_t *)word;
    trace(site, (struct pf_trace_record){.kind = PF_EV_AREAD,
                                         .flags = PF_EF_RELAXED,
                                         .what = (uint64_t)word,
                                         .more = sizeof *word,
                                         .has_value = true,
                                         .value = now});
    if (now != value)
        return -EAGAIN;
    trace(site, (struct pf_trace_record){.kind = PF_EV_LOCK, .what = mutex});
    trace(site,
          (struct pf_trace_record){.kind = PF_EV_WAIT, .what = (uint64_t)word, .more = mutex});
    pf_cond_enter_futex(word);
    long r = wait_for(word, ~0u, 0, op);
    pf_cond_leave();
    trace(site,
          (struct pf_trace_record){.kind = PF_EV_WAKE, .what = (uint64_t)word, .more = mutex});
    trace(site, (struct pf_trace_record){.kind = PF_EV_UNLOCK, .what = mutex});
    return r;
}

/* Wakes one thread, or all. */
static long own_wake(uint32_t *word, bool all, uint32_t site)
{
    struct pf_context *c;
    uint32_t last = 0, n = 0;
    while ((!n || all) && (c = pf_cond_choose_futex(word))) {
        last = 1 + c->number;
        pf_sched_wake(c, PF_WOKEN);
        pf_sched_became_ready(c);
        n++;
    }
    trace(site, (struct pf_trace_record){.kind = all ? PF_EV_BROADCAST : PF_EV_SIGNAL,
                                         .what = (uint64_t)word,
                                         .more = all ? 0 : last});
    return n + pf_sched_wake_futex((uint64_t)word, all ? UINT32_MAX : n == 0, ~0u);
}

static uint64_t deadline_of(long op, const struct timespec *t, bool relative)
{
    if (!t)
        return 0;
    if (relative)
        return pf_sched_now() + (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec + 1;
    return pf_virtual_deadline(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
}

static bool pi_take(uint32_t *word, uint32_t tid)
{
    if (*word & FUTEX_TID_MASK)
        return false;
    uint32_t waiters;
    pf_sched_futex_waiter((uint64_t)word, &waiters);
    *word = tid | (*word & FUTEX_OWNER_DIED) | (waiters ? FUTEX_WAITERS : 0);
    return true;
}

static long pi_lock(uint32_t *word, uint64_t deadline, long op)
{
    uint32_t tid = (uint32_t)pf_context_self()->tid;
    if ((*word & FUTEX_TID_MASK) == tid)
        return -EDEADLK;
    while (!pi_take(word, tid)) {
        *word |= FUTEX_WAITERS;
        long r = wait_for(word, ~0u, deadline, op);
        if ((*word & FUTEX_TID_MASK) == tid)
            return 0; /* the previous owner handed the lock over */
        if (r == -ETIMEDOUT)
            return r;
    }
    return 0;
}

static long pi_unlock(uint32_t *word)
{
    if ((*word & FUTEX_TID_MASK) != (uint32_t)pf_context_self()->tid)
        return -EPERM;
    uint32_t waiters;
    struct pf_context *next = pf_sched_futex_waiter((uint64_t)word, &waiters);
    *word = next ? (uint32_t)next->tid | (waiters > 1 ? FUTEX_WAITERS : 0) : 0;
    if (next)
        pf_sched_wake_futex((uint64_t)word, 1, ~0u);
    return 0;
}

/* Performs the operation of FUTEX_WAKE_OP on the second word. Returns the result of the
 * comparison. */
static bool second_word(uint32_t *word, uint32_t code)
{
    uint32_t op = code >> 28 & 7, compare = code >> 24 & 15;
    int32_t value = (int32_t)(code << 8) >> 20, with = (int32_t)(code << 20) >> 20;
    if (code >> 28 & FUTEX_OP_OPARG_SHIFT) /* bit 3 of the operation */
        value = 1 << (value & 31);
    int32_t was = (int32_t)*word;
    switch (op) {
    case FUTEX_OP_SET:
        *word = (uint32_t)value;
        break;
    case FUTEX_OP_ADD:
        *word = (uint32_t)(was + value);
        break;
    case FUTEX_OP_OR:
        *word = (uint32_t)(was | value);
        break;
    case FUTEX_OP_ANDN:
        *word = (uint32_t)(was & ~value);
        break;
    case FUTEX_OP_XOR:
        *word = (uint32_t)(was ^ value);
        break;
    default:
        break;
    }
    switch (compare) {
    case FUTEX_OP_CMP_EQ:
        return was == with;
    case FUTEX_OP_CMP_NE:
        return was != with;
    case FUTEX_OP_CMP_LT:
        return was < with;
    case FUTEX_OP_CMP_LE:
        return was <= with;
    case FUTEX_OP_CMP_GT:
        return was > with;
    case FUTEX_OP_CMP_GE:
        return was >= with;
    default:
        return false;
    }
}

long pf_futex(const long argument[6])
{
    uint32_t *word = (uint32_t *)argument[0], *word2 = (uint32_t *)argument[4];
    long op = argument[1];
    uint32_t value = (uint32_t)argument[2], mask = (uint32_t)argument[5];
    const struct timespec *t = (const void *)argument[3];
    uint32_t n2 = (uint32_t)argument[3], n, site;
    switch (op & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        if (!t && is_own_call(word, op, &site))
            return own_wait(word, value, op, site);
        return *word != value ? -EAGAIN : wait_for(word, ~0u, deadline_of(op, t, true), op);
    case FUTEX_WAIT_BITSET:
        if (!mask)
            return -EINVAL;
        return *word != value ? -EAGAIN : wait_for(word, mask, deadline_of(op, t, false), op);
    case FUTEX_WAKE:
        if ((value == 1 || value == INT32_MAX) && is_own_call(word, op, &site))
            return own_wake(word, value == INT32_MAX, site);
        return pf_sched_wake_futex((uint64_t)word, value, ~0u);
    case FUTEX_WAKE_BITSET:
        return mask ? (long)pf_sched_wake_futex((uint64_t)word, value, mask) : -EINVAL;
    case FUTEX_CMP_REQUEUE:
        if (*word != mask)
            return -EAGAIN;
        __attribute__((fallthrough));
    case FUTEX_REQUEUE:
        n = pf_sched_wake_futex((uint64_t)word, value, ~0u);
        return n + pf_sched_requeue_futex((uint64_t)word, (uint64_t)word2, n2);
    case FUTEX_WAKE_OP: {
        bool both = second_word(word2, mask);
        n = pf_sched_wake_futex((uint64_t)word, value, ~0u);
        return both ? n + pf_sched_wake_futex((uint64_t)word2, n2, ~0u) : n;
    }
    case FUTEX_LOCK_PI:
        return pi_lock(word, t ? pf_virtual_deadline(CLOCK_REALTIME, t) : 0, op);
    case FUTEX_LOCK_PI2:
        return pi_lock(word, deadline_of(op, t, false), op);
    case FUTEX_TRYLOCK_PI:
        return pi_take(word, (uint32_t)pf_context_self()->tid) ? 0 : -EAGAIN;
    case FUTEX_UNLOCK_PI:
        return pi_unlock(word);
    default: /* requeueing to PI locks: unused since glibc 2.25 */
        return -ENOSYS;
    }
}

long pf_target_futex(void *word, int op, uint32_t value)
{
    if (!pf_directed())
        return pf_sys(SYS_futex, word, op, value, NULL);
    const long a[6] = {(long)word, op, value};
    long r = pf_futex(a);
    if (pf_context_self()->signal_due && !__pf_tls.nested)
        pf_signal_run_due();
    return r;
}
