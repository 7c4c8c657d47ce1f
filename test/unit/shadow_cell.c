/*
 * shadow_cell.c - shadow cells against a naive model. The model keeps every access to a byte; a new
 * access races iff an earlier conflicting one is not ordered before it. After a race the granule is
 * cleared, because from then on cell and model may differ.
 */
// sources: src/rt/shadow/cell*.c src/rt/shadow/check.c src/rt/shadow/*_entry.S
// sources: src/rt/shadow/check_miss.c src/rt/shadow/site_pair.c src/rt/hash_index.c
// sources: src/rt/shadow/site_per_byte.c src/rt/shadow/refresh_in_place.c
// sources: src/rt/shadow/access_set.c src/rt/hooks.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/sys.c src/rt/context/node_recent.S src/rt/gate.S
#include "shadow_harness.h"

#include "access_set.h"
#include "check.h"
#include "fast_update.h"
#include "limits.h"
#include "memory_ops.h"
#include "reporter.h"
#include "runtime_access.h"
#include "slot.h"

#define THREADS_MAX 40
#define LOCKS 4
#define GRANULES 16

static uint64_t race_now, race_then;
static bool raced[GRANULES];
static unsigned nthreads;

static void race_found(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then)
{
    assert_true(granule >= BASE && granule < BASE + 8 * GRANULES);
    assert_int_equal(pf_access_sid(now), t->order.sid);
    raced[(granule - BASE) / 8] = true;
    race_now = now;
    race_then = then;
}
uint64_t pf_xsave_mask, pf_xsave_size = 512 + 64;

/* Calls the entry point for the bytes of mask; false if there is none. */
static bool call_entry(uintptr_t addr, unsigned mask, bool write, uint32_t site)
{
    unsigned at = (unsigned)__builtin_ctz(mask), size = (unsigned)__builtin_popcount(mask);
    if (mask >> at != (1u << size) - 1 || !entry_of(size, write) || at % size)
        return false;
    entry_of(size, write)(addr + at, site);
    return true;
}

/* The naive model. */
struct past {
    uint32_t sid, clk, id;
    bool write, atomic;
};
static struct past *history[GRANULES * 8];
static size_t nhistory[GRANULES * 8], room[GRANULES * 8];

static struct pf_thread threads[THREADS_MAX];
static uint32_t clocks[THREADS_MAX][PF_SID_MAX + 2], locks[LOCKS][PF_SID_MAX + 2];
/* A lock that usually only its thread acquires; the epoch inside it, and whether other threads have
 * acquired it since. */
static struct {
    uint32_t clock[PF_SID_MAX + 2], epoch;
    bool acquired_by_others;
} own[THREADS_MAX];
static void forget(unsigned g)
{
    uint64_t *c = pf_cell_of(BASE + 8 * g);
    pf_cell_clear(c, c + 2);
    for (unsigned b = 8 * g; b < 8 * g + 8; b++)
        nhistory[b] = 0;
}

static bool naive_race(const struct pf_thread *t, unsigned b, bool write, bool atomic)
{
    for (size_t i = 0; i < nhistory[b]; i++) {
        const struct past *p = &history[b][i];
        if ((p->write || write) && !(p->atomic && atomic) && p->sid != t->order.sid &&
            p->clk > t->order.clock[p->sid])
            return true;
    }
    return false;
}

/* The first epoch of the span of an epoch, by slot; 0: it has not been in a span with others. */
#define EPOCHS_MAX 8192
static uint16_t span_of[THREADS_MAX + 1][EPOCHS_MAX];

/* From now on, no thread can tell the epochs of t's span apart. */
static void note_span(const struct pf_thread *t)
{
    uint32_t from = t->order.span.from & PF_CLK_MAX, to = from + t->order.span.more;
    assert_true(to < EPOCHS_MAX);
    for (uint32_t clk = from; clk <= to; clk++)
        span_of[t->order.sid][clk] = (uint16_t)from;
}

static bool same_span(uint32_t sid, uint32_t one, uint32_t other)
{
    return one == other || (span_of[sid][one] && span_of[sid][one] == span_of[sid][other]);
}

/* Was there ever such an access to the byte? Its record may have a later epoch of the same span, if
 * the thread held the same locks in both. */
static bool naive_has(unsigned b, uint64_t s)
{
    for (size_t i = 0; i < nhistory[b]; i++) {
        const struct past *p = &history[b][i];
        if (p->sid == pf_access_sid(s) && p->clk <= pf_access_clk(s) &&
            same_span(p->sid, p->clk, pf_access_clk(s)) &&
            pf_epoch_lockset(p->sid, p->clk) == pf_epoch_lockset(p->sid, pf_access_clk(s)) &&
            p->id == pf_site_per_byte_lookup(pf_cell_of(BASE + b), s, b % 8) &&
            p->write == !!(s & PF_BIT_W) && p->atomic == !!(s & PF_BIT_A))
            return true;
    }
    return false;
}

static void naive_add(const struct pf_thread *t, unsigned b, bool write, bool atomic, uint32_t id)
{
    if (nhistory[b] == room[b]) {
        room[b] = room[b] ? 2 * room[b] : 64;
        history[b] = realloc(history[b], room[b] * sizeof *history[b]);
    }
    history[b][nhistory[b]++] = (struct past){t->order.sid, t->order.clk, id, write, atomic};
}

/* The fast path of compiled code. */
static bool passes_fast_path(uintptr_t addr, unsigned mask, bool write)
{
    const uint64_t *c = pf_cell_of(addr);
    uint64_t s = c[!write], x = s ^ __pf_tls.key, m = (uint64_t)mask << PF_MASK_SHIFT;
    if (!(x & ~(PF_MASK_ALL | (write ? PF_BITS_ID : PF_BITS_ID | PF_BIT_W))) && !(x & m))
        return true;
    return !write && s == __pf_tls.read_set;
}

static void has_no_invented_record(unsigned g) /* in the shadow of a granule */
{
    uint64_t all[256];
    unsigned n = pf_cell_list(pf_cell_of(BASE + 8 * g), all, 256);
    assert_true(n <= 256);
    for (unsigned i = 0; i < n; i++)
        for (unsigned b = 0; b < 8; b++)
            if (all[i] >> (PF_MASK_SHIFT + b) & 1)
                assert_true(naive_has(8 * g + b, all[i]));
}

/* The same steps as in atomic.c. */
static bool fast_update_atomic(const struct pf_thread *t, uint64_t *cell, uint64_t mine)
{
    if (pf_word_is_ref(cell[1]) && (pf_spill_covers(cell, cell[1], mine & ~PF_BITS_ID) ||
                                    pf_spill_refresh(t->order.clock, cell, mine)))
        return true;
    uint64_t *own = pf_cell_find_own_atomic(t->order.clock, cell, mine);
    if (!own)
        return pf_cell_fast_update_atomic(t->order.clock, cell, mine);
    if ((*own ^ mine) & PF_BITS_CLK)
        *own = mine;
    return true;
}

static void access(struct pf_thread *t, unsigned g, unsigned mask, bool write, bool atomic,
                   uint32_t site)
{
    uintptr_t addr = BASE + 8 * g;
    bool want = false;
    for (unsigned b = 0; b < 8; b++)
        if (mask >> b & 1)
            want |= naive_race(t, 8 * g + b, write, atomic);
    race_now = race_then = 0;
    __pf_tls.key = pf_access_make(t, 0xff, true, false);
    uint64_t a = pf_access_make(t, mask, write, atomic);
    __pf_tls.thread = t;
    __pf_tls.clock = t->order.clock;
    uint64_t mine = a | (FIRST_ID + site), *cell = pf_cell_of(addr);
    bool compiled = !atomic && !pf_rt.strict && site % 2 && call_entry(addr, mask, write, site);
    if (!compiled && (atomic || !passes_fast_path(addr, mask, write)))
        if (pf_rt.strict || !(atomic ? fast_update_atomic(t, cell, mine)
                                     : (!*pf_cell_overflow_state(cell) &&
                                        pf_cell_update_front(t->order.clock, cell, cell[0], cell[1],
                                                             mine, write)) ||
                                           pf_cell_fast_update(t->order.clock, cell, mine)))
            pf_cell_access(t, addr, a, site);
    assert_int_equal(want, race_then != 0);
    if (want) {
        for (unsigned b = 0; b < 8; b++)
            if ((race_then & race_now) >> (PF_MASK_SHIFT + b) & 1)
                assert_true(naive_has(8 * g + b, race_then));
        forget(g);
        return;
    }
    for (unsigned b = 0; b < 8; b++)
        if (mask >> b & 1)
            naive_add(t, 8 * g + b, write, atomic, FIRST_ID + site);
    has_no_invented_record(g);
}

/* Accesses two granules at once, unless the access would race. */
static void access_both(struct pf_thread *t, unsigned g, bool write, uint32_t site)
{
    for (unsigned b = 8 * g; b < 8 * g + 16; b++)
        if (naive_race(t, b, write, false))
            return;
    race_then = 0;
    __pf_tls.key = pf_access_make(t, 0xff, true, false);
    __pf_tls.thread = t;
    __pf_tls.clock = t->order.clock;
    (write ? __pf_write16 : __pf_read16)(BASE + 8 * g, site);
    assert_true(race_then == 0);
    for (unsigned b = 8 * g; b < 8 * g + 16; b++)
        naive_add(t, b, write, false, FIRST_ID + site);
}

/* For interleaved accesses: the site of byte i. */
static uint32_t turn(uint32_t site, unsigned turns, unsigned i) { return (site + i % turns) % 6; }

static void call_turns(uintptr_t addr, uint64_t size, bool write, uint32_t site, unsigned turns)
{
    uint64_t word[4];
    for (unsigned i = 0; i < 4; i++)
        word[i] = i < turns ? turn(site, turns, i) : UINT32_MAX;
    (write ? __pf_write_turns : __pf_read_turns)(addr, size, word[0] | word[1] << 32,
                                                 word[2] | word[3] << 32);
}

/* Accesses the bytes [from, to) at once: from compiled code, with the sites of `turns` interleaved
 * accesses, or from the runtime. Exactly the granules race for which the model says so. */
static void access_bytes(struct pf_thread *t, unsigned from, unsigned to, bool write, uint32_t site,
                         unsigned turns)
{
    bool want[GRANULES] = {false};
    for (unsigned b = from; b < to; b++)
        want[b / 8] |= naive_race(t, b, write, false);
    memset(raced, 0, sizeof raced);
    __pf_tls.key = pf_access_make(t, 0xff, true, false);
    __pf_tls.thread = t;
    __pf_tls.clock = pf_rt.strict ? NULL : t->order.clock;
    if (turns > 1)
        call_turns(BASE + from, to - from, write, site, turns);
    else if (site % 2)
        (write ? __pf_write_range : __pf_read_range)(BASE + from, to - from, site);
    else
        (write ? pf_check_write : pf_check_read)(t, (void *)(BASE + from), to - from,
                                                 FIRST_ID + site);
    assert_memory_equal(want, raced, sizeof want);
    for (unsigned b = from; b < to; b++)
        if (!want[b / 8])
            naive_add(t, b, write, false, FIRST_ID + turn(site, turns, b - from));
    for (unsigned g = from / 8; g < (to + 7) / 8; g++) {
        if (want[g])
            forget(g);
        has_no_invented_record(g);
    }
}

static void next_epoch(struct pf_thread *t)
{
    t->order.clock[t->order.sid] = ++t->order.clk;
    __pf_tls.read_set = 1;
}

/* t releases the lock. */
static void release(struct pf_thread *t, unsigned l)
{
    pf_span_publish(t, t->order.clk);
    note_span(t);
    join(locks[l], t->order.clock);
}

/* Updates what is globally ordered, which cells need not keep. */
static void update_global_order(void)
{
    for (unsigned sid = 1; sid <= nthreads; sid++) {
        uint32_t least = UINT32_MAX;
        for (unsigned i = 0; i < nthreads; i++)
            least = clocks[i][sid] < least ? clocks[i][sid] : least;
        pf_rt.globally_ordered[sid] = least;
    }
}

static void update_now_and_then(struct pf_thread *t)
{
    update_global_order();
    t->order.global_order_in = rnd(8);
}

/* Ranges mostly of whole granules, of half of all granules or more. Either all locks are held, or
 * it is a read that may race. */
static void fuzz_range(struct pf_thread *t)
{
    bool locked = rnd(3) != 0, whole = rnd(4) != 0, write = locked && rnd(3) == 0;
    unsigned from = rnd(GRANULES * 4), to = from + 1 + rnd(GRANULES * 8 - from);
    if (whole) {
        from &= ~7u;
        to = (to + 7) & ~7u;
    } else if (rnd(2) == 0) { /* like an unaligned access */
        to = from + 1 + rnd(8);
    }
    for (unsigned l = 0; locked && l < LOCKS; l++)
        join(t->order.clock, locks[l]);
    for (unsigned k = rnd(3); k < 3; k++)
        access_bytes(t, from, to, write, rnd(6), 1);
    if (rnd(2) == 0) {
        unsigned turns = 2 + rnd(3), start = rnd(GRANULES * 8 - 4);
        unsigned most = (GRANULES * 8 - start) / turns, rounds = 1 + rnd(most < 12 ? most : 12);
        access_bytes(t, start, start + turns * rounds, write, rnd(6), turns);
    }
    for (unsigned l = 0; locked && l < LOCKS; l++)
        release(t, l);
    if (locked)
        next_epoch(t);
}

/* t acquires and releases its own lock. If no other thread had it in between, t has the old epoch
 * inside, and publishes one span. */
static void fuzz_own_lock(unsigned i)
{
    struct pf_thread *t = &threads[i];
    bool again = t->order.span.lock && !own[i].acquired_by_others;
    uint32_t last = t->order.clk;
    __pf_tls.read_set = 1;
    if (again)
        t->order.clk = own[i].epoch;
    for (unsigned k = rnd(3); again && k > 0; k--)
        access(t, rnd(GRANULES), 1u << rnd(8), false, false, rnd(6));
    t->order.clk = last;
    if (again)
        pf_span_extend(t, last);
    else
        pf_span_publish(t, last);
    note_span(t);
    t->order.span.lock = 1;
    if (!again)
        own[i].epoch = last;
    own[i].acquired_by_others = false;
    memcpy(own[i].clock, t->order.clock, sizeof own[i].clock);
    next_epoch(t);
}

/* t acquires the own lock of another thread. */
static void fuzz_other_lock(struct pf_thread *t)
{
    unsigned i = rnd(nthreads);
    if (&threads[i] == t)
        return;
    join(t->order.clock, own[i].clock);
    own[i].acquired_by_others = true;
}

/* One in `ranges` steps accesses many granules. Of the others, `free_reads` percent are reads
 * without a lock; the rest hold the lock of their granule, so that cells live long enough to fill
 * up. */
static void fuzz(uint64_t seed, unsigned threads_wanted, unsigned steps, unsigned free_reads,
                 bool strict, unsigned ranges)
{
    static const unsigned masks[] = {0xff, 0xff, 0xff, 0x0f, 0xf0, 0x0f, 0xf0, 0x03,
                                     0x0c, 0x30, 0xc0, 0x01, 0x02, 0x10, 0x80, 0x3c};
    rng = seed;
    nthreads = threads_wanted;
    pf_site_pair_nested_max = seed % 2 ? 0 : 1u << 14; /* a site per byte, or pairs of pairs */
    pf_rt.strict = pf_rt.slow_path_only = strict;
    locksets = 1 + seed % 3;
    memset(clocks, 0, sizeof clocks);
    memset(pf_rt.globally_ordered, 0, sizeof pf_rt.globally_ordered);
    memset(locks, 0, sizeof locks);
    memset(own, 0, sizeof own);
    memset(span_of, 0, sizeof span_of);
    for (unsigned g = 0; g < GRANULES; g++)
        forget(g);
    for (unsigned i = 0; i < nthreads; i++) {
        threads[i] = (struct pf_thread){.order.sid = i + 1,
                                        .order.clk = 1,
                                        .order.clock = clocks[i],
                                        .order.span = {.from = (i + 1) << PF_CLK_BITS}};
        clocks[i][i + 1] = 1;
    }
    unsigned now = 0;
    for (unsigned s = 0; s < steps; s++) {
        if (rnd(4) == 0) {
            now = rnd(nthreads);
            __pf_tls.read_set = 1; /* the word belongs to one thread and one epoch */
        }
        struct pf_thread *t = &threads[now];
        if (rnd(6) == 0)
            fuzz_own_lock(now);
        if (rnd(60) == 0)
            fuzz_other_lock(t);
        if (rnd(ranges) == 0) {
            fuzz_range(t);
            continue;
        }
        unsigned g = rnd(GRANULES), l = g % LOCKS;
        bool free_read = rnd(100) < free_reads;
        if (!free_read)
            join(t->order.clock, locks[l]);
        bool write = !free_read && rnd(3) == 0, atomic = (rnd(12) == 0) ^ (g % 4 == 3);
        for (unsigned k = 1 + rnd(3); k > 0; k--)
            access(t, g, masks[rnd(16)], write, atomic, rnd(6));
        if (g % 2 == 0 && !strict && rnd(8) == 0)
            access_both(t, g, write, rnd(6));
        if (rnd(40) == 0)
            update_global_order();
        if (!free_read) {
            release(t, l);
            next_epoch(t);
        } else if (rnd(20) == 0) {
            next_epoch(t);
        }
    }
}

static void cells_agree_with_the_naive_model(void **state)
{
    for (uint64_t seed = 1; seed <= 30; seed++)
        for (unsigned strict = 0; strict < 2; strict++) {
            fuzz(seed, 2, 1500, 2, strict, 20);
            fuzz(seed, 5, 1500, 5, strict, 6);
            fuzz(seed, 5, 1500, 60, strict, 6);
            fuzz(seed, THREADS_MAX, 2000, 30, strict, 20);
            fuzz(seed, THREADS_MAX, 2000, 90, strict, 40);
        }
    for (uint64_t seed = 1; seed <= 150; seed++) {
        fuzz(seed, 2, 1000, 10, false, 2);
        fuzz(seed, 4, 1000, 30, false, 2);
    }
}

/* One thread accesses a granule and sometimes takes its own lock; another thread acquires that lock
 * or does not. */
static void fuzz_span(uint64_t seed)
{
    fuzz(seed, 2, 0, 0, false, 1);
    struct pf_thread *t = &threads[0], *other = &threads[1];
    for (unsigned s = 0; s < 300; s++) {
        unsigned what = rnd(16);
        __pf_tls.read_set = 1;
        if (what < 6)
            access(t, 0, 1u << rnd(8), false, false, rnd(6));
        else if (what < 8)
            access(t, 0, rnd(2) ? 0xff : 0x0f << 4 * rnd(2), true, false, rnd(6));
        else if (what < 13)
            fuzz_own_lock(0);
        else if (what < 14)
            fuzz_other_lock(other);
        else if (what < 15)
            access(other, 0, 1u << rnd(8), rnd(4) != 0, false, rnd(6));
        else
            release(t, 0), next_epoch(t);
    }
}

static void spans_hide_no_race(void **state)
{
    for (uint64_t seed = 1; seed <= 500; seed++)
        fuzz_span(seed);
}

static void ordered_accesses_do_not_race(void **state)
{
    fuzz(1, 3, 0, 0, false, 1);
    access(&threads[0], 0, 0x0f, true, false, 1);
    access(&threads[1], 0, 0xf0, true, false, 2); /* adjacent bytes: no race */
    assert_int_equal(race_then, 0);
    access(&threads[2], 0, 0x18, false, false, 3); /* overlaps both */
    assert_int_not_equal(race_then, 0);
}

static void readers_of_an_array_share_one_set(void **state)
{
    fuzz(1, 8, 0, 0, false, 1);
    for (unsigned i = 0; i < 8; i++) {
        __pf_tls.read_set = 1;
        for (unsigned g = 0; g < GRANULES; g++)
            access(&threads[i], g, 0xff, false, false, 1);
    }
    uint64_t word = pf_cell_of(BASE)[1];
    assert_true(pf_word_is_ref(word));
    assert_true(pf_access_set_at(word)->interned);
    for (unsigned g = 1; g < GRANULES; g++)
        assert_true(pf_cell_of(BASE + 8 * g)[1] == word);
}

/* Two threads have read an array, and a third one reads it too. Half of the granules have a write
 * that only the first two have seen: the addition that was right for the others is a race there. */
static void a_repeated_addition_is_compared_with_the_write(void **state)
{
    fuzz(1, 4, 0, 0, false, 1);
    for (unsigned g = 0; g < GRANULES; g += 2)
        access(&threads[2], g, 0xff, true, false, 1);
    next_epoch(&threads[2]);
    for (unsigned g = 1; g < GRANULES; g += 2)
        access(&threads[3], g, 0xff, true, false, 2);
    release(&threads[3], 0);
    for (unsigned i = 0; i < 2; i++) {
        join(threads[i].order.clock, locks[0]);
        join(threads[i].order.clock, threads[2].order.clock);
        __pf_tls.read_set = 1;
        for (unsigned g = 0; g < GRANULES; g++)
            access(&threads[i], g, 0xff, false, false, 3);
    }
    uint64_t two = pf_cell_of(BASE)[1];
    assert_true(pf_word_is_ref(two));
    for (unsigned g = 1; g < GRANULES; g++)
        assert_true(pf_cell_of(BASE + 8 * g)[1] == two);
    __pf_tls.read_set = 1;
    for (unsigned g = 0; g < GRANULES; g += 2) {
        access(&threads[2], g, 0xff, false, false, 5);
        assert_int_equal(race_then, 0);
    }
    assert_true(pf_cell_of(BASE)[1] == pf_cell_of(BASE + 8 * (GRANULES - 2))[1]);
    __pf_tls.read_set = 1;
    access(&threads[2], 1, 0xff, false, false, 5);
    assert_int_not_equal(race_then, 0);
}

/* Every byte is accessed from a different site, in many epochs: two granules need no more than two
 * site arrays, and those that are not yet reclaimed. */
static void site_arrays_are_reused(void **state)
{
    fuzz(1, 2, 0, 0, false, 1);
    uint32_t least = UINT32_MAX, most = 0;
    for (unsigned round = 0; round < 5000; round++) {
        for (unsigned b = 0; b < 16; b++)
            access(&threads[0], b / 8, 1u << b % 8, false, false, (b * 5 + round) % 6);
        for (unsigned g = 0; g < 2; g++) {
            uint32_t id = pf_access_id(pf_cell_of(BASE + 8 * g)[1]);
            assert_true(pf_id_is_site_per_byte(id));
            least = id < least ? id : least;
            most = id > most ? id : most;
        }
        next_epoch(&threads[0]);
        for (unsigned b = 0; round % 50 == 49 && b < 16; b++) /* otherwise the model becomes slow */
            nhistory[b] = 0;
        if (round % 50 == 49)
            forget(0), forget(1);
    }
    assert_true(most - least < 4096);
    assert_int_equal(pf_limit_count[PF_LIMIT_CONTEXTS], 0);
}

/* A read set outlives the site arrays of its granules, so its sites are stored as pairs. */
static void read_sets_have_no_site_arrays(void **state)
{
    fuzz(1, 8, 0, 0, false, 1);
    for (unsigned i = 0; i < 8; i++)
        for (unsigned b = 0; b < 8; b++)
            access(&threads[i], 0, 1u << b, false, false, b % 6);
    uint64_t word = pf_cell_of(BASE)[1];
    assert_true(pf_word_is_ref(word));
    assert_true(pf_access_set_at(word)->interned);
    for (unsigned i = 0; i < pf_access_set_at(word)->n; i++)
        assert_false(pf_id_is_site_per_byte(pf_access_set_at(word)->record[i]));
    has_no_invented_record(0);
}

static int setup(void **state)
{
    pf_hooks.race_found = race_found;
    update_globally_ordered = update_now_and_then;
    return shadow_init(8 * GRANULES);
}

static int teardown(void **state)
{
    for (unsigned b = 0; b < GRANULES * 8; b++)
        free(history[b]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordered_accesses_do_not_race),
        cmocka_unit_test(readers_of_an_array_share_one_set),
        cmocka_unit_test(a_repeated_addition_is_compared_with_the_write),
        cmocka_unit_test(site_arrays_are_reused),
        cmocka_unit_test(read_sets_have_no_site_arrays),
        cmocka_unit_test(spans_hide_no_race),
        cmocka_unit_test(cells_agree_with_the_naive_model),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
