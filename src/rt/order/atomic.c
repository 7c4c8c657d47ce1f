/*
 * Atomic operations with C11's orders. The native operation stands between begin and end, and
 * between them the stripe of the address is held, so the clocks change in the order in which the
 * values do. What does not release takes no lock at an address that nobody ever released to; if
 * somebody does so meanwhile it learns from that, and ends no sequence, for it may have come first.
 *
 * A location's clock is what an acquire load of its present value learns:
 *   store   release: the thread's clock. relaxed: that of the thread's last release fence; but a
 *           store by a thread that heads a release sequence continues it (C11 5.1.2.4), and
 *           with it here those of others, which should end: one clock a location is enough, and
 *           what is left too long is an order too many, never a race too many.
 *   RMW     continues the sequence: the old clock stays, joined with what a store would put there.
 * A relaxed load learns the clock only at the next acquire fence (thread->acquired).
 */
#include "cell.h"
#include "clock.h"
#include "entry.h"
#include "fast_update.h"
#include "hb.h"
#include "listen.h"
#include "oracle_log.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "sync.h"
#include "sys.h"

void pf_signal_poll(struct pf_thread *t) __attribute__((weak));

#define PF_TAIL __attribute__((musttail))

/* One operation under way, in thread-local memory: there is at most one, for a signal's handler
 * waits until the thread has left the runtime. */
struct operation {
    struct pf_thread *t;
    uintptr_t addr;
    struct pf_stripe *stripe; /* of addr */
    struct pf_sync *sync;     /* with the lock: the object, if there is one */
    uint64_t as_learned;      /* WAY_LEARNED: the stripe, while there is nothing to learn */
    uint32_t packed, site;    /* as compiled code hands them over */
    enum way { WAY_LONG, WAY_LEARNED, WAY_ABSENT, WAY_TELLS } way; /* below */
    bool locked;
    bool late; /* the lock was taken after the operation */
    bool checked; /* the access was looked at before the operation */
};
static __thread struct operation current __attribute__((tls_model("initial-exec")));

static unsigned size_of(uint32_t packed) { return packed & 0xff; }
static unsigned op_of(uint32_t packed) { return packed >> 8 & 0xff; }
static unsigned order_of(uint32_t packed) { return packed >> 16 & 0xff; }
static unsigned failure_of(uint32_t packed) { return packed >> 24; }

/* By bits, one for each order. */
static bool is_one_of(unsigned o, unsigned orders) { return orders >> o & 1; }
static bool acquires(unsigned o)
{
    return is_one_of(o, 1 << PF_CONSUME | 1 << PF_ACQUIRE | 1 << PF_ACQ_REL | 1 << PF_SEQ_CST);
}
static bool releases(unsigned o)
{
    return is_one_of(o, 1 << PF_RELEASE | 1 << PF_ACQ_REL | 1 << PF_SEQ_CST);
}

/*
 * Most loads find what they found before: somebody polls. Where the thread has learned what there is to
 * learn, the stripe's version was the same and nobody held it, before the operation and after it, there
 * is no need to lock. The same goes for a counter: an RMW that releases nothing leaves the clock as it is.
 */
static struct pf_learned *learned_slot(struct pf_thread *t, uintptr_t addr)
{
    return &t->learned[(addr >> 2 ^ addr >> 9) % PF_LEARNED];
}

static bool is_as_learned(const struct operation *o, unsigned order)
{
    const struct pf_learned *l = learned_slot(o->t, o->addr);
    return l->addr == o->addr && (l->acquired || !acquires(order)) &&
           __atomic_load_n(&o->stripe->both, __ATOMIC_ACQUIRE) == PF_STRIPE_FREE(l->version);
}

/* The operation is done, the stripe still held, and t knows what there is to learn: all of it, or what awaits its next
 * acquire fence. */
static void note_learned(struct operation *o, bool all)
{
    *learned_slot(o->t, o->addr) = (struct pf_learned){
        o->addr, o->stripe->version, o->sync ? pf_store_name(o->sync) : 0, o->stripe->gone, all};
}

/* The clock of o's atomic has changed, and no other: what t learned of the one beside it (head and tail of a ring) still
 * holds. */
static void change_clock(struct operation *o)
{
    struct pf_learned *beside = learned_slot(o->t, o->addr ^ 4);
    uint32_t version = o->stripe->version;
    pf_sync_changed(&o->stripe->lock);
    if (beside->addr == (o->addr ^ 4) && beside->version == version)
        beside->version = version + 1;
}

/* Nothing is there to be learned, or to be ended by a store. */
static inline bool is_quiet(const struct operation *o, unsigned order)
{
    return (op_of(o->packed) != PF_ATOMIC_STORE && is_as_learned(o, order)) ||
           pf_sync_absent(o->addr);
}

static void take_lock(struct operation *o, bool create)
{
    const struct pf_learned *l = learned_slot(o->t, o->addr);
    pf_spin_lock(&o->stripe->lock);
    o->locked = true;
    o->sync = l->addr == o->addr && l->sync && l->gone == o->stripe->gone
                  ? pf_store_at(l->sync)
                  : pf_sync_find(o->addr, create);
}

/* The access itself, for races with plain ones: of several granules, or in a special mode. */
static __attribute__((noinline)) void check_parts(struct operation *o, bool write)
{
    struct pf_thread *t = o->t;
    for (uintptr_t a = o->addr, end = a + size_of(o->packed); a < end;) {
        unsigned n = 8 - (a & 7);
        if (n > end - a)
            n = (unsigned)(end - a);
        unsigned mask = ((1u << n) - 1) << (a & 7);
        pf_oracle_access(t, a, n, write, true);
        uint64_t mine = pf_stmt_make(t, mask & 0xff, write, true) | pf_stack_id(t, o->site);
        if (t->idle)
            pf_cell_look(t, a, mine, PF_NO_SITE);
        else
            pf_cell_access(t, a, mine, PF_NO_SITE);
        a += n;
    }
}

static bool is_one_granule(uintptr_t addr, uint32_t packed)
{
    return (addr & 7) + size_of(packed) <= 8;
}

static bool is_checked_by_parts(const struct operation *o)
{
    return !is_one_granule(o->addr, o->packed) | pf_rt.careful | o->t->idle;
}

static inline uint64_t statement(const struct pf_thread *t, uintptr_t addr, uint32_t packed,
                                 bool write)
{
    return pf_stmt_make(t, ((1u << size_of(packed)) - 1) << (addr & 7) & 0xff, write, true);
}

/* Is it what the thread did here before, so that its statement of then is renewed? Otherwise false, with nothing done. Of
 * one granule, in no special mode. _quick: where the cell has no record, and the place was needed before; it calls nothing. */
static inline __attribute__((always_inline)) bool
check_quick(struct pf_thread *t, uintptr_t addr, uint32_t packed, uint32_t site, bool write)
{
    uint64_t mine = statement(t, addr, packed, write);
    uint64_t *own = pf_cell_own_atomic(t->clock, pf_cell_of(addr), mine);
    if (!own)
        return false;
    if ((*own ^ mine) & PF_BITS_CLK) {
        uint32_t id = pf_stack_id_known(site);
        if (__builtin_expect(!id, 0))
            return false;
        pf_word_put(own, mine | id);
        t->dirty = true;
    }
    return true;
}

static bool check_record(struct operation *o, bool write)
{
    uint64_t *cell = pf_cell_of(o->addr), s1 = pf_word_get(&cell[1]);
    uint64_t mine = statement(o->t, o->addr, o->packed, write);
    return pf_is_ref(s1) && (pf_record_covers(cell, s1, mine) ||
                             pf_record_renew(o->t->clock, cell, mine | pf_stack_id(o->t, o->site)));
}

static __attribute__((noinline)) void check_long(struct operation *o, bool write)
{
    if (check_record(o, write))
        return;
    struct pf_thread *t = o->t;
    uint64_t *cell = pf_cell_of(o->addr), mine = statement(t, o->addr, o->packed, write);
    if (pf_stmt_covers(pf_word_get(&cell[0]), mine) || pf_stmt_covers(pf_word_get(&cell[1]), mine))
        return;
    mine |= pf_stack_id(t, o->site);
    if (!pf_cell_touch_atomic(t->clock, cell, mine))
        pf_cell_access(t, o->addr, mine, PF_NO_SITE);
}

/* Of one granule, in no special mode. */
static __attribute__((noinline)) void check_usual(struct operation *o, bool write)
{
    if (!check_quick(o->t, o->addr, o->packed, o->site, write))
        PF_TAIL return check_long(o, write);
}

static void check(struct operation *o, bool write)
{
    if (pf_ignores(o->t, write) || !pf_stack_watched())
        return;
    if (__builtin_expect(is_checked_by_parts(o), 0))
        check_parts(o, write);
    else
        check_usual(o, write);
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
 * The ways of an operation. Most are usual: nothing special is going on in their thread, and they are of one granule. One of these
 * that releases nothing, has nothing to learn, to all appearance, and is what the thread did here before takes no lock, and nothing
 * is left to do if that is still so when it is done: WAY_LEARNED, or WAY_ABSENT where nobody ever released. One that
 * releases takes the lock, and tells: WAY_TELLS. All others go the long way. One way is left for another by a tail call,
 * so the short ones save no registers for it; hence parameters that are not used.
 */
static __attribute__((noinline)) void *begin_long(void *addr, uint32_t packed, uint32_t site)
{
    struct operation *o = &current;
    struct pf_thread *t = o->t;
    (void)addr;
    unsigned op = op_of(packed), order = order_of(packed);
    o->way = WAY_LONG;
    o->sync = NULL;
    o->locked = o->late = o->checked = false;
    pf_oracle_begin();
    /* A release must be seen to exist before its value can be. */
    bool release = op != PF_ATOMIC_LOAD && (releases(order) || t->released);
    bool quiet = !release && is_quiet(o, order);
    /* What learns nothing is looked at here, without the lock; not so under the oracle, which wants it late. What has learned
     * all, only if that is no new statement: it may learn something yet. */
    if (!pf_rt.careful) {
        if (op == PF_ATOMIC_STORE || (op == PF_ATOMIC_RMW && !acquires(order))) {
            check(o, true);
            o->checked = true;
        } else if (quiet && op != PF_ATOMIC_CAS) {
            bool write = op == PF_ATOMIC_RMW;
            o->checked = pf_ignores(t, write) || !pf_stack_watched() ||
                         (!is_checked_by_parts(o) &&
                          (check_quick(t, o->addr, packed, site, write) || check_record(o, write)));
        }
    }
    if (!quiet)
        take_lock(o, release);
    return o;
}

static __attribute__((noinline)) void *begin_telling(void *addr, uint32_t packed, uint32_t site)
{
    struct operation *o = operation(__pf_tls.thread, addr, packed, site);
    /* Others write all of these lines: better wait for all at once. */
    pf_prefetch(o->stripe);
    pf_prefetch(pf_cell_of(o->addr));
    pf_prefetch(pf_store_at(learned_slot(o->t, o->addr)->sync));
    o->checked = op_of(packed) == PF_ATOMIC_STORE || !acquires(order_of(packed));
    if (o->checked) /* it learns nothing */
        check_usual(o, true);
    take_lock(o, true);
    o->late = false;
    o->way = o->sync ? WAY_TELLS : WAY_LONG;
    return o;
}

static __attribute__((noinline)) void *begin_unusual(void *addr, uint32_t packed, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (!t) {
        if (pf_event_unseen)
            pf_event_unseen();
        return NULL;
    }
    if (pf_rt.events)
        return pf_event_atomic_begin(addr, packed, site);
    if (t->signals && pf_signal_poll)
        pf_signal_poll(t);
    operation(t, addr, packed, site);
    return begin_long(addr, packed, site);
}

static inline bool is_usual(const struct pf_thread *t, uintptr_t addr, uint32_t packed)
{
    return t && __pf_tls.clock && !__pf_tls.nested && !pf_rt.events && !t->ignore_sync &&
           pf_stack_watched() && is_one_granule(addr, packed);
}

static __attribute__((noinline)) void *begin_quiet(void *addr, uint32_t packed, uint32_t site)
{
    struct pf_thread *t = __pf_tls.thread;
    struct operation *o = operation(t, addr, packed, site);
    uintptr_t a = (uintptr_t)addr;
    const struct pf_learned *l = learned_slot(t, a);
    uint64_t as_learned = PF_STRIPE_FREE(l->version);
    enum way way = WAY_LEARNED;
    if (l->addr != a || (!l->acquired && acquires(order_of(packed))) ||
        __atomic_load_n(&o->stripe->both, __ATOMIC_ACQUIRE) != as_learned) {
        if (!pf_sync_absent(a))
            PF_TAIL return begin_long(addr, packed, site);
        way = WAY_ABSENT;
    }
    if (!check_quick(t, a, packed, site, op_of(packed) == PF_ATOMIC_RMW))
        PF_TAIL return begin_long(addr, packed, site);
    o->as_learned = as_learned;
    o->way = way;
    return o;
}

void *__pf_atomic_begin(void *addr, uint32_t packed, uint32_t site)
{
    const struct pf_thread *t = __pf_tls.thread;
    unsigned op = op_of(packed);
    if (__builtin_expect(!is_usual(t, (uintptr_t)addr, packed), 0))
        PF_TAIL return begin_unusual(addr, packed, site);
    if (op == PF_ATOMIC_LOAD)
        PF_TAIL return begin_quiet(addr, packed, site);
    pf_prefetch(addr); /* the operation itself would wait for it alone */
    if (op != PF_ATOMIC_CAS && releases(order_of(packed)))
        PF_TAIL return begin_telling(addr, packed, site);
    if (op == PF_ATOMIC_RMW && !t->released)
        PF_TAIL return begin_quiet(addr, packed, site);
    operation(__pf_tls.thread, addr, packed, site);
    PF_TAIL return begin_long(addr, packed, site);
}

static void load(struct operation *o, struct pf_sync *s, unsigned order)
{
    struct pf_thread *t = o->t;
    if (!s || !s->clock.n || s->head == t->number + 1) /* the last: all of it is t's own */
        return;
    s->learned = true;
    if (acquires(order)) {
        pf_clock_to_thread(t, &s->clock);
        return;
    }
    if (!t->acquired)
        t->acquired = pf_thread_clock_new();
    if (t->acquired)
        pf_clock_join(t->acquired, s->clock.at, s->clock.n);
}

static void store(struct operation *o, struct pf_sync *s, bool rmw)
{
    struct pf_thread *t = o->t;
    if (!s)
        return;
    uint64_t self = 1ull << (t->number & 63);
    pf_sync_unnumber(s);
    unsigned order = order_of(o->packed);
    if (releases(order)) {
        bool knows = !rmw || s->head == t->number + 1 || acquires(order); /* all that it had */
        if (knows)
            pf_clock_set_thread(&s->clock, t);
        else
            pf_clock_from_thread(&s->clock, t);
        s->heads = rmw ? s->heads | self : self;
        s->head = knows ? t->number + 1 : 0;
        return;
    }
    if (!rmw && !(s->heads & self)) { /* the sequences of others end here */
        s->clock.n = 0;
        s->heads = 0;
        s->head = 0;
    }
    if (t->released) {
        pf_clock_from_array(&s->clock, t->released, PF_SID_MAX + 1);
        s->heads |= self;
        s->head = 0;
    }
}

static void finish(struct operation *o, bool stored)
{
    struct pf_thread *t = o->t;
    unsigned op = op_of(o->packed);
    bool rmw = op == PF_ATOMIC_RMW || op == PF_ATOMIC_CAS;
    unsigned order = op == PF_ATOMIC_CAS && !stored ? failure_of(o->packed) : order_of(o->packed);
    if (!o->locked && !is_quiet(o, order)) { /* somebody released meanwhile */
        take_lock(o, false);
        o->late = true;
    }
    if (op != PF_ATOMIC_STORE && !t->ignore_sync)
        load(o, o->sync, order);
    /* After what it learns, which may order it behind the initialisation; before what it tells. */
    if (!o->checked)
        check(o, stored);
    if (stored && !t->ignore_sync && !o->late)
        store(o, o->sync, rmw);
    if (o->locked) {
        if (stored)
            change_clock(o);
        if (op != PF_ATOMIC_STORE && !t->ignore_sync)
            note_learned(o, acquires(order));
        else if (o->sync && o->sync->head == t->number + 1 && !t->ignore_sync)
            note_learned(o, true); /* it is t's own clock */
        pf_spin_unlock(&o->stripe->lock);
    }
    pf_oracle_event(t, rmw ? "armw" : stored ? "astore" : "aload", o->addr, order << 1 | stored);
    pf_oracle_end();
    if (stored && releases(order))
        pf_epoch_next(t);
}

/* It was quiet, and something has changed meanwhile. */
static void finish_late(struct operation *o, bool stored)
{
    o->sync = NULL;
    o->locked = o->late = false;
    o->checked = true;
    finish(o, stored);
}

/* c := t's, as pf_clock_set_thread does it. */
static inline void set_clock(struct pf_sync *s, struct pf_thread *t)
{
    if (__builtin_expect(s->clock.order != PF_CLOCK_HERE || t->nclock > PF_CLOCK_SMALL, 0)) {
        pf_clock_set_thread(&s->clock, t);
        return;
    }
    pf_clock_copy_even(s->small, t->clock, t->nclock);
    s->clock.n = t->nclock;
    s->small[t->sid] = pf_epoch_published(t);
}

/* What begin_telling began: finish(), where t has the lock, the object and the value of a release. */
static void tell(struct operation *o)
{
    struct pf_thread *t = o->t;
    struct pf_sync *s = o->sync;
    uint32_t own = t->number + 1;
    unsigned order = order_of(o->packed);
    bool rmw = op_of(o->packed) != PF_ATOMIC_STORE, acquired = !rmw || acquires(order);
    uint64_t self = 1ull << (t->number & 63);
    if (rmw) {
        if (s->clock.n && s->head != own)
            load(o, s, order);
        if (!o->checked)
            check_usual(o, true);
    }
    pf_sync_unnumber(s);
    s->heads = rmw ? s->heads | self : self;
    if (acquired || s->head == own) { /* t knows all that it had */
        set_clock(s, t);
        s->head = own;
    } else {
        pf_clock_from_thread(&s->clock, t);
        s->head = 0;
    }
    struct pf_learned *l = learned_slot(t, o->addr), *beside = learned_slot(t, o->addr ^ 4);
    uint32_t version = o->stripe->version;
    if (beside->addr == (o->addr ^ 4) && beside->version == version)
        beside->version = version + 1;
    *l = (struct pf_learned){o->addr, version + 1, pf_store_name(s), o->stripe->gone, acquired};
    __atomic_store_n(&o->stripe->both, PF_STRIPE_FREE(version + 1), __ATOMIC_RELEASE);
    pf_epoch_next(t);
}

static inline void leave(struct pf_thread *t)
{
    pf_unnest();
    if (__builtin_expect(t->signals != NULL, 0) && pf_signal_poll)
        pf_signal_poll(t);
}

static __attribute__((noinline)) void end_long(struct operation *o, bool stored)
{
    if (o->way == WAY_TELLS && stored)
        tell(o);
    else if (o->way == WAY_TELLS || o->way == WAY_LONG)
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
    if (__builtin_expect(pf_rt.events, 0)) {
        pf_event_atomic_end(handle, stored);
        return;
    }
    if (o->way == WAY_LEARNED ? __atomic_load_n(&o->stripe->both, __ATOMIC_ACQUIRE) == o->as_learned
                              : o->way == WAY_ABSENT && pf_sync_absent(o->addr))
        leave(o->t);
    else
        end_long(o, stored);
}

static void order_by_fence(struct pf_thread *t, unsigned order)
{
    pf_oracle_begin();
    pf_oracle_event(t, "fence", order, 0);
    if (acquires(order) && t->acquired) {
        pf_clock_join(t->clock, t->acquired, PF_SID_MAX + 1);
        pf_clock_grew(t);
        t->nclock = PF_SID_MAX + 1;
        while (t->nclock > 1 && !t->clock[t->nclock - 1])
            t->nclock--;
    }
    if (releases(order)) {
        if (!t->released)
            t->released = pf_thread_clock_new();
        if (t->released) {
            pf_clock_copy(t->released, t->clock, PF_SID_MAX + 1);
            t->released[t->sid] = pf_epoch_published(t);
        }
        pf_epoch_next(t);
    }
    pf_oracle_end();
}

void __pf_fence(uint32_t order, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (!t) {
        if (pf_event_unseen)
            pf_event_unseen();
        return;
    }
    if (__builtin_expect(pf_rt.events, 0)) {
        pf_event_fence(order, site);
        return;
    }
    pf_nest();
    order_by_fence(t, order);
    pf_unnest();
}
