#define _GNU_SOURCE
#include "thread.h"
#include "access.h"
#include "clock.h"
#include "limits.h"
#include "listen.h"
#include "oracle_log.h"
#include "rt.h"
#include "running_functions.h"
#include "sample.h"
#include "slot.h"
#include "spin.h"
#include "stack.h"
#include "store.h"
#include "sync.h"
#include "sys.h"
#include <link.h>

#define CLOCK_ORDER 6 /* 64 << 6 bytes: PF_SID_MAX + 1 entries of 4 */
/* Cells that want room between two looks at what all threads know: as long as that grows, and at most. */
#define SETTLE_EVERY 16
#define SETTLE_SELDOM 2048
_Static_assert((PF_SID_MAX + 1) * 4 <= 64 << CLOCK_ORDER, "a clock fits its block");

PF_EXPORT __thread struct pf_tls __pf_tls;
PF_EXPORT uint32_t __pf_bare;

static struct pf_spin lock; /* for the list and the numbers */
static struct pf_thread *running;
static struct pf_thread *newest; /* of all there ever were, linked by `older` */
static uint32_t count;
static uint32_t alive; /* created, and not ended */
static uint32_t coming; /* of these, not in the list of running threads yet */

/* What everybody knows grows: `clock` is a lower bound of it. False: it was known. */
static bool settle_locked(const uint32_t *clock, uint32_t n)
{
    bool grew = false;
    for (uint32_t i = 0; i < n && !pf_rt.strict; i++)
        if (clock[i] > pf_rt.settled[i]) {
            __atomic_store_n(&pf_rt.settled[i], clock[i], __ATOMIC_RELAXED);
            grew = true;
        }
    return grew;
}

/*
 * Threads to come descend from those that are there, so what these know all of them will. Their clocks are read while
 * they grow: each entry only does, so what is read is a lower bound. Of its own slot a thread knows everything, and may
 * use names again that nobody else has learned (slot.h): there only the others count. A thread that does not run yet
 * may know less than its parent meanwhile; then nothing can be said.
 *
 * A thread that waits in a join does nothing before it has learned all of the thread that it waits for, so the clock of
 * that one counts. Not where the program has handlers of signals: these run in between, and know less.
 */
static void least_of(uint32_t *least, uint32_t n, const struct pf_thread *t, bool joins)
{
    const struct pf_thread *child = joins ? t->joins : NULL;
    const uint32_t *later = child && child->clock ? child->clock : t->clock;
    uint32_t own = __atomic_load_n(&t->sid, __ATOMIC_RELAXED), too = own;
    if (later != t->clock && child->state == PF_THREAD_RUNNING)
        too = __atomic_load_n(&child->sid, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = __atomic_load_n(&t->clock[i], __ATOMIC_RELAXED);
        uint32_t then = __atomic_load_n(&later[i], __ATOMIC_RELAXED);
        known = then > known ? then : known;
        if (i != own && i != too && known < least[i])
            least[i] = known;
    }
}

void pf_thread_settle(struct pf_thread *self)
{
    static uint32_t least[PF_SID_MAX + 1]; /* under the lock; too large for a small stack */
    uint32_t n = 0, threads = 0;
    if (pf_rt.strict || !pf_spin_try(&lock)) {
        self->settle_in = self->settle_every = SETTLE_SELDOM;
        return;
    }
    for (struct pf_thread *t = running; t; t = t->next, threads++)
        n = t->nclock > n ? t->nclock : n;
    for (uint32_t i = 0; i < n; i++)
        least[i] = UINT32_MAX;
    bool joins = !__atomic_load_n(&pf_rt.handlers, __ATOMIC_ACQUIRE);
    for (struct pf_thread *t = running; t; t = t->next)
        least_of(least, n, t, joins);
    for (uint32_t i = 0; i < n; i++)
        if (least[i] == UINT32_MAX)
            least[i] = 0;
    bool grew = !coming && joins == !pf_rt.handlers && settle_locked(least, n);
    pf_spin_unlock(&lock);
    uint32_t longer = self->settle_every < SETTLE_SELDOM ? 2 * self->settle_every : SETTLE_SELDOM;
    self->settle_every = grew || !longer ? SETTLE_EVERY : longer;
    self->settle_in = self->settle_every + threads * n / 8;
}

void pf_thread_lock(void) { pf_spin_lock(&lock); }
void pf_thread_unlock(void) { pf_spin_unlock(&lock); }

uint32_t *pf_thread_clock_new(void)
{
    uint32_t *c = pf_store_take(CLOCK_ORDER);
    if (c)
        pf_zero(c, 64u << CLOCK_ORDER);
    return c;
}

static void clock_free(uint32_t **c)
{
    if (*c)
        pf_store_give(*c, CLOCK_ORDER);
    *c = NULL;
}

struct pf_thread *pf_thread_create(struct pf_thread *parent)
{
    pf_nest();
    struct pf_thread *t = pf_store_keep(sizeof *t);
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
        clock[parent->sid] = pf_epoch_published(parent);
        pf_epoch_next(parent);
    }
    if (!pf_slot_take(t))
        goto fail;
    pf_spin_lock(&lock);
    t->number = count++;
    t->older = newest;
    newest = t;
    coming++;
    if (alive++ == 1 && parent) /* all others will come from these two */
        settle_locked(clock, parent->nclock);
    pf_spin_unlock(&lock);
    if (parent && pf_rt.sampling)
        pf_seat_expect(1);
    t->expected = parent && pf_rt.sampling;
    if (parent) {
        pf_oracle_begin();
        pf_oracle_event(parent, "fork", t->number, 0);
        pf_tell(parent, PF_EV_FORK, (void *)(uintptr_t)t->number, 0);
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

static void arrived(struct pf_thread *t)
{
    if (t->expected)
        pf_seat_expect(-1);
    t->expected = false;
}

void pf_thread_cancel_create(struct pf_thread *t)
{
    pf_nest();
    arrived(t);
    pf_slot_retire(t);
    clock_free(&t->clock);
    t->state = PF_THREAD_FREE;
    pf_spin_lock(&lock);
    alive--;
    coming--;
    pf_spin_unlock(&lock);
    pf_unnest();
}

/* Thread-local variables of the objects that are loaded at start lie below the thread pointer. */
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
    static size_t tls_size; /* set by the first thread, before there is a second */
    pf_nest();
    if (!tls_size)
        dl_iterate_phdr(add_tls, &tls_size);
    t->tls_hi = (uintptr_t)__builtin_thread_pointer();
    t->tls_lo = t->tls_hi - tls_size;
    pf_memory_gone((void *)t->stack_lo, t->stack_hi - t->stack_lo);
    /* Every activation takes 16 bytes of the real stack or more, and a frame takes 16. */
    t->frames_size = t->stack_hi - t->stack_lo + 65536;
    t->frames = pf_sys_map(NULL, t->frames_size);
    t->tid = (pid_t)pf_sys(SYS_gettid);
    t->owner = 0;
    if (!t->frames) { /* unwatched, and said so; what it does to others' locks is still seen */
        pf_limit_hit(PF_LIMIT_THREADS);
        arrived(t);
        pf_thread_unknown();
        pf_unnest();
        return;
    }
    t->frames[0].node = PF_NODE_ROOT;
    t->tls = &__pf_tls;
    if (pf_rt.sampling) /* what its uninstrumented callers do is not sampled */
        t->frames[0].call = PF_CALL_UNWATCHED;
    t->watched_from = t->frames;
    t->locks_stale = false;
    __pf_tls.frame = t->frames + 1;
    __pf_tls.step = sizeof(struct pf_frame);
    __pf_tls.thread = t;
    __pf_tls.objects = pf_rt.variables;
    pf_thread_key(t);
    pf_spin_lock(&lock);
    t->state = PF_THREAD_RUNNING;
    t->prev = NULL;
    t->next = running;
    if (running)
        running->prev = t;
    running = t;
    coming--;
    pf_spin_unlock(&lock);
    __pf_tls.dispatch = pf_rt.excludes ? PF_DISPATCH_ASK
                        : pf_rt.events ? PF_DISPATCH_EVENT
                                       : PF_DISPATCH_WATCH;
    if (pf_rt.sampling)
        pf_sample_begin(t);
    pf_tell(t, PF_EV_BEGIN, (void *)t->stack_lo, t->stack_hi - t->stack_lo);
    arrived(t);
    pf_unnest();
}

void pf_thread_unknown(void)
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

/* The record stays for reports; the pages of what t kept at hand for itself, most of it, go back. */
static void give_back(struct pf_thread *t)
{
    uintptr_t from = ((uintptr_t)&t->pairs + 4095) & -4096ul, to = (uintptr_t)&t->span & -4096ul;
    pf_sys_zap((void *)from, to - from);
}

void pf_thread_end(struct pf_thread *t)
{
    pf_nest();
    pf_tell(t, PF_EV_END, NULL, 0);
    pf_thread_unknown();
    if (pf_rt.sampling)
        pf_sample_end(t);
    pf_spin_lock(&lock);
    unlink_locked(t);
    alive--;
    pf_spin_unlock(&lock);
    t->clock[t->sid] = pf_epoch_published(t);
    pf_slot_retire(t);
    clock_free(&t->acquired);
    clock_free(&t->released);
    pf_sys(SYS_munmap, t->frames, t->frames_size);
    t->frames = NULL;
    t->tls = NULL;
    __pf_tls.thread = NULL;
    give_back(t);
    pf_store_flush();
    pf_unnest();
}

void pf_thread_joined(struct pf_thread *self, struct pf_thread *child)
{
    pf_nest();
    pf_oracle_begin();
    pf_oracle_event(self, "join", child->number, 0);
    if (self != child)
        pf_tell(self, PF_EV_JOIN, (void *)(uintptr_t)child->number, 0);
    if (pf_rt.sampling)
        pf_sample_joined(child);
    if (child->clock) {
        pf_clock_join(self->clock, child->clock, child->nclock);
        pf_clock_grew(self);
        if (child->nclock > self->nclock)
            self->nclock = child->nclock;
        pf_spin_lock(&lock); /* others may look at it (least_of) */
        clock_free(&child->clock);
        pf_spin_unlock(&lock);
    }
    pf_oracle_end();
    pf_unnest();
}

void pf_thread_joins(struct pf_thread *self, struct pf_thread *child)
{
    pf_spin_lock(&lock);
    self->joins = child;
    pf_spin_unlock(&lock);
}

void pf_thread_after_fork(struct pf_thread *self)
{
    pf_nest();
    pf_spin_lock(&lock);
    for (struct pf_thread *t = running, *next; t; t = next) {
        next = t->next;
        if (t == self)
            continue;
        /* It is not here; what it did was done before this process began. */
        unlink_locked(t);
        uint32_t last = t->clk > t->top ? t->clk : t->top;
        if (self->clock[t->sid] < last)
            self->clock[t->sid] = last;
        if (self->nclock <= t->sid)
            self->nclock = t->sid + 1;
        t->dirty = true; /* all of its current epoch counts */
        pf_slot_retire(t);
    }
    alive = 1;
    coming = 0;
    pf_spin_unlock(&lock);
    self->tid = (pid_t)pf_sys(SYS_gettid);
    self->owner = 0;
    pf_clock_grew(self);
    pf_unnest();
}

void pf_thread_each(void (*f)(struct pf_thread *, void *), void *arg)
{
    pf_spin_lock(&lock);
    for (struct pf_thread *t = running; t; t = t->next)
        f(t, arg);
    pf_spin_unlock(&lock);
}

struct pf_thread *pf_thread_numbered(uint32_t number)
{
    pf_spin_lock(&lock);
    struct pf_thread *t = newest;
    while (t && t->number != number)
        t = t->older;
    pf_spin_unlock(&lock);
    return t;
}
