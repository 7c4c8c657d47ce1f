/*
 * shadow_many_threads.c - many threads access a few granules at the same time, through all entry
 * points. Every reported access was made by a thread to that granule; it never comes from the
 * former contents of a spill, or from one that now belongs to another granule.
 */
// sources: src/rt/shadow/cell*.c src/rt/shadow/check.c src/rt/shadow/*_entry.S
// sources: src/rt/shadow/check_miss.c src/rt/shadow/site_pair.c src/rt/hash_index.c
// sources: src/rt/shadow/site_per_byte.c src/rt/shadow/refresh_in_place.c
// sources: src/rt/shadow/access_set.c src/rt/hooks.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/sys.c src/rt/context/node_recent.S src/rt/gate.S
#include "shadow_harness.h"

#include "reporter.h"
#include <pthread.h>

#define THREADS 12u
#define GRANULES 6u
#define STEPS 200000u

static unsigned long reported, invented;
static uint64_t example;

/* Every thread has a different site for every granule. */
static uint32_t site_of(unsigned granule, uint32_t sid) { return granule * (THREADS + 1) + sid; }

static void race_found(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then)
{
    uint32_t sid = pf_access_sid(then),
             id = FIRST_ID + site_of((unsigned)(granule - BASE) / 8, sid);
    __atomic_fetch_add(&reported, 1, __ATOMIC_RELAXED);
    if (sid && sid <= THREADS && sid != t->order.sid && pf_access_id(then) == id)
        return;
    __atomic_fetch_add(&invented, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&example, then, __ATOMIC_RELAXED);
}
static struct runner {
    struct pf_thread thread;
    uint32_t clock[PF_SID_MAX + 2];
    uint64_t rng;
} runners[THREADS];

static uint32_t runner_rnd(struct runner *r, uint32_t n)
{
    r->rng = r->rng * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(r->rng >> 33) % n;
}

static void step(struct runner *r)
{
    static access_entry *const entries[] = {__pf_read4, __pf_read8,  __pf_read1,
                                            __pf_read4, __pf_write1, __pf_write4};
    static const unsigned sizes[] = {4, 8, 1, 4, 1, 4};
    struct pf_thread *t = &r->thread;
    unsigned granule = runner_rnd(r, GRANULES), what = runner_rnd(r, 64);
    uint32_t site = site_of(granule, t->order.sid);
    uintptr_t addr = BASE + 8 * granule;
    if (what == 0) { /* the memory is reused: its spill is free for the next one */
        pf_cell_clear(pf_cell_of(addr), pf_cell_of(addr) + 2);
    } else if (what < 4) {
        pf_cell_check_only(t, addr, pf_access_make(t, 0xff, false, false), site);
    } else if (what < 8) {
        pf_cell_access(t, addr, pf_access_make(t, 0x0f, what & 1, true), site);
    } else {
        unsigned w = what < 12 ? 4 + what % 2 : what % 4; /* few of them write */
        entries[w](addr + sizes[w] * runner_rnd(r, 8 / sizes[w]), site);
    }
    if (what % 4 == 3) {
        t->order.clk++;
        __atomic_store_n(&r->clock[t->order.sid], t->order.clk, __ATOMIC_RELAXED);
        __pf_tls.key = pf_access_make(t, 0xff, true, false);
    }
    if (what % 8 == 5) { /* as if it had acquired from another thread */
        uint32_t sid = 1 + runner_rnd(r, THREADS);
        uint32_t clk = __atomic_load_n(&runners[sid - 1].clock[sid], __ATOMIC_RELAXED);
        if (sid != t->order.sid)
            r->clock[sid] = clk - 1;
    }
}

static void *run(void *arg)
{
    struct runner *r = arg;
    __pf_tls.frame = frames + 1;
    __pf_tls.thread = &r->thread;
    __pf_tls.clock = r->clock;
    __pf_tls.key = pf_access_make(&r->thread, 0xff, true, false);
    __pf_tls.read_set = 1;
    for (unsigned i = 0; i < STEPS; i++)
        step(r);
    return NULL;
}

static void no_race_is_invented(void **state)
{
    pthread_t id[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        struct runner *r = &runners[i];
        r->thread = (struct pf_thread){.order.sid = i + 1, .order.clk = 1, .order.clock = r->clock};
        r->clock[i + 1] = 1;
        r->rng = i;
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&id[i], NULL, run, &runners[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    assert_true(reported > 0);
    if (invented)
        fail_msg("%lu of %lu races are invented, for example with %#lx", invented, reported,
                 example);
}

static int setup(void **state)
{
    pf_hooks.race_found = race_found;
    return shadow_init(8 * GRANULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_race_is_invented)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
