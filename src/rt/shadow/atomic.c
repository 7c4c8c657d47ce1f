/*
 * atomic.c - atomic operations with C11's memory orders. Fences are in atomic_fence.c.
 *
 * The native operation is executed between begin and end. In between the stripe of the address is
 * locked, so that clocks change in the same order as values. An operation that does not release
 * takes no lock if the thread has nothing to acquire at this address (see "The paths" below). If
 * another thread releases to the address meanwhile, it is unknown which of the two came first. The
 * operation then acquires that release, and ends no release sequence.
 *
 * The clock of a location is what an acquire load of its current value acquires:
 *   store   release: the thread's clock. relaxed: the clock at the thread's last release fence. A
 *           store by a thread that heads a release sequence continues that sequence (C11 5.1.2.4).
 *           Here it also continues the sequences of other threads, which C11 would end, because
 *           there is only one clock per location. That adds order, so it never invents a race.
 *   RMW     continues the sequence: the old clock stays, joined with what a store would put there.
 * A relaxed load acquires the clock only at the next acquire fence (`pending_acquire` in
 * thread_shadow.h).
 */
#include "atomic_operation.h"
#include "cell.h"
#include "clock.h"
#include "entry.h"
#include "fast_update.h"
#include "hb.h"
#include "hooks.h"
#include "listener.h"
#include "lock_unwatched.h"
#include "memory_ops.h"
#include "memory_order.h"
#include "oracle_log.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "sync.h"
#include "sys.h"

#define PF_TAIL __attribute__((musttail))

/* Checks the access for races with plain accesses: the general form, for several granules and for
 * special modes. */
static __attribute__((noinline)) void check_by_granule(struct operation *o, bool write)
{
    struct pf_thread *t = o->t;
    for (uintptr_t a = o->addr, end = a + size_of(o->packed); a < end;) {
        unsigned n = 8 - (a & 7);
        if (n > end - a)
            n = (unsigned)(end - a);
        unsigned mask = ((1u << n) - 1) << (a & 7);
        pf_oracle_access(t, a, n, write, true);
        uint64_t mine = pf_access_make(t, mask & 0xff, write, true) | pf_stack_id(t, o->site);
        if (t->check_only)
            pf_cell_check_only(t, a, mine, PF_NO_SITE);
        else
            pf_cell_access(t, a, mine, PF_NO_SITE);
        a += n;
    }
}

static bool is_one_granule(uintptr_t addr, uint32_t packed)
{
    return (addr & 7) + size_of(packed) <= 8;
}

static bool is_checked_by_granule(const struct operation *o)
{
    return !is_one_granule(o->addr, o->packed) | pf_rt.slow_path_only | o->t->check_only;
}

static inline uint64_t access_record(const struct pf_thread *t, uintptr_t addr, uint32_t packed,
                                     bool write)
{
    return pf_access_make(t, ((1u << size_of(packed)) - 1) << (addr & 7) & 0xff, write, true);
}

/* Checks an access to one granule, in no special mode, that repeats an earlier access of the
 * thread: its access record is refreshed in place. Returns false, with nothing done, if it is not
 * such an access. check_fast makes no calls: it is for cells without a spill, and ids that are
 * cached. check_spill is for cells with a spill. */
static inline __attribute__((always_inline)) bool
check_fast(struct pf_thread *t, uintptr_t addr, uint32_t packed, uint32_t site, bool write)
{
    uint64_t mine = access_record(t, addr, packed, write);
    uint64_t *own = pf_cell_find_own_atomic(t->order.clock, pf_cell_of(addr), mine);
    if (!own)
        return false;
    if ((*own ^ mine) & PF_BITS_CLK) {
        uint32_t id = pf_stack_id_resolved(site);
        if (__builtin_expect(!id, 0))
            return false;
        pf_word_put(own, mine | id);
        t->order.dirty = true;
    }
    return true;
}

static bool check_spill(struct operation *o, bool write)
{
    uint64_t *cell = pf_cell_of(o->addr), s1 = pf_word_get(&cell[1]);
    uint64_t mine = access_record(o->t, o->addr, o->packed, write);
    return pf_word_is_ref(s1) &&
           (pf_spill_covers(cell, s1, mine) ||
            pf_spill_refresh(o->t->order.clock, cell, mine | pf_stack_id(o->t, o->site)));
}

static __attribute__((noinline)) void check_slow(struct operation *o, bool write)
{
    if (check_spill(o, write))
        return;
    struct pf_thread *t = o->t;
    uint64_t *cell = pf_cell_of(o->addr), mine = access_record(t, o->addr, o->packed, write);
    if (pf_access_covers(pf_word_get(&cell[0]), mine) ||
        pf_access_covers(pf_word_get(&cell[1]), mine))
        return;
    mine |= pf_stack_id(t, o->site);
    if (!pf_cell_fast_update_atomic(t->order.clock, cell, mine))
        pf_cell_access(t, o->addr, mine, PF_NO_SITE);
}

/* For one granule, in no special mode. */
static __attribute__((noinline)) void check_common(struct operation *o, bool write)
{
    if (!check_fast(o->t, o->addr, o->packed, o->site, write))
        PF_TAIL return check_slow(o, write);
}

static void check(struct operation *o, bool write)
{
    if (pf_ignores(o->t, write) || !pf_stack_watched())
        return;
    if (__builtin_expect(is_checked_by_granule(o), 0))
        check_by_granule(o, write);
    else
        check_common(o, write);
}

static inline struct operation *operation(struct pf_thread *t, void *addr, uint32_t packed,
                                          uint32_t site)
{
    struct operation *o = &current;
    pf_nest();
    o->t = t;
    o->addr = (uintptr_t)addr;
    o->stripe = pf_sync_stripe((uintptr_t)addr);
    o->packed = packed;
    o->site = site;
    return o;
}

/*
 * The paths of an operation. Most operations are common ones (is_common): they access one granule,
 * and nothing special is going on in the thread. A common operation takes no lock if it does not
 * release, has nothing to acquire as far as can be seen, and repeats an earlier access of the
 * thread. If that still holds after the operation, nothing is left to do. This is PATH_CACHED, or
 * PATH_ABSENT where no thread ever released to the address. A common operation that releases locks
 * the stripe and publishes: PATH_RELEASE. All others take PATH_SLOW, or PATH_EVENT in event mode.
 * One path continues in another by a tail call, so that the short ones need not save registers for
 * it; hence the unused parameters.
 */
static __attribute__((noinline)) void *begin_slow(void *addr, uint32_t packed, uint32_t site)
{
    struct operation *o = &current;
    struct pf_thread *t = o->t;
    (void)addr;
    unsigned op = op_of(packed), order = order_of(packed);
    o->path = PATH_SLOW;
    o->sync = NULL;
    o->locked = o->late = o->checked = false;
    pf_oracle_begin();
    /* The object of a release must exist before another thread can read the value. */
    bool release = op != PF_ATOMIC_LOAD && (pf_order_releases(order) || t->shadow.release_fence);
    bool lock_free = !release && needs_no_lock(o, order);
    /* An operation that never acquires is checked here, before the lock is taken. One that has
     * nothing to acquire so far is checked here only if its record can be refreshed in place. All
     * others are checked at the end, as are all operations in special modes. */
    if (!pf_rt.slow_path_only) {
        if (op == PF_ATOMIC_STORE || (op == PF_ATOMIC_RMW && !pf_order_acquires(order))) {
            check(o, true);
            o->checked = true;
        } else if (lock_free && op != PF_ATOMIC_CAS) {
            bool write = op == PF_ATOMIC_RMW;
            o->checked = pf_ignores(t, write) || !pf_stack_watched() ||
                         (!is_checked_by_granule(o) &&
                          (check_fast(t, o->addr, packed, site, write) || check_spill(o, write)));
        }
    }
    if (!lock_free)
        take_lock(o, release);
    return o;
}

static __attribute__((noinline)) void *begin_release(void *addr, uint32_t packed, uint32_t site)
{
    struct operation *o = operation(__pf_tls.thread, addr, packed, site);
    /* Other threads write all of these cache lines: wait for all of them at once. */
    pf_prefetch(o->stripe);
    pf_prefetch(pf_cell_of(o->addr));
    pf_prefetch(pf_store_at(cache_slot(o->t, o->addr)->sync));
    o->checked = op_of(packed) == PF_ATOMIC_STORE || !pf_order_acquires(order_of(packed));
    if (o->checked) /* it acquires nothing */
        check_common(o, true);
    take_lock(o, true);
    o->late = false;
    o->path = o->sync ? PATH_RELEASE : PATH_SLOW;
    return o;
}

void *pf_atomic_begin_checked(struct pf_thread *t, void *addr, uint32_t packed, uint32_t site)
{
    if (t->signals)
        pf_hooks.signal_poll(t);
    operation(t, addr, packed, site);
    if (__builtin_expect(t->order.locks_stale, 0) && pf_stack_watched())
        pf_lockset_refresh(t);
    return begin_slow(addr, packed, site);
}

void *pf_atomic_begin_event(struct pf_thread *t, void *addr, uint32_t packed, uint32_t site)
{
    (void)t;
    pf_hooks.atomic_begin(addr, packed, site);
    current.path = PATH_EVENT;
    return &current;
}

/* False in event mode, where threads have no clock (slot.c). */
static inline bool is_common(const struct pf_thread *t, uintptr_t addr, uint32_t packed)
{
    return t && __pf_tls.clock && !__pf_tls.nested && !t->ignore_sync && pf_stack_watched() &&
           is_one_granule(addr, packed);
}

/* watched: the access is checked, too. */
static inline __attribute__((always_inline)) void *lock_free(void *addr, uint32_t packed,
                                                             uint32_t site, bool watched)
{
    struct pf_thread *t = __pf_tls.thread;
    struct operation *o = operation(t, addr, packed, site);
    uintptr_t a = (uintptr_t)addr;
    const struct pf_stripe *stripe = pf_sync_stripe(a);
    const struct pf_atomic_cache_entry *l = cache_slot(t, a);
    uint64_t expected_word = PF_STRIPE_FREE(l->version);
    enum path path = PATH_CACHED;
    if (l->addr != a || (!l->acquired && pf_order_acquires(order_of(packed))) ||
        __atomic_load_n(&stripe->word, __ATOMIC_ACQUIRE) != expected_word) {
        if (!pf_sync_absent(a))
            return begin_slow(addr, packed, site);
        path = PATH_ABSENT;
    }
    if (watched && !check_fast(t, a, packed, site, op_of(packed) == PF_ATOMIC_RMW))
        return begin_slow(addr, packed, site);
    o->expected_word = expected_word;
    o->path = path;
    return o;
}
static __attribute__((noinline)) void *begin_lock_free(void *addr, uint32_t packed, uint32_t site)
{
    return lock_free(addr, packed, site, true);
}

/*
 * While sampling: an operation of unwatched code that may change the clock of its atomic, with the
 * stripe locked. It changes nothing if the clock is equal to that of t, as their ids say, if t
 * heads one of the release sequences (an RMW that does not release needs no head), and, for a
 * release, if t has made no access records since it published that clock:
 *   release  a store would set the clock to t's own, which it is already, and an RMW would join
 *            t's clock, which is in it. (A store would also leave t as the only head. More heads
 *            only mean that later relaxed stores continue the sequence.)
 *   relaxed  a store by a head continues the sequence, an RMW always does.
 *   acquire  of the clock that t has already: also if a CAS fails.
 * The native operation still happens while the stripe is locked: another thread could otherwise
 * replace the clock between this test and the operation. What t then releases would be missing in
 * the clock when a third thread reads the value, and after the operation it is too late to add it.
 * A lock that nobody else holds costs no more instructions than a second test would.
 */
static inline bool is_unchanged(const struct pf_thread *t, const struct pf_sync *s, uint32_t packed)
{
    bool release = pf_order_releases(order_of(packed));
    return pf_unwatched_same_clock(t, s) && !(release && t->order.dirty) &&
           ((s->sequence_heads >> (t->number & 63) & 1) ||
            (!release && op_of(packed) != PF_ATOMIC_STORE));
}

/* The stripe is locked: looks the object up, and decides what is to be done after the native
 * operation. */
static __attribute__((noinline)) void *unwatched_locked(void *addr, uint32_t packed, uint32_t site)
{
    struct operation *o = &current;
    bool release = pf_order_releases(order_of(packed));
    (void)site;
    find_sync(o, release);
    if (is_unchanged(o->t, o->sync, packed)) {
        cache_put(o, true); /* equal clocks: t has acquired this one */
        o->path = PATH_SAME;
        return o;
    }
    (void)addr;
    o->late = false;
    o->checked = true;
    o->path = o->sync && release ? PATH_RELEASE : PATH_SLOW;
    return o;
}

static __attribute__((noinline)) void *unwatched_contended(void *addr, uint32_t packed,
                                                           uint32_t site)
{
    pf_spin_lock(&current.stripe->lock);
    return unwatched_locked(addr, packed, site);
}

/* An operation that may change the clock. */
static __attribute__((noinline)) void *unwatched_store(void *addr, uint32_t packed, uint32_t site)
{
    struct pf_thread *t = __pf_tls.thread;
    uintptr_t a = (uintptr_t)addr;
    struct operation *o = operation(t, addr, packed, site);
    if (!pf_order_releases(order_of(packed))) {
        if (t->shadow.release_fence)
            PF_TAIL return begin_slow(addr, packed, site);
        if (pf_sync_absent(a)) {
            o->path = PATH_ABSENT;
            return o;
        }
    }
    struct pf_stripe *stripe = pf_sync_stripe(a);
    struct pf_atomic_cache_entry *l = cache_slot(t, a);
    struct pf_sync *s = pf_store_at(l->sync);
    pf_prefetch(s);
    o->locked = true;
    if (!pf_spin_try(&stripe->lock))
        PF_TAIL return unwatched_contended(addr, packed, site);
    if (l->addr != a || !l->sync || l->dropped != stripe->dropped || !is_unchanged(t, s, packed))
        PF_TAIL return unwatched_locked(addr, packed, site);
    l->version = stripe->version;
    l->acquired = true; /* the clocks are equal */
    o->path = PATH_SAME;
    return o;
}

/* A load, or an RMW that does not release. */
static __attribute__((noinline)) void *unwatched_load(void *addr, uint32_t packed, uint32_t site)
{
    return lock_free(addr, packed, site, false);
}

static __attribute__((noinline)) void *begin_special(void *addr, uint32_t packed, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (t)
        return pf_memory_ops.atomic_begin(t, addr, packed, site);
    pf_hooks.event_in_runtime();
    return NULL;
}

/* While sampling: an operation of unwatched code, which is ordered, but not checked. */
static __attribute__((noinline)) void *begin_unwatched(void *addr, uint32_t packed, uint32_t site)
{
    const struct pf_thread *t = __pf_tls.thread; /* which is in unwatched code */
    unsigned op = op_of(packed);
    if (!t->order.may_order_unwatched || __pf_tls.nested ||
        !is_one_granule((uintptr_t)addr, packed))
        PF_TAIL return begin_special(addr, packed, site);
    if (op == PF_ATOMIC_LOAD ||
        (op == PF_ATOMIC_RMW && !pf_order_releases(order_of(packed)) && !t->shadow.release_fence))
        PF_TAIL return unwatched_load(addr, packed, site);
    PF_TAIL return unwatched_store(addr, packed, site);
}

void *__pf_atomic_begin(void *addr, uint32_t packed, uint32_t site)
{
    const struct pf_thread *t = __pf_tls.thread;
    unsigned op = op_of(packed);
    if (__builtin_expect(t && !pf_stack_watched(), 0))
        PF_TAIL return begin_unwatched(addr, packed, site);
    if (__builtin_expect(!is_common(t, (uintptr_t)addr, packed), 0))
        PF_TAIL return begin_special(addr, packed, site);
    if (op == PF_ATOMIC_LOAD)
        PF_TAIL return begin_lock_free(addr, packed, site);
    pf_prefetch(addr); /* else the operation itself would wait for this line separately */
    if (op != PF_ATOMIC_CAS && pf_order_releases(order_of(packed)))
        PF_TAIL return begin_release(addr, packed, site);
    if (op == PF_ATOMIC_RMW && !t->shadow.release_fence)
        PF_TAIL return begin_lock_free(addr, packed, site);
    operation(__pf_tls.thread, addr, packed, site);
    PF_TAIL return begin_slow(addr, packed, site);
}

static void load(struct operation *o, struct pf_sync *s, unsigned order)
{
    struct pf_thread *t = o->t;
    /* in the last case the clock is t's own */
    if (!s || !s->clock.n || s->sole_releaser == t->number + 1)
        return;
    s->acquired_by_other = true;
    if (pf_order_acquires(order)) {
        pf_clock_to_thread(t, &s->clock);
        if (__builtin_expect(s->clock_id != 0, 0))
            pf_clock_unify_ids(t, s);
        return;
    }
    if (!t->shadow.pending_acquire)
        t->shadow.pending_acquire = pf_clock_new();
    if (t->shadow.pending_acquire)
        pf_clock_join(t->shadow.pending_acquire, s->clock.at, s->clock.n);
}

static void store(struct operation *o, struct pf_sync *s, bool rmw)
{
    struct pf_thread *t = o->t;
    if (!s)
        return;
    uint64_t self = 1ull << (t->number & 63);
    unsigned order = order_of(o->packed);
    if (pf_order_releases(order)) {
        pf_sync_clear_clock_id(s);
        /* t has seen everything that stays in the clock of s */
        bool includes_all = !rmw || s->sole_releaser == t->number + 1 || pf_order_acquires(order);
        if (includes_all)
            pf_clock_set_thread(&s->clock, t);
        else
            pf_clock_from_thread(&s->clock, t);
        s->sequence_heads = rmw ? s->sequence_heads | self : self;
        s->sole_releaser = includes_all ? t->number + 1 : 0;
        return;
    }
    if (!rmw && !(s->sequence_heads & self)) { /* the sequences of other threads end here */
        pf_sync_clear_clock_id(s);
        s->clock.n = 0;
        s->sequence_heads = 0;
        s->sole_releaser = 0;
    }
    if (t->shadow.release_fence) {
        pf_sync_clear_clock_id(s);
        pf_clock_from_array(&s->clock, t->shadow.release_fence, PF_SID_MAX + 1);
        s->sequence_heads |= self;
        s->sole_releaser = 0;
    }
}

static void finish(struct operation *o, bool stored)
{
    struct pf_thread *t = o->t;
    unsigned op = op_of(o->packed);
    bool rmw = op == PF_ATOMIC_RMW || op == PF_ATOMIC_CAS;
    unsigned order = op == PF_ATOMIC_CAS && !stored ? failure_of(o->packed) : order_of(o->packed);
    if (!o->locked && !needs_no_lock(o, order)) { /* another thread released meanwhile */
        take_lock(o, false);
        o->late = true;
    }
    if (op != PF_ATOMIC_STORE && !t->ignore_sync)
        load(o, o->sync, order);
    /* After the acquire, which may order the access after the initialisation of the variable;
     * before the release. */
    if (!o->checked)
        check(o, stored);
    if (stored && !t->ignore_sync && !o->late)
        store(o, o->sync, rmw);
    if (o->locked) {
        if (stored)
            clock_changed(o);
        if (op != PF_ATOMIC_STORE && !t->ignore_sync)
            cache_put(o, pf_order_acquires(order));
        else if (o->sync && o->sync->sole_releaser == t->number + 1 && !t->ignore_sync)
            cache_put(o, true); /* the clock is t's own */
        pf_spin_unlock(&o->stripe->lock);
    }
    pf_oracle_event(t, rmw ? "armw" : stored ? "astore" : "aload", o->addr, order << 1 | stored);
    pf_oracle_end();
    if (stored && pf_order_releases(order))
        pf_epoch_next(t);
}

/* The operation took no lock, and something changed meanwhile. */
static void finish_late(struct operation *o, bool stored)
{
    o->sync = NULL;
    o->locked = o->late = false;
    o->checked = true;
    finish(o, stored);
}

/* s->clock := t's clock, a fast path of pf_clock_set_thread. */
static inline void set_clock(struct pf_sync *s, struct pf_thread *t)
{
    if (__builtin_expect(s->clock.order != PF_CLOCK_INLINE || t->order.nclock > PF_CLOCK_INLINE_MAX,
                         0)) {
        pf_clock_set_thread(&s->clock, t);
        return;
    }
    pf_clock_copy_even(s->small, t->order.clock, t->order.nclock);
    s->clock.n = t->order.nclock;
    s->small[t->order.sid] = pf_epoch_publish(t);
}

/* While sampling: finishes a release that changes nothing, because t has no access records of this
 * epoch, the object has t's clock, and t heads one of its release sequences. Otherwise returns
 * false, and the clock has no id any more. */
static __attribute__((noinline)) bool finish_published(struct operation *o, bool acquired)
{
    struct pf_sync *s = o->sync;
    const struct pf_thread *t = o->t;
    if (!pf_unwatched_same_clock(t, s) || t->order.dirty ||
        !(s->sequence_heads >> (t->number & 63) & 1)) {
        pf_sync_clear_clock_id(s);
        return false;
    }
    cache_put(o, acquired);
    pf_spin_unlock(&o->stripe->lock);
    return true;
}

/* The clock of s has been set to that of t. */
static __attribute__((noinline)) void set_clock_id(struct pf_sync *s, struct pf_thread *t)
{
    if (t->order.dirty)
        return;
    t->order.clock_id = pf_clock_id(t);
    __atomic_store_n(&s->clock_id, t->order.clock_id, __ATOMIC_RELAXED);
}

/* Finishes what begin_release began: finish() for a release, with the stripe locked and the object
 * found. */
static void finish_release(struct operation *o)
{
    struct pf_thread *t = o->t;
    struct pf_sync *s = o->sync;
    uint32_t own = t->number + 1;
    unsigned order = order_of(o->packed);
    bool rmw = op_of(o->packed) != PF_ATOMIC_STORE, acquired = !rmw || pf_order_acquires(order);
    uint64_t self = 1ull << (t->number & 63);
    if (rmw) {
        if (s->clock.n && s->sole_releaser != own)
            load(o, s, order);
        if (!o->checked)
            check_common(o, true);
    }
    if (__builtin_expect(s->clock_id != 0, 0) && finish_published(o, acquired))
        return;
    s->sequence_heads = rmw ? s->sequence_heads | self : self;
    if (acquired || s->sole_releaser == own) { /* t has acquired everything in the clock */
        set_clock(s, t);
        s->sole_releaser = own;
        if (__builtin_expect(pf_rt.sampling, 0))
            set_clock_id(s, t);
    } else {
        pf_clock_from_thread(&s->clock, t);
        s->sole_releaser = 0;
    }
    struct pf_atomic_cache_entry *l = cache_slot(t, o->addr),
                                 *neighbour = cache_slot(t, o->addr ^ 4);
    uint32_t version = o->stripe->version;
    if (neighbour->addr == (o->addr ^ 4) && neighbour->version == version)
        neighbour->version = version + 1;
    *l = (struct pf_atomic_cache_entry){o->addr, version + 1, pf_store_handle(s),
                                        o->stripe->dropped, acquired};
    __atomic_store_n(&o->stripe->word, PF_STRIPE_FREE(version + 1), __ATOMIC_RELEASE);
    pf_epoch_next(t);
}

static inline void leave(struct pf_thread *t)
{
    pf_unnest();
    if (__builtin_expect(t->signals != NULL, 0))
        pf_hooks.signal_poll(t);
}

static __attribute__((noinline)) void end_slow(struct operation *o, bool stored)
{
    if (o->path == PATH_EVENT) {
        pf_hooks.atomic_end(stored);
        return;
    }
    if (o->path == PATH_RELEASE && stored)
        finish_release(o);
    else if (o->path == PATH_RELEASE || o->path == PATH_SLOW)
        finish(o, stored);
    else
        finish_late(o, stored);
    leave(o->t);
}

void __pf_atomic_end(void *handle, uint32_t stored)
{
    struct operation *o = handle;
    if (!o)
        return;
    if (o->path == PATH_SAME) {
        pf_spin_unlock(&o->stripe->lock);
        leave(o->t);
    } else if (o->path == PATH_CACHED
                   ? __atomic_load_n(&o->stripe->word, __ATOMIC_ACQUIRE) == o->expected_word
                   : o->path == PATH_ABSENT && pf_sync_absent(o->addr))
        leave(o->t);
    else
        end_slow(o, stored);
}
