/*
 * thread.c - see thread.h; and the computation of pf_rt.globally_ordered.
 */
#define _GNU_SOURCE
#include "thread.h"
#include "clock.h"
#include "limits.h"
#include "listener.h"
#include "oracle_log.h"
#include "rt.h"
#include "running_functions.h"
#include "runtime_access.h"
#include "sample.h"
#include "slot.h"
#include "spin.h"
#include "stack.h"
#include "store.h"
#include "sync.h"
#include "sys.h"
#include <link.h>

#define CLOCK_ORDER 6 /* 64 << 6 bytes: PF_SID_MAX + 1 entries of 4 bytes */
/* Overflowing cells between two updates of the global order: the period while it still grows, and
 * the longest period. */
#define GLOBAL_ORDER_EVERY 16
#define GLOBAL_ORDER_SELDOM 2048
_Static_assert((PF_SID_MAX + 1) * 4 <= 64 << CLOCK_ORDER, "a clock fits its block");

PF_EXPORT __thread struct pf_tls __pf_tls;
PF_EXPORT uint32_t __pf_bare;

static struct pf_spin lock; /* protects the list and the numbers */
static struct pf_thread *running;
/* head of the list of all threads ever created, linked by `older` */
static struct pf_thread *newest;
static uint32_t count;
static uint32_t alive; /* created, and not ended */
static uint32_t not_begun; /* of these, how many are not in the list of running threads yet */

/* Raises pf_rt.globally_ordered to `clock`, a lower bound of what every thread has seen. Returns
 * false if nothing changed. */
static bool raise_global_order_locked(const uint32_t *clock, uint32_t n)
{
    bool grew = false;
    for (uint32_t i = 0; i < n && !pf_rt.strict; i++)
        if (clock[i] > pf_rt.globally_ordered[i]) {
            __atomic_store_n(&pf_rt.globally_ordered[i], clock[i], __ATOMIC_RELAXED);
            grew = true;
        }
    return grew;
}

/*
 * Lowers known_by_all[0..n) to what `t` has seen, or will have seen before its next access.
 *
 * Future threads descend from current ones, so they will have seen what all current ones have
 * seen. Clocks are read while their owners change them: entries only grow, so the values read are
 * lower bounds. The entry of t's own slot does not count: t has seen all of its own epochs, and may
 * resume epochs that no other thread has seen (slot.h). The global order cannot be computed while
 * some thread has not begun: it may have seen less than its parent has by now.
 *
 * A thread that waits in a join does nothing before it has acquired the clock of the thread that it
 * waits for (count_joining), so that clock counts instead. This does not hold if the target has
 * signal handlers: they run during the wait, without that clock.
 */
static void lower_to_known_by(uint32_t *known_by_all, uint32_t n, const struct pf_thread *t,
                              bool count_joining)
{
    const struct pf_thread *child = count_joining ? t->joining : NULL;
    const uint32_t *later = child && child->clock ? child->clock : t->clock;
    uint32_t own = __atomic_load_n(&t->sid, __ATOMIC_RELAXED), too = own;
    if (later != t->clock && child->state == PF_THREAD_RUNNING)
        too = __atomic_load_n(&child->sid, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = __atomic_load_n(&t->clock[i], __ATOMIC_RELAXED);
        uint32_t then = __atomic_load_n(&later[i], __ATOMIC_RELAXED);
        known = then > known ? then : known;
        if (i != own && i != too && known < known_by_all[i])
            known_by_all[i] = known;
    }
}

void pf_thread_update_global_order(struct pf_thread *self)
{
    /* protected by the lock; too large for a small stack */
    static uint32_t known_by_all[PF_SID_MAX + 1];
    uint32_t n = 0, threads = 0;
    if (pf_rt.strict || !pf_spin_try(&lock)) {
        self->global_order_in = self->global_order_every = GLOBAL_ORDER_SELDOM;
        return;
    }
    for (struct pf_thread *t = running; t; t = t->next, threads++)
        n = t->nclock > n ? t->nclock : n;
    for (uint32_t i = 0; i < n; i++)
        known_by_all[i] = UINT32_MAX;
    bool count_joining = !__atomic_load_n(&pf_rt.has_signal_handlers, __ATOMIC_ACQUIRE);
    for (struct pf_thread *t = running; t; t = t->next)
        lower_to_known_by(known_by_all, n, t, count_joining);
    for (uint32_t i = 0; i < n; i++)
        if (known_by_all[i] == UINT32_MAX)
            known_by_all[i] = 0;
    bool grew = !not_begun && count_joining == !pf_rt.has_signal_handlers &&
                raise_global_order_locked(known_by_all, n);
    pf_spin_unlock(&lock);
    uint32_t longer = self->global_order_every < GLOBAL_ORDER_SELDOM ? 2 * self->global_order_every
                                                                     : GLOBAL_ORDER_SELDOM;
    self->global_order_every = grew || !longer ? GLOBAL_ORDER_EVERY : longer;
    self->global_order_in = self->global_order_every + threads * n / 8;
}

void pf_thread_lock(void) { pf_spin_lock(&lock); }
void pf_thread_unlock(void) { pf_spin_unlock(&lock); }

uint32_t *pf_thread_clock_new(void)
{
    uint32_t *c = pf_store_alloc(CLOCK_ORDER);
    if (c)
        pf_zero(c, 64u << CLOCK_ORDER);
    return c;
}

static void clock_free(uint32_t **c)
{
    if (*c)
        pf_store_free(*c, CLOCK_ORDER);
    *c = NULL;
}

struct pf_thread *pf_thread_create(struct pf_thread *parent)
{
    pf_nest();
    struct pf_thread *t = pf_store_alloc_permanent(sizeof *t);
    uint32_t *clock = pf_thread_clock_new();
    if (!t || !clock)
        goto fail;
    t->clock = clock;
    t->state = PF_THREAD_NEW;
    if (parent) {
        t->parent = parent->number;
        t->created_at = pf_stack_id(parent, PF_NATIVE_CALL);
        pf_clock_copy(clock, parent->clock, parent->nclock);
        t->nclock = parent->nclock;
        clock[parent->sid] = pf_epoch_publish(parent);
        pf_epoch_next(parent);
    }
    if (!pf_slot_take(t))
        goto fail;
    pf_spin_lock(&lock);
    t->number = count++;
    t->older = newest;
    newest = t;
    not_begun++;
    if (alive++ == 1 && parent) /* every later thread will descend from these two */
        raise_global_order_locked(clock, parent->nclock);
    pf_spin_unlock(&lock);
    if (parent && pf_rt.sampling)
        pf_running_expect(1);
    t->expected = parent && pf_rt.sampling;
    if (parent) {
        pf_oracle_begin();
        pf_oracle_event(parent, "fork", t->number, 0);
        pf_listener_notify(parent, PF_EV_FORK, (void *)(uintptr_t)t->number, 0);
        pf_oracle_end();
    }
    pf_unnest();
    return t;
fail:
    clock_free(&clock);
    pf_limit_hit(PF_LIMIT_THREADS);
    pf_unnest();
    return NULL;
}

/* The thread is running now, or never will be. */
static void mark_begun(struct pf_thread *t)
{
    if (t->expected)
        pf_running_expect(-1);
    t->expected = false;
}

void pf_thread_cancel_create(struct pf_thread *t)
{
    pf_nest();
    mark_begun(t);
    pf_slot_retire(t);
    clock_free(&t->clock);
    t->state = PF_THREAD_FREE;
    pf_spin_lock(&lock);
    alive--;
    not_begun--;
    pf_spin_unlock(&lock);
    pf_unnest();
}

/* The thread-local variables of objects loaded at start lie below the thread pointer. */
static int add_tls(struct dl_phdr_info *object, size_t size, void *sum)
{
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS) {
            size_t align = object->dlpi_phdr[i].p_align;
            *(size_t *)sum += (object->dlpi_phdr[i].p_memsz + align - 1) & ~(align - 1);
        }
    return 0;
}

void pf_thread_begin(struct pf_thread *t)
{
    static size_t tls_size; /* set by the first thread, before a second exists */
    pf_nest();
    if (!tls_size)
        dl_iterate_phdr(add_tls, &tls_size);
    t->tls_hi = (uintptr_t)__builtin_thread_pointer();
    t->tls_lo = t->tls_hi - tls_size;
    pf_memory_unmapped((void *)t->stack_lo, t->stack_hi - t->stack_lo);
    /* Every activation takes at least 16 bytes of the real stack, and a frame takes 16. */
    t->frames_size = t->stack_hi - t->stack_lo + 65536;
    t->frames = pf_sys_map(NULL, t->frames_size);
    t->tid = (pid_t)pf_sys(SYS_gettid);
    t->owner = 0;
    /* run unwatched, and count that; its effect on other threads' locks is still tracked */
    if (!t->frames) {
        pf_limit_hit(PF_LIMIT_THREADS);
        mark_begun(t);
        pf_thread_unwatch();
        pf_unnest();
        return;
    }
    t->frames[0].node = PF_NODE_ROOT;
    t->tls = &__pf_tls;
    if (pf_rt.sampling) /* accesses in uninstrumented callers are not sampled */
        t->frames[0].call = PF_CALL_UNWATCHED;
    t->watched_from = t->frames;
    t->locks_stale = false;
    __pf_tls.frame = t->frames + 1;
    __pf_tls.step = sizeof(struct pf_frame);
    __pf_tls.thread = t;
    __pf_tls.stack_variables = pf_rt.stack_variables;
    pf_thread_update_key(t);
    pf_spin_lock(&lock);
    t->state = PF_THREAD_RUNNING;
    t->prev = NULL;
    t->next = running;
    if (running)
        running->prev = t;
    running = t;
    not_begun--;
    pf_spin_unlock(&lock);
    __pf_tls.dispatch = pf_rt.excludes_functions ? PF_DISPATCH_ASK
                        : pf_rt.events           ? PF_DISPATCH_EVENT
                                                 : PF_DISPATCH_WATCH;
    if (pf_rt.sampling)
        pf_sample_begin(t);
    pf_listener_notify(t, PF_EV_BEGIN, (void *)t->stack_lo, t->stack_hi - t->stack_lo);
    mark_begun(t);
    pf_unnest();
}

void pf_thread_unwatch(void)
{
    __pf_tls.dispatch = PF_DISPATCH_PLAIN;
    __pf_tls.step = 0;
    __pf_tls.frame = &__pf_tls.scratch[1];
}

static void unlink_locked(struct pf_thread *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        running = t->next;
    if (t->next)
        t->next->prev = t->prev;
    t->state = PF_THREAD_FINISHED;
}

/* The struct stays for reports. Most of it is caches: their pages are returned to the kernel. */
static void discard_caches(struct pf_thread *t)
{
    uintptr_t from = ((uintptr_t)&t->site_pairs + 4095) & -4096ul,
              to = (uintptr_t)&t->span & -4096ul;
    pf_sys_discard((void *)from, to - from);
}

void pf_thread_end(struct pf_thread *t)
{
    pf_nest();
    pf_listener_notify(t, PF_EV_END, NULL, 0);
    pf_thread_unwatch();
    if (pf_rt.sampling)
        pf_sample_end(t);
    pf_spin_lock(&lock);
    unlink_locked(t);
    alive--;
    pf_spin_unlock(&lock);
    t->clock[t->sid] = pf_epoch_publish(t);
    pf_slot_retire(t);
    clock_free(&t->pending_acquire);
    clock_free(&t->release_fence);
    pf_sys(SYS_munmap, t->frames, t->frames_size);
    t->frames = NULL;
    t->tls = NULL;
    __pf_tls.thread = NULL;
    discard_caches(t);
    pf_store_flush_thread();
    pf_unnest();
}

void pf_thread_joined(struct pf_thread *self, struct pf_thread *child)
{
    pf_nest();
    pf_oracle_begin();
    pf_oracle_event(self, "join", child->number, 0);
    if (self != child)
        pf_listener_notify(self, PF_EV_JOIN, (void *)(uintptr_t)child->number, 0);
    if (pf_rt.sampling)
        pf_sample_joined(child);
    if (child->clock) {
        pf_clock_join(self->clock, child->clock, child->nclock);
        pf_clock_grew(self);
        if (child->nclock > self->nclock)
            self->nclock = child->nclock;
        pf_spin_lock(&lock); /* lower_to_known_by may be reading it */
        clock_free(&child->clock);
        pf_spin_unlock(&lock);
    }
    pf_oracle_end();
    pf_unnest();
}

void pf_thread_set_joining(struct pf_thread *self, struct pf_thread *child)
{
    pf_spin_lock(&lock);
    self->joining = child;
    pf_spin_unlock(&lock);
}

void pf_thread_after_fork(struct pf_thread *self)
{
    pf_nest();
    pf_spin_lock(&lock);
    uint32_t left = 0;
    for (struct pf_thread *t = running, *next; t; t = next) {
        next = t->next;
        if (t == self || !t->tls) { /* the caller, and fibers that it may switch to */
            left++;
            continue;
        }
        /* The thread does not exist in this process; what it did happened before the fork. */
        unlink_locked(t);
        uint32_t last = t->clk > t->highest_clk ? t->clk : t->highest_clk;
        if (self->clock[t->sid] < last)
            self->clock[t->sid] = last;
        if (self->nclock <= t->sid)
            self->nclock = t->sid + 1;
        t->dirty = true; /* its current epoch counts as used */
        pf_slot_retire(t);
    }
    alive = left;
    not_begun = 0;
    pf_spin_unlock(&lock);
    self->tid = (pid_t)pf_sys(SYS_gettid);
    self->owner = 0;
    pf_clock_grew(self);
    pf_unnest();
}

uint32_t pf_thread_alive(void)
{
    pf_spin_lock(&lock);
    uint32_t n = alive;
    pf_spin_unlock(&lock);
    return n;
}

void pf_thread_each(void (*f)(struct pf_thread *, void *), void *arg)
{
    pf_spin_lock(&lock);
    for (struct pf_thread *t = running; t; t = t->next)
        f(t, arg);
    pf_spin_unlock(&lock);
}

struct pf_thread *pf_thread_by_number(uint32_t number)
{
    pf_spin_lock(&lock);
    struct pf_thread *t = newest;
    while (t && t->number != number)
        t = t->older;
    pf_spin_unlock(&lock);
    return t;
}
