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
#include "hb.h"
#include "listen.h"
#include "oracle.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "sync.h"
#include "touch.h"

void pf_signal_poll(struct pf_thread *t) __attribute__((weak));

/* One operation under way, in thread-local memory: there is at most one, for a signal's handler
 * waits until the thread has left the runtime. */
struct operation {
    struct pf_thread *t;
    uintptr_t addr;
    struct pf_stripe *stripe; /* of addr */
    struct pf_sync *sync;     /* with the lock: the object, if there is one */
    uint32_t site;
    uint8_t size, op, order, failure;
    bool quiet;   /* no lock was needed, if nothing changes meanwhile */
    bool locked;
    bool late;    /* the lock was taken after the operation */
    bool checked; /* the access was looked at before the operation */
};
static __thread struct operation current __attribute__((tls_model("initial-exec")));

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
           !__atomic_load_n(&o->stripe->lock.taken, __ATOMIC_ACQUIRE) &&
           __atomic_load_n(&o->stripe->version, __ATOMIC_ACQUIRE) == l->version;
}

/* The operation is done, the stripe still held, and t knows what there is to learn: all of it, or what awaits its next
 * acquire fence. */
static void note_learned(struct operation *o, bool all)
{
    *learned_slot(o->t, o->addr) = (struct pf_learned){o->addr, o->stripe->version, all};
}

/* The clock of o's atomic has changed, and no other: what t learned of the one beside it (head and tail of a ring) still
 * holds. */
static void change_clock(struct operation *o)
{
    struct pf_learned *beside = learned_slot(o->t, o->addr ^ 4);
    uint32_t version = o->stripe->version;
    pf_sync_changed(&o->stripe->lock);
    if (beside->addr == (o->addr ^ 4) && beside->version == version)
        beside->version = o->stripe->version;
}

/* Nothing is there to be learned, or to be ended by a store. */
static inline bool is_quiet(const struct operation *o, unsigned order)
{
    return (o->op != PF_ATOMIC_STORE && is_as_learned(o, order)) || pf_sync_absent(o->addr);
}

static void take_lock(struct operation *o, bool create)
{
    pf_spin_lock(&o->stripe->lock);
    o->locked = true;
    o->sync = pf_sync_find(o->addr, create);
}

/* The access itself, for races with plain ones: of several granules, or in a special mode. */
static __attribute__((noinline)) void check_parts(struct operation *o, bool write)
{
    struct pf_thread *t = o->t;
    for (uintptr_t a = o->addr, end = a + o->size; a < end;) {
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

static bool is_checked_by_parts(const struct operation *o)
{
    return ((o->addr & 7) + o->size > 8) | pf_rt.careful | o->t->idle;
}

static inline uint64_t statement(const struct operation *o, bool write)
{
    return pf_stmt_make(o->t, ((1u << o->size) - 1) << (o->addr & 7) & 0xff, write, true);
}

/* Is it what the thread did here before, so that its statement of then is renewed? Otherwise false, with nothing done. */
static inline bool check_again(struct operation *o, bool write)
{
    if (__builtin_expect(is_checked_by_parts(o), 0))
        return false;
    uint64_t mine = statement(o, write), *cell = pf_cell_of(o->addr), s1 = pf_word_get(&cell[1]);
    if (pf_is_ref(s1))
        return pf_record_covers(cell, s1, mine) ||
               pf_record_renew(o->t->clock, cell, mine | pf_stack_id(o->t, o->site));
    uint64_t *own = pf_cell_own_atomic(o->t->clock, cell, mine);
    if (!own)
        return false;
    if ((*own ^ mine) & PF_BITS_CLK) {
        pf_word_put(own, mine | pf_stack_id(o->t, o->site));
        o->t->dirty = true;
    }
    return true;
}

static __attribute__((noinline)) void check_anew(struct operation *o, bool write)
{
    struct pf_thread *t = o->t;
    if (__builtin_expect(is_checked_by_parts(o), 0)) {
        check_parts(o, write);
        return;
    }
    uint64_t *cell = pf_cell_of(o->addr), mine = statement(o, write);
    if (pf_stmt_covers(pf_word_get(&cell[0]), mine) || pf_stmt_covers(pf_word_get(&cell[1]), mine))
        return;
    mine |= pf_stack_id(t, o->site);
    if (!pf_cell_touch_atomic(t->clock, cell, mine))
        pf_cell_access(t, o->addr, mine, PF_NO_SITE);
}

static inline void check(struct operation *o, bool write)
{
    if (!pf_ignores(o->t, write) && pf_stack_watched() && !check_again(o, write))
        check_anew(o, write);
}

void *__pf_atomic_begin(void *addr, uint32_t packed, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (!t) {
        if (pf_event_unseen)
            pf_event_unseen();
        return NULL;
    }
    if (__builtin_expect(pf_rt.events, 0))
        return pf_event_atomic_begin(addr, packed, site);
    if (__builtin_expect(t->signals != NULL, 0) && pf_signal_poll)
        pf_signal_poll(t);
    pf_nest();
    struct operation *o = &current;
    *o = (struct operation){.t = t,
                            .addr = (uintptr_t)addr,
                            .stripe = pf_sync_stripe((uintptr_t)addr),
                            .site = site,
                            .size = packed & 0xff,
                            .op = packed >> 8 & 0xff,
                            .order = packed >> 16 & 0xff,
                            .failure = packed >> 24};
    pf_oracle_begin();
    /* A release must be seen to exist before its value can be. */
    bool release = o->op != PF_ATOMIC_LOAD && (releases(o->order) || t->released);
    o->quiet = !release && is_quiet(o, o->order);
    /* What learns nothing is looked at here, without the lock; not so under the oracle, which wants it late. What has learned
     * all, only if that is no new statement: it may learn something yet. */
    if (!pf_rt.careful) {
        if (o->op == PF_ATOMIC_STORE || (o->op == PF_ATOMIC_RMW && !acquires(o->order))) {
            check(o, true);
            o->checked = true;
        } else if (o->quiet && o->op != PF_ATOMIC_CAS) {
            bool write = o->op == PF_ATOMIC_RMW;
            o->checked = pf_ignores(t, write) || !pf_stack_watched() || check_again(o, write);
        }
    }
    if (!o->quiet)
        take_lock(o, release);
    return o;
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
    if (releases(o->order)) {
        bool knows = !rmw || s->head == t->number + 1 || acquires(o->order); /* all that it had */
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

static __attribute__((noinline)) void finish(struct operation *o, bool stored)
{
    struct pf_thread *t = o->t;
    bool rmw = o->op == PF_ATOMIC_RMW || o->op == PF_ATOMIC_CAS;
    unsigned order = o->op == PF_ATOMIC_CAS && !stored ? o->failure : o->order;
    if (!o->locked && !is_quiet(o, order)) { /* somebody released meanwhile */
        take_lock(o, false);
        o->late = true;
    }
    if (o->op != PF_ATOMIC_STORE && !t->ignore_sync)
        load(o, o->sync, order);
    /* After what it learns, which may order it behind the initialisation; before what it tells. */
    if (!o->checked)
        check(o, stored);
    if (stored && !t->ignore_sync && !o->late)
        store(o, o->sync, rmw);
    if (o->locked) {
        if (stored)
            change_clock(o);
        if (o->op != PF_ATOMIC_STORE && !t->ignore_sync)
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

void __pf_atomic_end(void *handle, uint32_t stored)
{
    struct operation *o = handle;
    if (!o)
        return;
    if (__builtin_expect(pf_rt.events, 0)) {
        pf_event_atomic_end(handle, stored);
        return;
    }
    if (!(o->quiet & o->checked) || !is_quiet(o, o->order))
        finish(o, stored);
    pf_unnest();
    struct pf_thread *t = o->t;
    if (__builtin_expect(t->signals != NULL, 0) && pf_signal_poll)
        pf_signal_poll(t);
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
