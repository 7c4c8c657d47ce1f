// sources: src/rt/sample/pair_coverage.c src/rt/sample/sample_state.c
// sources: src/rt/sample/function_pairs.c
// sources: src/rt/limits.c src/rt/spin.c src/rt/sys.c src/rt/gate.S
// sources: src/report/textbuf.c src/report/pool.c
/*
 * sample_pair_coverage.c - the coverage of function pairs against a naive model: a list of pairs
 * and functions with their sets. Threads add at the same time; executions save and load.
 */
#include "findings_log.h"
#include "options.h"
#include "pair_coverage.h"
#include "sample_state.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
// cmocka needs these before it
#include <cmocka.h>

#define FUNCS 12
#define STEPS 4000
#define EXECUTIONS 30

struct pf_options pf_options; /* the parts of the runtime that sample_state.c uses */
void pf_findings_log_note(const char *const *parts, size_t n) { fail(); }

static uint32_t seed = 11;
static uint32_t next(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static uint64_t hash_of(unsigned f) { return 0x9e3779b97f4a7c15ull * (f + 1); }

static struct {
    uint64_t reachable[FUNCS], watched[FUNCS][FUNCS]; /* sites of the first with the second */
    bool used[FUNCS], pair[FUNCS][FUNCS];
    uint32_t flags[FUNCS][FUNCS];
} model;

static void watch(struct pf_pair_coverage *c, unsigned f, unsigned g, uint64_t bit)
{
    pf_coverage_add_sites(pf_coverage_add(c, pf_coverage_function_key(hash_of(f))), 0, bit);
    struct pf_coverage_entry *e = pf_coverage_add(c, pf_function_pair_key(hash_of(f), hash_of(g)));
    pf_coverage_add_sites(e, pf_coverage_side(hash_of(f), hash_of(g)), bit);
    model.reachable[f] |= bit;
    model.watched[f][g] |= bit;
    model.used[f] = model.pair[f][g] = model.pair[g][f] = true;
}

static void check(const struct pf_pair_coverage *c)
{
    for (unsigned f = 0; f < FUNCS; f++)
        for (unsigned g = 0; g < FUNCS; g++) {
            bool covered, want = model.pair[f][g] && model.used[f] && model.used[g] &&
                                 !(model.reachable[f] & ~model.watched[f][g]) &&
                                 !(model.reachable[g] & ~model.watched[g][f]);
            uint32_t flags = model.flags[f][g];
            enum pf_pair_kind kind = pf_coverage_kind(c, hash_of(f), hash_of(g), true, &covered);
            assert_int_equal(covered, want);
            assert_int_equal(kind, flags & PF_COVERAGE_UNLOCKED ? PF_PAIR_UNLOCKED
                                   : want                       ? PF_PAIR_RETIRED
                                   : flags                      ? PF_PAIR_LOCKED
                                                                : PF_PAIR_APART);
        }
}

static void step(struct pf_pair_coverage *c)
{
    unsigned f = next(FUNCS), g = next(FUNCS);
    watch(c, f, g, 1ull << next(3));
    if (next(20) == 0) {
        uint32_t flags = next(3) ? PF_COVERAGE_SHARES : PF_COVERAGE_SHARES | PF_COVERAGE_UNLOCKED;
        pf_coverage_add_flags(pf_coverage_add(c, pf_function_pair_key(hash_of(f), hash_of(g))),
                              flags);
        model.flags[f][g] |= flags;
        model.flags[g][f] = model.flags[f][g];
    }
}

static void test_kinds(void **state)
{
    (void)state;
    struct pf_pair_coverage c;
    bool covered;
    pf_coverage_init(&c);
    check(&c);
    /* a new site of a function uncovers its pairs */
    watch(&c, 0, 1, 1);
    watch(&c, 1, 0, 2);
    assert_int_equal(pf_coverage_kind(&c, hash_of(0), hash_of(1), true, &covered), PF_PAIR_RETIRED);
    watch(&c, 0, 2, 4);
    pf_coverage_kind(&c, hash_of(0), hash_of(1), true, &covered);
    assert_false(covered);
    watch(&c, 0, 1, 4);
    pf_coverage_kind(&c, hash_of(0), hash_of(1), true, &covered);
    assert_true(covered);
    for (unsigned i = 0; i < STEPS; i++) {
        step(&c);
        if (i % 16 == 0)
            check(&c);
    }
    pf_coverage_release(&c);
}

/* Each execution adds to what the earlier ones have left; eight of them are merged. */
static void test_executions(void **state)
{
    (void)state;
    char folder[] = "/tmp/pf-coverage-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    pf_options.state = folder;
    model = (typeof(model)){0};
    for (unsigned e = 0; e < EXECUTIONS; e++) {
        struct pf_pair_coverage c;
        struct pf_function_pairs before = {0}, seen = {0};
        uint64_t executions;
        pf_coverage_init(&c);
        pf_sample_state_load(&before, 1, &c, &executions);
        assert_int_equal(executions, e);
        check(&c); /* also marks all entries as used, so they are saved */
        for (unsigned i = 0; i < 12; i++)
            step(&c);
        check(&c);
        assert_non_null(pf_function_pairs_add(&seen, 77, 5, 0));
        pf_sample_state_save(&seen, &c, false);
        pf_function_pairs_release(&seen);
        pf_function_pairs_release(&before);
        pf_coverage_release(&c);
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* Entries that nobody uses are forgotten, but not before PF_COVERAGE_UNSEEN_MAX executions. */
static void test_forgotten(void **state)
{
    (void)state;
    char folder[] = "/tmp/pf-coverage-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    pf_options.state = folder;
    for (unsigned e = 0; e < PF_COVERAGE_UNSEEN_MAX + 20; e++) {
        struct pf_pair_coverage c;
        struct pf_function_pairs before = {0}, seen = {0};
        uint64_t executions;
        pf_coverage_init(&c);
        pf_sample_state_load(&before, 1, &c, &executions);
        bool there = pf_coverage_find(&c, 123) != NULL;
        if (e == 0)
            pf_coverage_add_flags(pf_coverage_add(&c, 123), PF_COVERAGE_SEEN);
        else if (e <= PF_COVERAGE_UNSEEN_MAX)
            assert_true(there);
        else if (e > PF_COVERAGE_UNSEEN_MAX + 10) /* the next merge removes it */
            assert_false(there);
        assert_non_null(pf_function_pairs_add(&seen, 77, 5, 0));
        pf_sample_state_save(&seen, &c, false);
        pf_function_pairs_release(&seen);
        pf_function_pairs_release(&before);
        pf_coverage_release(&c);
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

#define THREADS 4
static struct pf_pair_coverage shared;
static void *add_all(void *arg)
{
    uint64_t bit = 1ull << (uintptr_t)arg;
    for (uint64_t key = 1; key <= 2000; key++) {
        struct pf_coverage_entry *e = pf_coverage_add(&shared, key * 0x9e3779b97f4a7c15ull);
        pf_coverage_add_sites(e, key % 2, bit);
        pf_coverage_add_flags(e, (uint32_t)bit);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t p[THREADS];
    pf_coverage_init(&shared);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&p[i], NULL, add_all, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(p[i], NULL);
    for (uint64_t key = 1; key <= 2000; key++) {
        const struct pf_coverage_entry *e = pf_coverage_find(&shared, key * 0x9e3779b97f4a7c15ull);
        assert_non_null(e);
        assert_int_equal(e->sites[key % 2], (1u << THREADS) - 1);
        assert_int_equal(e->flags, (1u << THREADS) - 1);
    }
    /* a full table: no entry, and nothing that was added is lost */
    for (uint64_t key = 1; key <= PF_COVERAGE_SIZE; key++)
        pf_coverage_add(&shared, pf_coverage_function_key(key));
    assert_true(shared.n <= PF_COVERAGE_MAX);
    assert_null(pf_coverage_add(&shared, pf_coverage_function_key(PF_COVERAGE_SIZE + 7)));
    assert_non_null(pf_coverage_find(&shared, 0x9e3779b97f4a7c15ull));
    pf_coverage_release(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_executions),
        cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
