/*
 * wrap_barrier.c - pthread_barrier_*: in one round every arrival happens before every departure,
 * and nothing more.
 *
 * Each round has its own clock: a departure acquires the arrivals of its own round only. With one
 * clock for all rounds, a slow thread that leaves this round would also acquire the arrival of a
 * fast thread in the next round. Our own count of arrivals, made just before the real wait, decides
 * which round a thread belongs to. If more threads use the barrier than it holds, a thread that was
 * counted for the next round could overtake one of this round on the way into the real wait. So it
 * is held back until this round is known to be complete; the real barrier would have made it wait
 * too.
 *
 * The arrivals at a barrier shared between processes cannot be counted here, and the size of one
 * that was initialised before the runtime started is unknown: for these, each arrival happens
 * before every later departure.
 */
#include "global_order.h"
#include "hb.h"
#include "spin.h"
#include "store.h"
#include "sync_misuse.h"
#include "thread_record.h"
#include "wrap_lock.h"
#include <linux/futex.h>

struct round {
    struct pf_hb_clock *clock;
    uint32_t number, arrived, departed;
    bool fresh; /* no thread's clock is in it yet */
    struct round *next; /* in the list of spare rounds */
};

struct barrier {
    const void *addr;
    struct barrier *next; /* in the map */
    struct pf_spin lock;
    uint32_t size, rounds; /* rounds begun */
    uint32_t complete;     /* rounds that some thread has left; a futex */
    uint32_t refs;         /* the map, and each thread that is inside */
    struct round *filling, *spare;
};

#define BUCKETS 256u /* of the map */

static struct pf_spin map_lock;
static struct barrier *map[BUCKETS];

void pf_barrier_lock(void) { pf_spin_lock(&map_lock); }
void pf_barrier_unlock(void) { pf_spin_unlock(&map_lock); }

_Static_assert(BUCKETS == 1u << (64 - 56), "the shift gives an index");
static struct barrier **bucket(const void *addr)
{
    return &map[(uintptr_t)addr * 0x9e3779b97f4a7c15u >> 56];
}

static void unref(struct barrier *b)
{
    if (__atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL))
        return;
    for (struct round *r = b->spare, *next; r; r = next) {
        next = r->next;
        pf_hb_clock_free(r->clock);
        pf_store_free(r, 0);
    }
    pf_store_free(b, 1);
}

/* Removes the barrier from the map; it is freed when the last thread has left it. */
static void map_remove(const void *addr)
{
    pf_spin_lock(&map_lock);
    struct barrier **p = bucket(addr);
    while (*p && (*p)->addr != addr)
        p = &(*p)->next;
    struct barrier *b = *p;
    if (b)
        *p = b->next;
    pf_spin_unlock(&map_lock);
    if (b)
        unref(b);
}

static void map_add(const void *addr, uint32_t size)
{
    _Static_assert(sizeof(struct barrier) <= 128 && sizeof(struct round) <= 64, "block sizes");
    struct barrier *b = pf_store_alloc(1);
    if (!b)
        return;
    *b = (struct barrier){.addr = addr, .size = size, .refs = 1};
    pf_spin_lock(&map_lock);
    b->next = *bucket(addr);
    *bucket(addr) = b;
    pf_spin_unlock(&map_lock);
}

PF_INTERPOSE(int, pthread_barrier_init,
             (pthread_barrier_t *restrict addr, const pthread_barrierattr_t *restrict attr,
              unsigned size))
{
    PF_CALL(c, pthread_barrier_init);
    pf_sync_check_reset(&c, addr, "a barrier is initialised while a thread waits on it");
    pf_object_reset(&c, addr);
    int r = PF_REAL(pthread_barrier_init)(addr, attr, size);
    if (!c.t || r != 0)
        return r;
    map_remove(addr);
    pf_hb_forget(addr, sizeof *addr);
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attr)
        pthread_barrierattr_getpshared(attr, &shared);
    if (shared == PTHREAD_PROCESS_PRIVATE)
        map_add(addr, size);
    return 0;
}

PF_INTERPOSE(int, pthread_barrier_destroy, (pthread_barrier_t * addr))
{
    PF_CALL(c, pthread_barrier_destroy);
    pf_sync_check_reset(&c, addr, "a barrier is destroyed while a thread waits on it");
    pf_object_reset(&c, addr);
    int r = PF_REAL(pthread_barrier_destroy)(addr);
    if (c.t && r == 0) {
        map_remove(addr);
        pf_hb_forget(addr, sizeof *addr);
    }
    return r;
}

static struct round *round_new(struct barrier *b)
{
    struct round *r = b->spare;
    struct pf_hb_clock *clock = NULL;
    if (r) {
        b->spare = r->next;
        clock = r->clock;
    } else {
        r = pf_store_alloc(0);
        if (!r)
            return NULL;
        clock = pf_hb_clock_new();
    }
    *r = (struct round){.clock = clock, .number = b->rounds++, .fresh = true};
    return r;
}

/* Counts the calling thread, and joins its clock into that of the round. NULL: the barrier is
 * unknown. Unwatched threads (t is NULL) are counted too. */
static struct barrier *arrive(const struct pf_call *c, const void *addr, struct round **out)
{
    struct pf_thread *t = c->t;
    pf_spin_lock(&map_lock);
    struct barrier *b = *bucket(addr);
    while (b && b->addr != addr)
        b = b->next;
    if (b)
        __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);
    pf_spin_unlock(&map_lock);
    if (!b)
        return NULL;
    pf_spin_lock(&b->lock);
    struct round *r = b->filling;
    if (!r)
        r = b->filling = round_new(b);
    if (r) {
        if (t)
            pf_hb_clock_release_of(t, r->clock, addr, r->fresh);
        r->fresh &= !t;
        if (++r->arrived == b->size) {
            b->filling = NULL;
            pf_sync_woken(c, addr, true);
        }
    }
    pf_spin_unlock(&b->lock);
    *out = r;
    if (r)
        return b;
    unref(b);
    return NULL;
}

static void depart(struct pf_thread *t, struct barrier *b, struct round *r)
{
    if (t && !r->fresh) {
        pf_hb_clock_acquire_of(t, r->clock, b->addr);
        pf_global_order_expect(t);
    }
    pf_spin_lock(&b->lock);
    if ((int32_t)(b->complete - r->number) <= 0) {
        __atomic_store_n(&b->complete, r->number + 1, __ATOMIC_SEQ_CST);
        pf_target_futex(&b->complete, FUTEX_WAKE_PRIVATE, INT32_MAX);
    }
    if (++r->departed == b->size) {
        r->next = b->spare;
        b->spare = r;
    }
    pf_spin_unlock(&b->lock);
    unref(b);
}

PF_REAL_EXTERN(pthread_barrier_wait);

static int wait_in_turn(struct barrier *b, const struct round *r, pthread_barrier_t *addr)
{
    uint32_t complete;
    while (b && (complete = __atomic_load_n(&b->complete, __ATOMIC_SEQ_CST),
                 (int32_t)(complete - r->number) < 0))
        pf_target_futex(&b->complete, FUTEX_WAIT_PRIVATE, complete);
    return PF_REAL(pthread_barrier_wait)(addr);
}

PF_INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * addr))
{
    PF_CALL(c, pthread_barrier_wait);
    pf_object_used(&c, addr);
    PF_WAITING(&c, addr, NULL);
    struct round *round;
    struct barrier *b = arrive(&c, addr, &round);
    if (!b && c.t)
        pf_hb_release(c.t, addr);
    int r = c.t ? PF_BLOCKING(c, wait_in_turn(b, round, addr)) : wait_in_turn(b, round, addr);
    if (b)
        depart(c.t, b, round);
    else if (c.t)
        pf_hb_acquire(c.t, addr);
    return r;
}
