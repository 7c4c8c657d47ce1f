/*
 * event_order.c - synchronisation in event mode. There are no clocks: operations notify the
 * listener, and locks are listed as held.
 */
#include "deadlock.h"
#include "event.h"
#include "hb.h"
#include "limits.h"
#include "listener.h"
#include "stack.h"

static void acquire(struct pf_thread *t, const volatile void *addr)
{
    pf_listener_notify(t, PF_EV_TAKE, addr, 0);
}
static void release(struct pf_thread *t, const volatile void *addr)
{
    pf_listener_notify(t, PF_EV_POST, addr, 0);
}
static void clock_acquire(struct pf_thread *t, struct pf_hb_clock *c, const void *owner)
{
    pf_listener_notify(t, PF_EV_TAKE, c, (uintptr_t)owner);
}
static void clock_release(struct pf_thread *t, struct pf_hb_clock *c, const void *owner)
{
    pf_listener_notify(t, PF_EV_POST, c, (uintptr_t)owner);
}

static void hold(struct pf_thread *t, uintptr_t lock, bool shared, uint32_t depth, uint32_t where)
{
    if (!where && !t->ignore_sync)
        where = pf_stack_id(t, PF_NATIVE_CALL);
    if (t->order.nheld == PF_HELD_MAX) {
        pf_limit_hit(PF_LIMIT_LOCKS);
        return;
    }
    t->order.held[t->order.nheld++] =
        (struct pf_held_lock){.addr = lock, .where = where, .shared = shared, .depth = depth};
}

static void hold_again(struct pf_thread *t, uintptr_t lock, bool shared, uint32_t where)
{
    (void)t;
    (void)lock;
    (void)shared;
    (void)where;
}

static void unhold(struct pf_thread *t, uintptr_t lock, struct pf_held_lock *h)
{
    (void)lock;
    if (!h)
        return;
    for (const struct pf_held_lock *last = &t->order.held[--t->order.nheld]; h < last; h++)
        h[0] = h[1];
}

static void abandon(struct pf_thread *t, uintptr_t lock, struct pf_held_lock *h)
{
    pf_deadlock_note_abandoned(lock);
    unhold(t, lock, h);
}

const struct pf_order_ops pf_event_order_ops = {
    .acquire = acquire,
    .release = release,
    .release_store = release,
    .clock_acquire = clock_acquire,
    .clock_release = clock_release,
    .clock_release_store = clock_release,
    .hold = hold,
    .hold_again = hold_again,
    .unhold = unhold,
    .abandon = abandon,
};
