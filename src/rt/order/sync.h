/*
 * sync.h - sync objects by address, for the files that implement hb.h (hb.c, atomic.c).
 *
 * Model:   an object has the clock of what was released into it, and for locks a second clock of
 *          what readers released. The clock of an atomic is the join of the release sequences that
 *          its current value belongs to; `sequence_heads` says which threads may head one of them.
 *          While sampling, clocks have ids: two clocks with the same id are equal, so nothing has
 *          to be joined or copied between them (lock_unwatched.h).
 * Memory:  found through the sync plane (pf_shadow.h); several objects of one granule are chained.
 * Threads: a thread that holds the lock of the address's stripe (pf_sync_lock) has exclusive access
 *          to the object.
 * Errors:  without memory, objects are not created and clocks do not grow: order is lost, counted
 *          as PF_LIMIT_MEMORY.
 */
#ifndef PF_RT_SYNC_H
#define PF_RT_SYNC_H

#include "spin.h"
#include "store.h"
#include "thread.h"

struct pf_hb_clock {
    uint32_t *at; /* at[0..n), the rest reads as 0; NULL while empty */
    uint32_t n;
    /* `at` is a store block of this order; PF_CLOCK_INLINE: it is in the sync object */
    uint32_t order;
};
#define PF_CLOCK_INLINE UINT32_MAX
#define PF_CLOCK_INLINE_MAX 14u /* entries in the sync object */

/* The fields that every operation needs are in the first cache line, with the entries of the first
 * slots. */
struct pf_sync {
    uintptr_t addr;
    uint32_t next; /* store handle of the next object of the granule */
    /* 1 + number of the thread whose published clock this is; 0: a join of several */
    uint32_t sole_releaser;
    uint32_t first_taken : 24; /* site id of its first acquisition as a lock */
    uint32_t acquired_by_other : 1; /* another thread has acquired `clock` since it was set */
    uint32_t in_lock_order : 1; /* it is a lock in the graph of lock_order.h */
    uint32_t own_lockset; /* the lockset of this lock alone, << 1 | shared; 0: not computed yet */
    /* bit n: a thread whose number is n modulo 64 heads a release sequence */
    uint64_t sequence_heads;
    struct pf_hb_clock clock;
    uint32_t small[PF_CLOCK_INLINE_MAX]; /* entries of `clock` while they suffice */
    uint64_t clock_id; /* id of `clock`; 0: none, which is always so unless sampling */
    struct pf_hb_clock readers;
};
#define PF_SYNC_ORDER 1 /* order of its block in the store */
_Static_assert(sizeof(struct pf_sync) <= 64u << PF_SYNC_ORDER,
               "the object is a block of the store");

struct pf_stripe {
    union {
        struct {
            struct pf_spin lock;
            uint32_t version; /* counts the changes of `clock` in the objects of this stripe */
        };
        /* lock and version in one word; PF_STRIPE_FREE(version) while it is unlocked */
        uint64_t word;
    };
    uint32_t dropped; /* counts the objects that were dropped */
    char pad[52];
};
#define PF_STRIPE_FREE(version) ((uint64_t)(version) << 32)
_Static_assert(sizeof(struct pf_stripe) == 64, "a line of the cache each");
extern struct pf_stripe pf_stripes[];
#define PF_STRIPES 1024 /* of sync objects */

/* One byte per 4 KB of the target's memory: true if there may be a sync object. */
#define PF_SYNC_PAGE_BITS 12
extern uint8_t *pf_sync_pages;
static inline bool pf_sync_page_used(uintptr_t addr)
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
/* With the stripe locked: the clock of an object has changed. */
static inline void pf_sync_changed(struct pf_spin *stripe)
{
    struct pf_stripe *s = (struct pf_stripe *)stripe;
    __atomic_store_n(&s->version, s->version + 1, __ATOMIC_RELAXED);
}
/* The object of exactly this address. NULL if it does not exist and `create` is false, or without
 * memory. The stripe must be locked. */
struct pf_sync *pf_sync_find(uintptr_t addr, bool create);
/* The object of this address if it is the first one of its granule, without locking. Its contents
 * may change meanwhile, but the memory stays a block of the store. */
static inline const struct pf_sync *pf_sync_peek(uintptr_t addr)
{
    uintptr_t granule = (addr & ((1ull << PF_APP_BITS) - 1)) >> 3;
    uint32_t n = __atomic_load_n((uint32_t *)PF_SYNC_PLANE + granule, __ATOMIC_ACQUIRE);
    const struct pf_sync *s = pf_store_at(n);
    return n && __atomic_load_n(&s->addr, __ATOMIC_RELAXED) == addr ? s : NULL;
}
/* True if there is no object in the granule. Takes no lock: true may be outdated. */
static inline bool pf_sync_absent(uintptr_t addr)
{
    uintptr_t granule = (addr & ((1ull << PF_APP_BITS) - 1)) >> 3;
    return !__atomic_load_n((uint32_t *)PF_SYNC_PLANE + granule, __ATOMIC_ACQUIRE);
}

/* The same for all granules of the range, which is not empty and short. */
static inline bool pf_sync_absent_range(uintptr_t from, uintptr_t to)
{
    typedef uint64_t two_granules __attribute__((aligned(4), may_alias));
    uintptr_t first = (from & ((1ull << PF_APP_BITS) - 1)) >> 3, n = ((to + 7) >> 3) - (from >> 3);
    const uint32_t *p = (const uint32_t *)PF_SYNC_PLANE + first;
    uint64_t any = n & 1 ? p[n - 1] : 0;
    for (uintptr_t i = 0; i + 2 <= n; i += 2)
        any |= *(const two_granules *)&p[i];
    return !any;
}

/* to_thread: t := join(t, c). from_thread: c := join(c, t). set_thread: c := t. The last two
 * publish t's current epoch; the caller then starts a new one. */
void pf_clock_to_thread(struct pf_thread *t, const struct pf_hb_clock *c);
void pf_clock_from_thread(struct pf_hb_clock *c, struct pf_thread *t);
void pf_clock_set_thread(struct pf_hb_clock *c, struct pf_thread *t);
/* The clock of s has changed and has no id any more. */
static inline void pf_sync_clear_clock_id(struct pf_sync *s)
{
    if (s->clock_id)
        __atomic_store_n(&s->clock_id, 0, __ATOMIC_RELAXED);
}
/* t's clock has grown. */
static inline void pf_clock_grew(struct pf_thread *t)
{
    t->order.clock_id = 0;
    t->order.acquire_count++;
}
/* The id of what t would publish now; a new one if it has none. */
uint64_t pf_clock_id(struct pf_thread *t);
/* t has just joined the clock of s, whose stripe is locked. If both clocks are equal now, gives
 * them the same id. */
void pf_clock_unify_ids(struct pf_thread *t, struct pf_sync *s);
/* from_array: c := join(c, array[0..n)). clear: c := empty. */
void pf_clock_from_array(struct pf_hb_clock *c, const uint32_t *array, uint32_t n);
void pf_clock_clear(struct pf_hb_clock *c);

bool pf_sync_init(void); /* false: no address space */
void pf_sync_lock_all(void); /* around fork */
void pf_sync_unlock_all(void);

#endif
