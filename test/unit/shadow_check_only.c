/*
 * shadow_check_only.c - accesses of check-only threads (Pacer outside its sampling periods): a race
 * is found if and only if its first access left a record, whatever the kinds of the two accesses.
 *
 * The naive model keeps the accesses that left a record. A check-only access removes from it what
 * it replaces; the cell may keep such a record, and then reports a race that is just as real.
 */
// sources: src/rt/shadow/cell*.c src/rt/shadow/check.c src/rt/shadow/*_entry.S
// sources: src/rt/shadow/check_miss.c src/rt/shadow/site_pair.c src/rt/hash_index.c
// sources: src/rt/shadow/site_per_byte.c src/rt/shadow/refresh_in_place.c
// sources: src/rt/shadow/access_set.c src/rt/hooks.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/sys.c src/rt/context/node_recent.S src/rt/gate.S
#include "shadow_harness.h"

#include "check.h"
#include "fast_update.h"
#include "reporter.h"
#include "slot.h"

#define THREADS 12
#define LOCKS 3
#define GRANULES 8
#define RANGE_GRANULES 16 /* more than the ranges that are checked granule by granule */

static bool raced;

static void race_found(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then)
{
    assert_int_equal(pf_access_sid(now), t->order.sid);
    assert_int_not_equal(pf_access_sid(then), t->order.sid);
    raced = true;
}
struct past {
    uint32_t sid, clk;
    bool write, atomic, removed; /* removed: by a check-only access */
};
static struct past *history[GRANULES * 8];
static size_t nhistory[GRANULES * 8], room[GRANULES * 8];
static struct pf_thread threads[THREADS];
static uint32_t clocks[THREADS][PF_SID_MAX + 2], locks[LOCKS][PF_SID_MAX + 2];
static void forget(unsigned g)
{
    uint64_t *c = pf_cell_of(BASE + 8 * g);
    pf_cell_clear(c, c + 2);
    for (unsigned b = 8 * g; b < 8 * g + 8; b++)
        nhistory[b] = 0;
}

static void begin(uint64_t seed)
{
    rng = seed;
    memset(clocks, 0, sizeof clocks);
    memset(locks, 0, sizeof locks);
    for (unsigned g = 0; g < GRANULES; g++)
        forget(g);
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct pf_thread){.order.sid = i + 1,
                                        .order.clk = 1,
                                        .order.clock = clocks[i],
                                        .order.span = {.from = (i + 1) << PF_CLK_BITS},
                                        .order.global_order_in = UINT32_MAX};
        clocks[i][i + 1] = 1;
    }
}

static bool as_strong(bool write, bool atomic, const struct past *p)
{
    return (write || !p->write) && (!atomic || p->atomic);
}

/* The races that the model expects, before the access is made: some race must be reported if must,
 * none if not may. */
static void expect(const struct pf_thread *t, unsigned g, unsigned mask, bool write, bool atomic,
                   bool *must, bool *may)
{
    *must = *may = false;
    for (unsigned b = 8 * g; b < 8 * g + 8; b++)
        for (size_t i = 0; mask >> b % 8 & 1 && i < nhistory[b]; i++) {
            const struct past *p = &history[b][i];
            if ((p->write || write) && !(p->atomic && atomic) && p->sid != t->order.sid &&
                p->clk > t->order.clock[p->sid]) {
                *may = true;
                *must |= !p->removed;
            }
        }
}

static void note(const struct pf_thread *t, unsigned g, unsigned mask, bool write, bool atomic)
{
    for (unsigned b = 8 * g; b < 8 * g + 8; b++) {
        if (!(mask >> b % 8 & 1))
            continue;
        for (size_t i = 0; t->check_only && i < nhistory[b]; i++) {
            struct past *p = &history[b][i];
            p->removed |= p->clk <= t->order.clock[p->sid] && as_strong(write, atomic, p);
        }
        if (t->check_only)
            continue;
        if (nhistory[b] == room[b]) {
            room[b] = room[b] ? 2 * room[b] : 64;
            history[b] = realloc(history[b], room[b] * sizeof *history[b]);
        }
        history[b][nhistory[b]++] = (struct past){t->order.sid, t->order.clk, write, atomic, false};
    }
}

/* t makes the next access. */
static void run_as(struct pf_thread *t)
{
    raced = false;
    __pf_tls.thread = t;
    t->tls = &__pf_tls;
    __pf_tls.key = t->check_only ? 0 : pf_access_make(t, 0xff, true, false);
    __pf_tls.clock = t->check_only || pf_rt.strict ? NULL : t->order.clock;
    __pf_tls.read_set = 1;
}

/* The access as compiled code makes it: an entry point of check_entry.S if there is one for these
 * bytes, else the inline test and then the slow path. Returns whether a race was reported. */
static bool perform(struct pf_thread *t, unsigned g, unsigned mask, bool write, bool atomic)
{
    unsigned at = (unsigned)__builtin_ctz(mask), size = (unsigned)__builtin_popcount(mask);
    uintptr_t addr = BASE + 8 * g;
    uint64_t a = pf_access_make(t, mask, write, atomic);
    run_as(t);
    uint64_t *cell = pf_cell_of(addr);
    if (atomic && t->check_only)
        pf_cell_check_only(t, addr, a | 16, PF_NO_SITE);
    else if (atomic && (pf_rt.strict || !pf_cell_fast_update_atomic(t->order.clock, cell, a | 16)))
        pf_cell_access(t, addr, a | 16, PF_NO_SITE);
    else if (!atomic)
        entry_of(size, write)(addr + at, 1 + t->order.sid % 3);
    return raced;
}

static void access(struct pf_thread *t, unsigned g, unsigned mask, bool write, bool atomic)
{
    bool must, may;
    expect(t, g, mask, write, atomic, &must, &may);
    bool found = perform(t, g, mask, write, atomic);
    assert_true(found || !must);
    assert_true(may || !found);
    if (may)
        forget(g);
    else
        note(t, g, mask, write, atomic);
}

static void next_epoch(struct pf_thread *t) { t->order.clock[t->order.sid] = ++t->order.clk; }

static void fuzz(uint64_t seed, unsigned nthreads, unsigned free_reads, unsigned sampled)
{
    static const unsigned masks[] = {0xff, 0xff, 0x0f, 0xf0, 0x03, 0x0c, 0x30, 0x80};
    begin(seed);
    pf_rt.strict = pf_rt.slow_path_only = seed % 8 == 0;
    for (unsigned s = 0; s < 2000; s++) {
        struct pf_thread *t = &threads[rnd(nthreads)];
        if (rnd(4) == 0)
            t->check_only = rnd(100) >= sampled;
        unsigned g = rnd(GRANULES), l = g % LOCKS;
        bool free_read = rnd(100) < free_reads, atomic = rnd(8) == 0;
        bool write = !free_read && rnd(2) == 0;
        if (!free_read)
            join(t->order.clock, locks[l]);
        for (unsigned k = 1 + rnd(2); k > 0; k--)
            access(t, g, masks[rnd(8)], write, atomic);
        if (!free_read)
            join(locks[l], t->order.clock);
        next_epoch(t);
    }
    pf_rt.strict = pf_rt.slow_path_only = false;
}

static void a_race_is_found_iff_its_first_access_left_a_record(void **state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        fuzz(seed, 2, 5, 50);
        fuzz(seed, 4, 20, 50);
        fuzz(seed, 4, 5, 10);
        fuzz(seed, THREADS, 80, 60);
        fuzz(seed, THREADS, 97, 60);
    }
}

/* The share of races found, of 1000 for each kind and rate: exactly those whose first access was
 * sampled, whether or not the second one is. Both threads access the granule before, without a
 * race. */
static void the_share_found_is_the_rate(void **state)
{
    static const struct {
        bool first, second;
    } kinds[] = {{true, true}, {true, false}, {false, true}};
    static const unsigned rates[] = {1, 10, 30, 50, 100};
    for (unsigned k = 0; k < 3; k++)
        for (unsigned r = 0; r < 5; r++) {
            begin(k * 5 + r + 1);
            unsigned sampled = 0, found = 0;
            for (unsigned i = 0; i < 1000; i++) {
                struct pf_thread *one = &threads[0], *two = &threads[1];
                unsigned other = rnd(3);
                forget(0);
                one->check_only = two->check_only = rnd(2);
                if (other == 1) /* other bytes of the granule */
                    perform(two, 0, 0x80, rnd(2), false);
                if (other == 2) { /* an earlier access, ordered before both */
                    perform(two, 0, 0x0f, rnd(2), false);
                    join(one->order.clock, two->order.clock);
                    next_epoch(two);
                }
                one->check_only = rnd(100) >= rates[r];
                two->check_only = rnd(100) >= rates[r];
                sampled += !one->check_only;
                assert_false(perform(one, 0, rnd(2) ? 0x0f : 0x03, kinds[k].first, false));
                found += perform(two, 0, 0x0f, kinds[k].second, false);
                next_epoch(one);
                next_epoch(two);
            }
            assert_int_equal(found, sampled);
        }
}

/* All readers of a granule race with a check-only write, also when a set holds them. */
static void a_write_is_checked_against_all_reads(void **state)
{
    for (unsigned n = 1; n < THREADS; n++) {
        begin(n);
        for (unsigned i = 0; i < n; i++)
            assert_false(perform(&threads[i], 0, 0xff, false, false));
        struct pf_thread *last = &threads[THREADS - 1];
        for (unsigned i = 0; i + 1 < n; i++)
            join(last->order.clock, clocks[i]);
        last->check_only = true;
        assert_true(perform(last, 0, 0x0f, true, false)); /* thread n - 1 is not ordered */
        join(last->order.clock, clocks[n - 1]);
        assert_false(perform(last, 0, 0xff, true, false));
    }
}

/* A check-only access that replaces the records of a cell empties it, for the inline test. */
static void replaced_records_are_removed(void **state)
{
    const uint64_t *cell = pf_cell_of(BASE);
    begin(1);
    perform(&threads[0], 0, 0x0f, false, false);
    perform(&threads[0], 0, 0xf0, true, false);
    join(clocks[1], clocks[0]);
    threads[1].check_only = threads[2].check_only = true;
    assert_false(perform(&threads[1], 0, 0x0f, true, false));
    assert_true(cell[0] && cell[1]); /* the write of the other bytes */
    assert_true(perform(&threads[2], 0, 0x80, false, false));
    assert_false(perform(&threads[1], 0, 0xff, true, false));
    forget(0);
    perform(&threads[0], 0, 0x0f, false, false);
    assert_false(perform(&threads[1], 0, 0xff, true, false));
    assert_false(cell[0] || cell[1]);
}

/* A range is read where no records are: check-only writes find a record in each granule. */
static void a_read_range_is_found_in_every_granule(void **state)
{
    uint64_t *cell = pf_cell_of(BASE);
    begin(1);
    pf_cell_clear(cell, cell + 2 * RANGE_GRANULES);
    run_as(&threads[0]);
    __pf_read_range(BASE, 8 * RANGE_GRANULES, 1);
    threads[1].check_only = true;
    for (unsigned g = 0; g < RANGE_GRANULES; g++)
        assert_true(perform(&threads[1], g, 0xff, true, false));
    pf_cell_clear(cell, cell + 2 * RANGE_GRANULES);
}

static int setup(void **state)
{
    pf_hooks.race_found = race_found;
    pf_rt.check_only_threads = true;
    return shadow_init(8 * RANGE_GRANULES);
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
        cmocka_unit_test(the_share_found_is_the_rate),
        cmocka_unit_test(a_write_is_checked_against_all_reads),
        cmocka_unit_test(replaced_records_are_removed),
        cmocka_unit_test(a_read_range_is_found_in_every_granule),
        cmocka_unit_test(a_race_is_found_iff_its_first_access_left_a_record),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
