/*
 * memory_model.c - see memory_model.h.
 */
#include "memory_model.h"
#include "context.h"
#include "event.h"
#include "listener.h"
#include "memory_choice.h"
#include "memory_view.h"
#include "stale_read.h"
#include "store_buffer.h"
#include "thread_table.h"

static bool is_weak(void) { return pf_direct.memory == PF_MEMORY_WEAK; }

void pf_memory_model_init(void)
{
    if (!pf_memory_model_active())
        return;
    pf_memory_choice_init();
    if (!(is_weak() ? pf_stale_init() : pf_buffer_init()))
        pf_direct_refuse("there is no memory for the memory model");
}

/* --- accesses --- */

void pf_memory_model_enter(void) { pf_stale_restore(); }

static void write_bytes(uintptr_t addr, uint64_t size, const uint8_t *bytes)
{
    if (is_weak())
        pf_stale_write(addr, size, bytes);
    else
        pf_buffer_write(addr, size, bytes);
}

void pf_memory_model_access(uintptr_t addr, unsigned size, bool write, uint64_t value,
                            uint32_t site)
{
    if (write)
        write_bytes(addr, size, (const uint8_t *)&value);
    else if (is_weak())
        pf_stale_read(addr, size, PF_ORDER_PLAIN, site);
    else
        pf_buffer_read(addr, size, site);
}

#define FILL_MAX 64 /* bytes; a larger fill counts as a write of unknown bytes */

void pf_memory_model_range(uintptr_t addr, uint64_t size, uint32_t how, const void *content,
                           uint32_t site)
{
    uint8_t fill[FILL_MAX];
    if (how == PF_EVENT_RANGE_READ) {
        if (is_weak() && size <= 8)
            pf_stale_read(addr, (unsigned)size, PF_ORDER_PLAIN, site);
        else if (!is_weak())
            pf_buffer_read(addr, size, site);
        return;
    }
    if (how == PF_EVENT_RANGE_FILL) {
        for (uint64_t i = 0; size <= FILL_MAX && i < size; i++)
            ((volatile uint8_t *)fill)[i] = (uint8_t)(uintptr_t)content;
        content = size <= FILL_MAX ? fill : NULL;
    }
    write_bytes(addr, size, content);
}

void pf_memory_model_interposed(uintptr_t addr, uint64_t size, bool write)
{
    if (!is_weak())
        pf_buffer_drain();
    if (write && is_weak())
        pf_stale_forget(addr, size);
    else if (write)
        pf_buffer_write(addr, size, NULL);
}

void pf_memory_model_atomic_begin(uintptr_t addr, uint32_t packed, uint32_t site)
{
    unsigned size = packed & 0xff, op = packed >> 8 & 0xff, order = packed >> 16 & 0xff;
    if (is_weak() && op == PF_ATOMIC_LOAD) {
        pf_stale_read(addr, size, order, site);
    } else if (is_weak()) {
        pf_stale_update_begin(addr, size);
    } else if (op == PF_ATOMIC_LOAD) {
        pf_buffer_read(addr, size, site);
    } else if (op == PF_ATOMIC_STORE && order != PF_SEQ_CST) {
        pf_buffer_store_begin(addr, size);
    } else {
        pf_buffer_drain();
        pf_buffer_read(addr, size, site); /* the stores of other threads before it */
    }
}

void pf_memory_model_atomic_end(uintptr_t addr, uint32_t packed, bool stored)
{
    unsigned size = packed & 0xff, op = packed >> 8 & 0xff;
    unsigned order = op == PF_ATOMIC_CAS && !stored ? packed >> 24 : packed >> 16 & 0xff;
    if (op == PF_ATOMIC_LOAD)
        pf_stale_restore();
    else if (is_weak())
        pf_stale_update_end(addr, size, order, op != PF_ATOMIC_STORE, stored);
    else if (op == PF_ATOMIC_STORE && order != PF_SEQ_CST)
        pf_buffer_store_end(addr, size);
}

/* --- synchronisation --- */

void pf_memory_model_fence(unsigned order)
{
    if (order == PF_RELAXED)
        pf_memory_model_leave(0);
    else if (is_weak())
        pf_view_fence(order);
    else if (order == PF_SEQ_CST)
        pf_buffer_drain();
}

void pf_memory_model_call(void)
{
    pf_stale_restore();
    if (!is_weak())
        pf_buffer_drain();
}

void pf_memory_model_leave(uint32_t call)
{
    struct pf_view_thread *t = is_weak() ? pf_view_self() : NULL;
    pf_memory_model_call();
    if (t)
        pf_view_leave(t, call);
}

void pf_memory_model_thread_created(uint32_t number)
{
    if (is_weak())
        pf_view_thread_created(number);
}

void pf_memory_model_switch(const struct pf_context *to)
{
    pf_stale_restore();
    if (!is_weak())
        pf_buffer_switch(to);
}

static void (*previous_listener)(struct pf_thread *, enum pf_event_kind, uintptr_t, uintptr_t);

/* A lock taken shared is ordered after earlier writers only, and its unlock before later ones
 * only: unlocks of readers go to an object of their own. */
#define READERS(lock) ((lock) ^ 1)

/* Passes the order that an event makes on to the views of memory model `weak`. */
static void order(enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    switch (kind) {
    case PF_EV_LOCK:
        pf_view_acquire(READERS(what));
        pf_view_acquire(what);
        break;
    case PF_EV_WAKE: /* of a condition variable: has its mutex again */
        pf_view_acquire(READERS(more));
        pf_view_acquire(more);
        pf_view_acquire(what);
        break;
    case PF_EV_RDLOCK:
    case PF_EV_TAKE:
        pf_view_acquire(what);
        break;
    case PF_EV_RDUNLOCK:
        pf_view_release(READERS(what));
        break;
    case PF_EV_WAIT: /* releases its mutex */
        pf_view_release(more);
        break;
    case PF_EV_UNLOCK:
    case PF_EV_SIGNAL:
    case PF_EV_BROADCAST:
    case PF_EV_POST:
        pf_view_release(what);
        break;
    case PF_EV_ALLOC:
    case PF_EV_FREE:
        pf_stale_forget(what, more);
        break;
    default:
        break;
    }
}

static void thread_joined(uint32_t number)
{
    if (is_weak())
        pf_view_thread_joined(number);
    else if (number < PF_VIEW_THREADS)
        pf_buffer_drain_of(number);
}

static void observe(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    if (previous_listener)
        previous_listener(t, kind, what, more);
    if (t != __pf_tls.thread)
        return;
    if (kind == PF_EV_BEGIN && !t->is_fiber)
        t->direct.context = pf_context_number(pf_context_self());
    if (kind == PF_EV_JOIN)
        thread_joined(pf_thread_by_number((uint32_t)what)->direct.context);
    else if (is_weak() && (kind == PF_EV_BEGIN || (int)kind == PF_NOTIFY_MEMORY_RESET))
        pf_stale_forget(what, more);
    else if (is_weak())
        order(kind, what, more);
}

void pf_memory_model_listen(void)
{
    if (!pf_memory_model_active())
        return;
    previous_listener = pf_listener;
    pf_listener = observe;
}
