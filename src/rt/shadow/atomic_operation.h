/*
 * atomic_operation.h - the atomic operation that a thread executes now, and the thread's cache of
 * atomics; for atomic.c.
 *
 * Threads: the calling thread's own state; the stripe of the address as each function says.
 */
#ifndef PF_RT_ATOMIC_OPERATION_H
#define PF_RT_ATOMIC_OPERATION_H

#include "memory_order.h"
#include "store.h"
#include "sync.h"

/* The operation in progress, in thread-local memory. There is at most one per thread, because
 * signal handlers are deferred until the thread has left the runtime. */
struct operation {
    struct pf_thread *t;
    uintptr_t addr;
    struct pf_stripe *stripe; /* of `addr` */
    struct pf_sync *sync;     /* while locked: the object, or NULL */
    /* PATH_CACHED: the stripe's word as long as there is nothing to acquire */
    uint64_t expected_word;
    uint32_t packed, site;    /* in the form in which compiled code passes them */
    /* see "The paths" in atomic.c */
    enum path { PATH_SLOW, PATH_CACHED, PATH_ABSENT, PATH_SAME, PATH_RELEASE, PATH_EVENT } path;
    bool locked;
    bool late; /* the stripe was locked after the operation */
    bool checked; /* the access was checked before the operation */
};
static __thread struct operation current __attribute__((tls_model("initial-exec")));

static inline unsigned size_of(uint32_t packed) { return packed & 0xff; }
static inline unsigned op_of(uint32_t packed) { return packed >> 8 & 0xff; }
static inline unsigned order_of(uint32_t packed) { return packed >> 16 & 0xff; }
static inline unsigned failure_of(uint32_t packed) { return packed >> 24; }

/*
 * The cache of atomics. Most loads find the value that they found before, because the thread is
 * polling. No lock is needed if the thread has already acquired the location's clock, and the
 * stripe had the same version and was unlocked both before and after the operation. The same holds
 * for a counter: an RMW that does not release leaves the clock unchanged.
 */
static inline struct pf_atomic_cache_entry *cache_slot(struct pf_thread *t, uintptr_t addr)
{
    return &t->shadow.atomic_cache[(addr >> 2 ^ addr >> 9) % PF_ATOMIC_CACHE_SIZE];
}

static inline bool is_cached(const struct operation *o, unsigned order)
{
    const struct pf_atomic_cache_entry *l = cache_slot(o->t, o->addr);
    return l->addr == o->addr && (l->acquired || !pf_order_acquires(order)) &&
           __atomic_load_n(&o->stripe->word, __ATOMIC_ACQUIRE) == PF_STRIPE_FREE(l->version);
}

/* The operation is done and the stripe still locked: t has acquired the clock. all: into its own
 * clock; otherwise into pending_acquire. */
static inline void cache_put(struct operation *o, bool all)
{
    *cache_slot(o->t, o->addr) = (struct pf_atomic_cache_entry){
        o->addr, o->stripe->version, o->sync ? pf_store_handle(o->sync) : 0, o->stripe->dropped,
        all};
}

/* The clock of o's atomic has changed, but no other clock of the stripe. So the thread's cache
 * entry for the other half of the granule stays valid. (The two are often the head and the tail of
 * a ring buffer.) */
static inline void clock_changed(struct operation *o)
{
    struct pf_atomic_cache_entry *neighbour = cache_slot(o->t, o->addr ^ 4);
    uint32_t version = o->stripe->version;
    pf_sync_changed(&o->stripe->lock);
    if (neighbour->addr == (o->addr ^ 4) && neighbour->version == version)
        neighbour->version = version + 1;
}

/* True if there is nothing to acquire, and no release sequence that a store would end. */
static inline bool needs_no_lock(const struct operation *o, unsigned order)
{
    return (op_of(o->packed) != PF_ATOMIC_STORE && is_cached(o, order)) || pf_sync_absent(o->addr);
}

/* The stripe is locked. */
static inline void find_sync(struct operation *o, bool create)
{
    const struct pf_atomic_cache_entry *l = cache_slot(o->t, o->addr);
    o->sync = l->addr == o->addr && l->sync && l->dropped == o->stripe->dropped
                  ? pf_store_at(l->sync)
                  : pf_sync_find(o->addr, create);
}

static inline void take_lock(struct operation *o, bool create)
{
    pf_spin_lock(&o->stripe->lock);
    o->locked = true;
    find_sync(o, create);
}

#endif
