/*
 * sync.h - sync objects by address, for the files that implement hb.h (hb.c, atomic.c).
 *
 * Model:   an object has the clock of what was released into it, and for locks a second one of
 *          what readers released. An atomic's clock joins the release sequences that its value
 *          belongs to; `heads` says which threads may head one of them.
 *          While sampling, values of clocks are numbered: two clocks with the same number are the same, so
 *          there is nothing to join or to copy between them (lock_unwatched.h).
 * Memory:  found through the sync plane (pf_shadow.h); several in one granule are chained.
 * Threads: between sync_lock and sync_unlock of the address the caller alone sees its object.
 */
#ifndef PF_RT_SYNC_H
#define PF_RT_SYNC_H

#include "spin.h"
#include "store.h"
#include "thread.h"

struct pf_hb_clock {
    uint32_t *at; /* at[0..n); NULL while empty */
    uint32_t n;
    uint32_t order; /* at is a block of the store of this order; PF_CLOCK_HERE: beside the clock */
};
#define PF_CLOCK_HERE UINT32_MAX
#define PF_CLOCK_SMALL 14u /* entries there */

/* What every operation needs stands in the first line of the cache, with the clocks of the first slots. */
struct pf_sync {
    uintptr_t addr;
    uint32_t next; /* store name of another object in the granule */
    uint32_t head; /* 1 + number of the thread that made the clock alone; 0: several */
    uint32_t first : 24; /* access id of the first time it was taken as a lock */
    uint32_t learned : 1; /* somebody else has had the clock since it was made */
    uint32_t alone; /* the lockset of it alone << 1 | shared; 0: not known yet */
    uint64_t heads; /* bit n: a thread whose number is n modulo 64 heads a release sequence */
    struct pf_hb_clock clock;
    uint32_t small[PF_CLOCK_SMALL]; /* of `clock`, while that is enough */
    uint64_t value; /* the number of what `clock` says; 0: none, as always unless sampling */
    struct pf_hb_clock readers;
};
#define PF_SYNC_ORDER 1 /* in the store */
_Static_assert(sizeof(struct pf_sync) <= 64u << PF_SYNC_ORDER,
               "the object is a block of the store");

struct pf_stripe {
    union {
        struct {
            struct pf_spin lock;
            uint32_t version; /* counts the changes of the clocks of atomics */
        };
        uint64_t both; /* of a free one: PF_STRIPE_FREE of its version */
    };
    uint32_t gone; /* counts the objects that were dropped */
    char pad[52];
};
#define PF_STRIPE_FREE(version) ((uint64_t)(version) << 32)
_Static_assert(sizeof(struct pf_stripe) == 64, "a line of the cache each");
extern struct pf_stripe pf_stripes[];
#define PF_STRIPES 1024

/* One byte for 4 KB of the target: may there be an object? */
#define PF_SYNC_PAGE_BITS 12
extern uint8_t *pf_sync_pages;
static inline bool pf_sync_near(uintptr_t addr)
{
    return pf_sync_pages[(addr & ((1ull << PF_APP_BITS) - 1)) >> PF_SYNC_PAGE_BITS];
}

static inline struct pf_stripe *pf_sync_stripe(uintptr_t addr)
{
    uintptr_t n = addr >> 3;
    return &pf_stripes[(n ^ n >> 9 ^ n >> 19) % PF_STRIPES];
}
static inline struct pf_spin *pf_sync_lock(uintptr_t addr)
{
    struct pf_spin *s = &pf_sync_stripe(addr)->lock;
    pf_spin_lock(s);
    return s;
}
/* With the stripe held: a clock that loads of atomics learn from is not what it was. */
static inline void pf_sync_changed(struct pf_spin *stripe)
{
    struct pf_stripe *s = (struct pf_stripe *)stripe;
    __atomic_store_n(&s->version, s->version + 1, __ATOMIC_RELAXED);
}
/* The object of exactly this address, or NULL if it does not exist and create is false (or memory
 * is out). The stripe is held. */
struct pf_sync *pf_sync_find(uintptr_t addr, bool create);
/* The object of this address if it is the first of its granule, without the lock: what it says may change
 * meanwhile, but it stays memory of the store. */
static inline const struct pf_sync *pf_sync_peek(uintptr_t addr)
{
    uintptr_t granule = (addr & ((1ull << PF_APP_BITS) - 1)) >> 3;
    uint32_t n = __atomic_load_n((uint32_t *)PF_SYNC_PLANE + granule, __ATOMIC_ACQUIRE);
    const struct pf_sync *s = pf_store_at(n);
    return n && __atomic_load_n(&s->addr, __ATOMIC_RELAXED) == addr ? s : NULL;
}
/* Is there surely no object at addr? Without a lock: true can be stale. */
static inline bool pf_sync_absent(uintptr_t addr)
{
    uintptr_t granule = (addr & ((1ull << PF_APP_BITS) - 1)) >> 3;
    return !__atomic_load_n((uint32_t *)PF_SYNC_PLANE + granule, __ATOMIC_ACQUIRE);
}

/* t := join(t, c); c := join(c, t); c := t. The last two publish t's own epoch; the caller then
 * starts a new one. */
void pf_clock_to_thread(struct pf_thread *t, const struct pf_hb_clock *c);
void pf_clock_from_thread(struct pf_hb_clock *c, struct pf_thread *t);
void pf_clock_set_thread(struct pf_hb_clock *c, struct pf_thread *t);
/* What s says has no number any more. */
static inline void pf_sync_unnumber(struct pf_sync *s)
{
    if (s->value)
        __atomic_store_n(&s->value, 0, __ATOMIC_RELAXED);
}
/* t's clock has grown. */
static inline void pf_clock_grew(struct pf_thread *t)
{
    t->value = 0;
    t->news++;
}
/* The number of what t would tell now; a new one if it has none. */
uint64_t pf_clock_value(struct pf_thread *t);
/* t has just joined the clock of s, whose stripe is held: if they are the same now, so are their numbers. */
void pf_clock_compare(struct pf_thread *t, struct pf_sync *s);
/* c := join(c, array of full length); c := empty. */
void pf_clock_from_array(struct pf_hb_clock *c, const uint32_t *array, uint32_t n);
void pf_clock_clear(struct pf_hb_clock *c);

void pf_sync_init(void);
void pf_sync_lock_all(void); /* around fork */
void pf_sync_unlock_all(void);

#endif
