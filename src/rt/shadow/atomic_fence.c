/*
 * atomic_fence.c - atomic fences. The thread remembers its clock at its last release fence, which
 * its later stores publish, and the clocks seen by its relaxed loads, which an acquire fence joins
 * (atomic.c).
 */
#include "clock.h"
#include "entry.h"
#include "hooks.h"
#include "memory_ops.h"
#include "memory_order.h"
#include "oracle_log.h"
#include "slot.h"
#include "sync.h"

static void order_by_fence(struct pf_thread *t, unsigned order)
{
    pf_oracle_begin();
    pf_oracle_event(t, "fence", order, 0);
    if (pf_order_acquires(order) && t->shadow.pending_acquire) {
        pf_clock_join(t->order.clock, t->shadow.pending_acquire, PF_SID_MAX + 1);
        pf_clock_grew(t);
        t->order.nclock = PF_SID_MAX + 1;
        while (t->order.nclock > 1 && !t->order.clock[t->order.nclock - 1])
            t->order.nclock--;
    }
    if (pf_order_releases(order)) {
        if (!t->shadow.release_fence)
            t->shadow.release_fence = pf_clock_new();
        if (t->shadow.release_fence) {
            pf_clock_copy(t->shadow.release_fence, t->order.clock, PF_SID_MAX + 1);
            t->shadow.release_fence[t->order.sid] = pf_epoch_publish(t);
        }
        pf_epoch_next(t);
    }
    pf_oracle_end();
}

void pf_fence_checked(struct pf_thread *t, uint32_t order, uint32_t site)
{
    (void)site;
    pf_nest();
    order_by_fence(t, order);
    pf_unnest();
}

void __pf_fence(uint32_t order, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (!t) {
        pf_hooks.event_in_runtime();
        return;
    }
    pf_memory_ops.fence(t, order, site);
}
