/*
 * thread_life.c - see thread_life.h.
 */
#define _GNU_SOURCE
#include "thread_life.h"
#include "clock.h"
#include "ended_scope.h"
#include "global_order.h"
#include "hooks.h"
#include "limits.h"
#include "listener.h"
#include "oracle_log.h"
#include "pc_frame.h"
#include "rt.h"
#include "running_functions.h"
#include "runtime_access.h"
#include "sample.h"
#include "slot.h"
#include "stack.h"
#include "store.h"
#include "sync.h"
#include "sys.h"
#include "thread_table.h"
#include <link.h>

struct pf_thread *pf_thread_create(struct pf_thread *parent)
{
    pf_nest();
    struct pf_thread *t = pf_store_alloc_permanent(sizeof *t);
    uint32_t *clock = pf_clock_new();
    if (!t || !clock)
        goto fail;
    t->order.clock = clock;
    t->state = PF_THREAD_NEW;
    if (parent) {
        t->parent = parent->number;
        t->created_at = pf_stack_id(parent, PF_NATIVE_CALL);
        pf_clock_copy(clock, parent->order.clock, parent->order.nclock);
        t->order.nclock = parent->order.nclock;
        clock[parent->order.sid] = pf_epoch_publish(parent);
        pf_epoch_next(parent);
    }
    if (!pf_slot_take(t))
        goto fail;
    pf_thread_lock();
    t->number = pf_threads.count++;
    t->older = pf_threads.newest;
    pf_threads.newest = t;
    pf_threads.not_begun++;
    if (pf_threads.alive++ == 1 && parent) /* all future threads descend from `parent` and t */
        pf_global_order_raise(clock, parent->order.nclock);
    pf_thread_unlock();
    if (parent && pf_rt.sampling)
        pf_running_expect(1);
    t->sample.expected = parent && pf_rt.sampling;
    if (parent) {
        pf_oracle_begin();
        pf_oracle_event(parent, "fork", t->number, 0);
        pf_listener_notify(parent, PF_EV_FORK, (void *)(uintptr_t)t->number, 0);
        pf_oracle_end();
    }
    pf_unnest();
    return t;
fail:
    pf_clock_free(&clock);
    pf_limit_hit(PF_LIMIT_THREADS);
    pf_unnest();
    return NULL;
}

/* The thread is running now, or never will be. */
static void mark_begun(struct pf_thread *t)
{
    if (t->sample.expected)
        pf_running_expect(-1);
    t->sample.expected = false;
}

/* The thread will never be one of the running, watched threads. */
static void forget(struct pf_thread *t)
{
    mark_begun(t);
    pf_slot_retire(t);
    pf_thread_lock();
    pf_threads.alive--;
    pf_threads.not_begun--;
    pf_thread_unlock();
}

void pf_thread_cancel_create(struct pf_thread *t)
{
    pf_nest();
    forget(t);
    pf_clock_free(&t->order.clock);
    t->state = PF_THREAD_FREE;
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
    t->context.frames_size = t->stack_hi - t->stack_lo + 65536;
    t->context.frames = pf_sys_map(NULL, t->context.frames_size);
    int32_t id = pf_hooks.thread_id();
    t->tid = id ? id : (pid_t)pf_sys(SYS_gettid);
    t->owner = 0;
    if (!t->context.frames) { /* the thread runs unwatched: not even its locks are tracked */
        pf_limit_hit(PF_LIMIT_THREADS);
        forget(t);
        t->state = PF_THREAD_FINISHED;
        pf_thread_unwatch();
        pf_unnest();
        return;
    }
    t->context.frames[0].node = PF_NODE_ROOT;
    t->tls = &__pf_tls;
    if (pf_rt.sampling) /* accesses in uninstrumented callers are not sampled */
        t->context.frames[0].call = PF_CALL_UNWATCHED;
    t->order.locks_stale = false;
    __pf_tls.frame = t->context.frames + 1;
    __pf_tls.step = sizeof(struct pf_frame);
    __pf_tls.thread = t;
    __pf_tls.stack_variables = pf_rt.stack_variables;
    pf_thread_update_key(t);
    pf_thread_lock();
    pf_thread_link(t);
    pf_threads.not_begun--;
    pf_thread_unlock();
    __pf_tls.dispatch = pf_rt.excludes_functions ? PF_DISPATCH_ASK
                        : pf_rt.symbolic         ? PF_DISPATCH_SYMBOLIC
                        : pf_rt.events           ? PF_DISPATCH_EVENT
                                                 : PF_DISPATCH_WATCH;
    if (pf_rt.sampling)
        pf_sample_begin(t);
    pf_listener_notify(t, PF_EV_BEGIN, (void *)t->stack_lo, t->stack_hi - t->stack_lo);
    mark_begun(t);
    pf_unnest();
}

/* Returns the whole pages of [from, to) to the kernel. */
static void discard_pages(const void *from, const void *to)
{
    uintptr_t first = pf_page_up((uintptr_t)from), end = pf_page_down((uintptr_t)to);
    if (first < end)
        pf_sys_discard((void *)first, end - first);
}

/* The struct stays for reports. Most of it is caches, which are not used any more. */
static void discard_caches(struct pf_thread *t)
{
    discard_pages(&t->shadow.site_pairs, &t->shadow.pending_acquire);
    discard_pages(t->context.recent, t->context.recent + (1 << PF_RECENT_CONTEXT_BITS));
}

void pf_thread_end(struct pf_thread *t)
{
    pf_nest();
    pf_listener_notify(t, PF_EV_END, NULL, 0);
    pf_thread_unwatch();
    if (pf_rt.sampling)
        pf_sample_end(t);
    pf_thread_lock();
    pf_thread_unlink(t);
    pf_threads.alive--;
    pf_thread_unlock();
    t->order.clock[t->order.sid] = pf_epoch_publish(t);
    pf_slot_retire(t);
    pf_clock_free(&t->shadow.pending_acquire);
    pf_clock_free(&t->shadow.release_fence);
    pf_ended_variables_free(t);
    if (!pf_rewind_keeps_memory()) {
        pf_sys(SYS_munmap, t->context.frames, t->context.frames_size);
        pf_pc_thread_end(t);
    }
    t->context.frames = NULL;
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
    if (child->order.clock) {
        pf_clock_join(self->order.clock, child->order.clock, child->order.nclock);
        pf_clock_grew(self);
        if (child->order.nclock > self->order.nclock)
            self->order.nclock = child->order.nclock;
        pf_thread_lock(); /* lower_to_known_by may be reading it */
        pf_clock_free(&child->order.clock);
        pf_thread_unlock();
    }
    pf_oracle_end();
    pf_unnest();
}

void pf_thread_set_joining(struct pf_thread *self, struct pf_thread *child)
{
    pf_thread_lock();
    self->order.joining = child;
    pf_thread_unlock();
}

void pf_thread_after_fork(struct pf_thread *self)
{
    pf_nest();
    pf_thread_lock();
    uint32_t left = 0;
    for (struct pf_thread *t = pf_threads.running, *next; t; t = next) {
        next = t->next;
        if (t == self || !t->tls) { /* the caller, and fibers that it may switch to */
            left++;
            continue;
        }
        /* The thread does not exist in this process; what it did happened before the fork. */
        pf_thread_unlink(t);
        uint32_t last = t->order.clk > t->order.highest_clk ? t->order.clk : t->order.highest_clk;
        if (self->order.clock[t->order.sid] < last)
            self->order.clock[t->order.sid] = last;
        if (self->order.nclock <= t->order.sid)
            self->order.nclock = t->order.sid + 1;
        t->order.dirty = true; /* its current epoch counts as used */
        pf_slot_retire(t);
    }
    pf_threads.alive = left;
    pf_threads.not_begun = 0;
    pf_thread_unlock();
    self->tid = (pid_t)pf_sys(SYS_gettid);
    self->owner = 0;
    pf_clock_grew(self);
    pf_unnest();
}
