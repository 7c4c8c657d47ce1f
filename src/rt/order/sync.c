/*
 * sync.c - see sync.h.
 */
#include "sync.h"
#include "clock.h"
#include "hb.h"
#include "lock_order.h"
#include "oracle_log.h"
#include "slot.h"
#include "store.h"
#include "sys.h"

struct pf_stripe pf_stripes[PF_STRIPES];

uint8_t *pf_sync_pages;

static uintptr_t shadow_offset(uintptr_t addr) { return addr & ((1ull << PF_APP_BITS) - 1); }
static uint32_t *plane(uintptr_t addr)
{
    return (uint32_t *)(PF_SYNC_PLANE + (shadow_offset(addr) >> 3) * 4);
}

bool pf_sync_init(void)
{
    pf_sync_pages = pf_sys_map(NULL, 1ull << (PF_APP_BITS - PF_SYNC_PAGE_BITS));
    return pf_sync_pages;
}

void pf_sync_lock_all(void)
{
    for (int i = 0; i < PF_STRIPES; i++)
        pf_spin_lock(&pf_stripes[i].lock);
}

void pf_sync_unlock_all(void)
{
    for (int i = 0; i < PF_STRIPES; i++)
        pf_spin_unlock(&pf_stripes[i].lock);
}

struct pf_sync *pf_sync_find(uintptr_t addr, bool create)
{
    uint32_t *p = plane(addr);
    for (uint32_t n = *p; n; n = ((struct pf_sync *)pf_store_at(n))->next) {
        struct pf_sync *s = pf_store_at(n);
        if (s->addr == addr)
            return s;
    }
    struct pf_sync *s = create ? pf_store_alloc(PF_SYNC_ORDER) : NULL;
    if (!s)
        return NULL;
    *s = (struct pf_sync){.addr = addr, .next = *p, .clock = {s->small, 0, PF_CLOCK_INLINE}};
    pf_sync_pages[shadow_offset(addr) >> PF_SYNC_PAGE_BITS] = 1;
    __atomic_store_n(p, pf_store_handle(s), __ATOMIC_RELEASE);
    return s;
}

static void drop_in_granule(uintptr_t addr, uintptr_t from, uintptr_t to)
{
    struct pf_spin *lock = pf_sync_lock(addr);
    uint32_t *link = plane(addr);
    pf_sync_stripe(addr)->dropped++;
    while (*link) {
        struct pf_sync *s = pf_store_at(*link);
        if (s->addr - from < to - from) {
            *link = s->next;
            if (s->in_lock_order)
                pf_lock_order_forget(s->addr);
            pf_clock_clear(&s->clock);
            pf_clock_clear(&s->readers);
            pf_store_free(s, PF_SYNC_ORDER);
        } else {
            link = &s->next;
        }
    }
    pf_sync_changed(lock);
    pf_spin_unlock(lock);
}

void pf_hb_forget(const volatile void *addr, size_t size)
{
    uintptr_t from = (uintptr_t)addr, to = from + size;
    pf_oracle_begin();
    pf_oracle_event(__pf_tls.thread, "forget", from, size);
    pf_oracle_end();
    for (uintptr_t a = from & ~(uintptr_t)7; a < to;) {
        uintptr_t page_end = (a | ((1u << PF_SYNC_PAGE_BITS) - 1)) + 1;
        if (!pf_sync_page_used(a)) {
            a = page_end;
            continue;
        }
        for (; a < to && a < page_end; a += 8)
            if (*plane(a))
                drop_in_granule(a, from, to);
    }
}

static uint32_t capacity(const struct pf_hb_clock *c)
{
    return !c->at ? 0 : c->order == PF_CLOCK_INLINE ? PF_CLOCK_INLINE_MAX : 16u << c->order;
}

static __attribute__((noinline)) bool grow(struct pf_hb_clock *c, uint32_t n)
{
    unsigned order = 0;
    while ((16u << order) < n)
        order++;
    uint32_t *at = pf_store_alloc(order);
    if (!at)
        return false;
    pf_clock_copy(at, c->at, c->n);
    if (c->at && c->order != PF_CLOCK_INLINE)
        pf_store_free(c->at, c->order);
    c->at = at;
    c->order = order;
    return true;
}

static bool ensure_capacity(struct pf_hb_clock *c, uint32_t n)
{
    return capacity(c) >= n || grow(c, n);
}

void pf_clock_clear(struct pf_hb_clock *c)
{
    if (c->at && c->order != PF_CLOCK_INLINE)
        pf_store_free(c->at, c->order);
    *c = (struct pf_hb_clock){0};
}

void pf_clock_to_thread(struct pf_thread *t, const struct pf_hb_clock *c)
{
    if (!c->n)
        return;
    /* t's own entry never grows: no other thread has seen more of t's slot than t. */
    if (pf_clock_join(t->order.clock, c->at, c->n))
        pf_clock_grew(t);
    if (c->n > t->order.nclock)
        t->order.nclock = c->n;
}

void pf_clock_from_array(struct pf_hb_clock *c, const uint32_t *array, uint32_t n)
{
    if (!ensure_capacity(c, n))
        return;
    uint32_t both = c->n < n ? c->n : n;
    pf_clock_join(c->at, array, both);
    if (n > c->n) {
        pf_clock_copy(c->at + c->n, array + c->n, n - c->n);
        c->n = n;
    }
}

void pf_clock_from_thread(struct pf_hb_clock *c, struct pf_thread *t)
{
    uint32_t had = c->n > t->order.sid ? c->at[t->order.sid] : 0, own = pf_epoch_publish(t);
    pf_clock_from_array(c, t->order.clock, t->order.nclock);
    if (c->n > t->order.sid)
        c->at[t->order.sid] = own > had ? own : had;
}

void pf_clock_set_thread(struct pf_hb_clock *c, struct pf_thread *t)
{
    if (!ensure_capacity(c, t->order.nclock)) {
        c->n = 0;
        return;
    }
    /* capacities are even, and the entry after t's last is 0 */
    pf_clock_copy_even(c->at, t->order.clock, t->order.nclock);
    c->n = t->order.nclock;
    c->at[t->order.sid] = pf_epoch_publish(t);
}

#define IDS_PER_BATCH 0x10000u /* ids that a thread reserves at once */

uint64_t pf_clock_id(struct pf_thread *t)
{
    static uint64_t next;
    if (t->order.clock_id && !t->order.dirty)
        return t->order.clock_id;
    if (!(t->order.last_clock_id % IDS_PER_BATCH))
        t->order.last_clock_id = __atomic_fetch_add(&next, IDS_PER_BATCH, __ATOMIC_RELAXED);
    return ++t->order.last_clock_id;
}

static bool equals_thread(const struct pf_thread *t, const struct pf_hb_clock *c)
{
    if (c->n < t->order.nclock || c->at[t->order.sid] != pf_epoch_last(t))
        return false;
    for (uint32_t i = 0; i < t->order.nclock; i++)
        if (i != t->order.sid && c->at[i] != t->order.clock[i])
            return false;
    return true;
}

void pf_clock_unify_ids(struct pf_thread *t, struct pf_sync *s)
{
    if (!s->clock_id || t->order.dirty || s->clock_id == t->order.clock_id ||
        !equals_thread(t, &s->clock))
        return;
    if (t->order.clock_id > s->clock_id) /* the larger id, so that all threads converge to one */
        __atomic_store_n(&s->clock_id, t->order.clock_id, __ATOMIC_RELAXED);
    else
        t->order.clock_id = s->clock_id;
}
