/*
 * shadow_first_access.c - the first access to an empty cell is never lost: two threads access a
 * fresh granule at the same time, and at least one of them finds the race, through all entry
 * points.
 */
// sources: src/rt/shadow/cell*.c src/rt/shadow/check.c src/rt/shadow/*_entry.S
// sources: src/rt/shadow/check_miss.c src/rt/shadow/site_pair.c src/rt/hash_index.c
// sources: src/rt/shadow/site_per_byte.c src/rt/shadow/refresh_in_place.c
// sources: src/rt/shadow/access_set.c src/rt/hooks.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/sys.c src/rt/context/node_recent.S src/rt/gate.S
#include "shadow_harness.h"

#include "reporter.h"
#include <pthread.h>
#include <sched.h>

#define ROUNDS 400u
#define STEP                                                                                       \
    24u /* bytes: each round has its own granules; neighbours share a page and a cache line */

static unsigned found[ROUNDS];

static void race_found(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then)
{
    __atomic_fetch_add(&found[(granule - BASE) / STEP], 1, __ATOMIC_RELAXED);
}
void __pf_write_range(uintptr_t, uint64_t, uint32_t);

/* Entry points: of compiled code for one size, for a short range, and the slow path. */
static void write_range(uintptr_t addr, uint32_t site) { __pf_write_range(addr, 16, site); }
static void write_slow(uintptr_t addr, uint32_t site)
{
    struct pf_thread *t = __pf_tls.thread;
    pf_cell_access(t, addr, pf_access_make(t, 0xff, true, false), site);
}
static void read_slow(uintptr_t addr, uint32_t site)
{
    struct pf_thread *t = __pf_tls.thread;
    pf_cell_access(t, addr, pf_access_make(t, 0x0f, false, false), site);
}
static void store_atomic(uintptr_t addr, uint32_t site)
{
    struct pf_thread *t = __pf_tls.thread;
    pf_cell_access(t, addr, pf_access_make(t, 0x0f, true, true), site);
}

static access_entry *const pairs[][2] = {
    {__pf_write8, __pf_write8}, {__pf_write4, __pf_write4}, {__pf_write16, __pf_write8},
    {__pf_write4, __pf_read4},  {__pf_read8, __pf_write8},  {write_range, __pf_read8},
    {write_range, write_range}, {write_slow, write_slow},   {read_slow, write_slow},
    {__pf_write4, read_slow},   {store_atomic, __pf_read4}, {write_slow, store_atomic},
};

static struct runner {
    struct pf_thread thread;
    uint32_t clock[PF_SID_MAX + 2];
    access_entry *entry;
} runners[2];
static unsigned at_start[2]; /* the round that each thread has reached */

static void *run(void *arg)
{
    struct runner *r = arg;
    unsigned me = (unsigned)(r - runners);
    __pf_tls.frame = frames + 1;
    __pf_tls.thread = &r->thread;
    __pf_tls.clock = r->clock;
    __pf_tls.key = pf_access_make(&r->thread, 0xff, true, false);
    __pf_tls.read_set = 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        __atomic_store_n(&at_start[me], i + 1, __ATOMIC_SEQ_CST);
        for (unsigned n = 0; __atomic_load_n(&at_start[!me], __ATOMIC_SEQ_CST) <= i; n++)
            if (n > 1000)
                sched_yield();
        r->entry(BASE + i * STEP, me);
    }
    return NULL;
}

static void one_thread_finds_the_race(void **state)
{
    for (unsigned p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        pthread_t id[2];
        assert_int_equal(madvise(pf_cell_of(BASE), 2 * ROUNDS * STEP, MADV_DONTNEED), 0);
        for (unsigned i = 0; i < 2; i++) {
            runners[i].thread = (struct pf_thread){
                .order.sid = i + 1, .order.clk = 1, .order.clock = runners[i].clock};
            runners[i].clock[i + 1] = 1;
            runners[i].entry = pairs[p][i];
            at_start[i] = 0;
        }
        for (unsigned i = 0; i < ROUNDS; i++)
            found[i] = 0;
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&id[i], NULL, run, &runners[i]), 0);
        for (unsigned i = 0; i < 2; i++)
            pthread_join(id[i], NULL);
        for (unsigned i = 0; i < ROUNDS; i++)
            if (!found[i])
                fail_msg("entry points %u: the race of round %u was missed", p, i);
    }
}

static int setup(void **state)
{
    pf_hooks.race_found = race_found;
    return shadow_init(ROUNDS * STEP + 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_thread_finds_the_race)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
