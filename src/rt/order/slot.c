/*
 * slot.c - see slot.h.
 */
#include "slot.h"
#include "global_order.h"
#include "held_log.h"
#include "limits.h"
#include "rt.h"
#include "spin.h"
#include "store.h"
#include "sys.h"

#define FORGET_EVERY (16 * PF_HELD_LOG_CHUNK) /* epochs of a thread between forget_locksets */

struct tenure { /* the epochs from `from` on, up to the next tenure, belong to `thread` */
    uint32_t from;
    struct pf_thread *thread;
    struct tenure *before;
};

struct thread_slot {
    struct pf_thread *owner;  /* NULL: free */
    uint32_t last;            /* last epoch used by an earlier owner */
    struct pf_held_log held;   /* by epoch */
    struct tenure *latest;
};

static struct thread_slot slots[PF_SID_MAX + 1];
static uint32_t nslots = 1; /* slots [1, nslots) have been in use */
static struct pf_spin lock;

void pf_slot_lock(void) { pf_spin_lock(&lock); }
void pf_slot_unlock(void) { pf_spin_unlock(&lock); }

/* Chooses a slot for t: a free one whose whole history t has seen; else a new one; else, and that
 * is counted, the free one of which t has seen most. The owner of a slot counts as having seen all
 * of its history, so in the last case a race may be missed, but none is invented. A slot that has
 * used half of its epochs is never reused. 0: none. */
static uint32_t choose(const struct pf_thread *t)
{
    uint32_t best = 0, missing = UINT32_MAX;
    for (uint32_t s = 1; s < nslots; s++) {
        if (slots[s].owner || slots[s].last >= PF_CLK_MAX / 2)
            continue;
        if (t->order.clock[s] >= slots[s].last)
            return s;
        if (slots[s].last - t->order.clock[s] < missing) {
            missing = slots[s].last - t->order.clock[s];
            best = s;
        }
    }
    if (nslots >= PF_SID_FREED) {
        if (best)
            pf_limit_hit(PF_LIMIT_SLOTS);
        return best;
    }
    return pf_held_log_init(&slots[nslots].held) ? nslots++ : 0;
}

bool pf_slot_take(struct pf_thread *t)
{
    struct tenure *n = pf_store_alloc_permanent(sizeof *n);
    pf_spin_lock(&lock);
    uint32_t s = n ? choose(t) : 0;
    if (s) {
        n->from = slots[s].last + 1;
        n->thread = t;
        n->before = slots[s].latest;
        slots[s].latest = n;
        slots[s].owner = t;
        t->order.sid = s;
        t->order.clk = t->order.clock[s] = n->from;
        t->order.dirty = false;
        t->order.clock_id = 0;
        t->order.highest_clk = 0;
        t->order.span = (struct pf_epoch_span){.from = s << PF_CLK_BITS | (t->order.clk - 1)};
        if (s >= t->order.nclock)
            t->order.nclock = s + 1;
        pf_held_log_put(&slots[s].held, t->order.clk, t->order.lockset);
    }
    pf_spin_unlock(&lock);
    return s != 0;
}

void pf_slot_retire(struct pf_thread *t)
{
    pf_spin_lock(&lock);
    slots[t->order.sid].last = pf_epoch_publish(t);
    slots[t->order.sid].owner = NULL;
    pf_spin_unlock(&lock);
}

void pf_thread_update_key(struct pf_thread *t)
{
    t->order.may_order_unwatched =
        pf_rt.sampling && !pf_rt.slow_path_only && !t->ignore_sync && !t->signals;
    if (!t->tls)
        return;
    t->tls->read_set = 1; /* matches no word of a cell; 0 would match an empty one */
    t->tls->key = 0xffull << PF_MASK_SHIFT | (uint64_t)t->order.sid << PF_SID_SHIFT |
                  (uint64_t)t->order.clk << PF_CLK_SHIFT | 1ull << PF_WRITE_BIT;
    t->tls->clock = t->order.clock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (pf_rt.slow_path_only || t->signals || t->order.locks_stale || t->covering ||
        pf_ignores(t, false) || pf_ignores(t, true))
        t->tls->clock = NULL;
    if (t->check_only) { /* a key that matches empty cells only */
        t->tls->key = 0;
        t->tls->clock = NULL;
    }
    /* The oracle or sampling must see every access, a signal is deferred, or the lockset is not
     * computed: a key that matches no word, not even 0. */
    if (pf_rt.oracle || t->signals || t->order.locks_stale || t->covering)
        t->tls->key = (uint64_t)PF_CLK_MAX << PF_CLK_SHIFT | 1ull << PF_WRITE_BIT;
}

void pf_epoch_lockset_changed(struct pf_thread *t)
{
    if (t->order.dirty)
        pf_epoch_next(t);
    else
        pf_held_log_put(&slots[t->order.sid].held, t->order.clk, t->order.lockset);
}

/* pf_thread_update_key if nothing but the epoch has changed. */
static inline void update_key_epoch(struct pf_thread *t)
{
    struct pf_tls *tls = t->tls;
    if (!tls || !tls->clock) {
        pf_thread_update_key(t);
        return;
    }
    tls->read_set = 1;
    tls->key = (tls->key & ~((uint64_t)PF_CLK_MAX << PF_CLK_SHIFT)) | (uint64_t)t->order.clk
                                                                          << PF_CLK_SHIFT;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(t->signals != NULL, 0)) /* it arrived just now */
        pf_thread_update_key(t);
}

/* Drops the lock histories of epochs that are globally ordered. */
static __attribute__((noinline)) void forget_locksets(struct pf_thread *t)
{
    pf_thread_update_global_order(t);
    if (!pf_spin_try(&lock))
        return;
    for (uint32_t s = 1; s < nslots; s++)
        pf_held_log_discard(&slots[s].held,
                            __atomic_load_n(&pf_rt.globally_ordered[s], __ATOMIC_ACQUIRE));
    pf_spin_unlock(&lock);
}

void pf_epoch_next(struct pf_thread *t)
{
    if (!t->order.dirty)
        return;
    if (t->order.clk > t->order.highest_clk)
        t->order.highest_clk = t->order.clk;
    if (__builtin_expect(t->order.highest_clk == PF_CLK_MAX, 0)) { /* continue on another slot */
        uint32_t sid = t->order.sid;
        pf_slot_retire(t);
        /* None left: stay in the last epoch. Later accesses may seem ordered, so races may be
         * missed; none is invented. */
        if (!pf_slot_take(t)) {
            pf_spin_lock(&lock);
            slots[sid].owner = t;
            pf_spin_unlock(&lock);
            pf_limit_hit(PF_LIMIT_EPOCHS);
        }
        pf_thread_update_key(t);
        return;
    }
    t->order.clock[t->order.sid] = t->order.clk = t->order.highest_clk + 1;
    t->order.dirty = false;
    t->order.clock_id = 0;
    pf_held_log_put(&slots[t->order.sid].held, t->order.clk, t->order.lockset);
    update_key_epoch(t);
    if (__builtin_expect(t->order.clk % FORGET_EVERY == 0, 0))
        forget_locksets(t);
}

void pf_epoch_keep_lockset(struct pf_thread *t)
{
    pf_held_log_keep(&slots[t->order.sid].held, t->order.clk);
}

bool pf_epoch_resume(struct pf_thread *t, uintptr_t lock)
{
    const struct pf_resumable_epoch *u = &t->order.resumable;
    if (u->lock != lock || u->sid != t->order.sid || u->lockset != t->order.lockset)
        return false;
    if (t->order.dirty && t->order.clk > t->order.highest_clk)
        t->order.highest_clk = t->order.clk;
    t->order.clk = u->clk;
    t->order.dirty = true;
    pf_thread_update_key(t);
    return true;
}

struct pf_thread *pf_epoch_thread(uint32_t sid, uint32_t clk)
{
    struct tenure *n = slots[sid].latest;
    while (n && n->from > clk)
        n = n->before;
    return n ? n->thread : NULL;
}

uint32_t pf_epoch_lockset(uint32_t sid, uint32_t clk)
{
    return pf_held_log_get(&slots[sid].held, clk);
}
