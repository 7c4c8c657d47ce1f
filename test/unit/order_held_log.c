/*
 * order_held_log.c - the packed history of locksets against an array, for every shape of history;
 * and read by a second thread while it is written.
 */
// sources: src/rt/order/held_log.c src/rt/spin.c src/rt/sys.c src/rt/gate.S
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "held_log.h"

static uint64_t rng = 1;

static uint32_t rnd(uint32_t n)
{
    rng = rng * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(rng >> 33) % n;
}

/* Kinds of histories: one value; few; many at random; far apart; all different; the largest;
 * runs. */
static uint32_t value(unsigned kind, uint32_t clk)
{
    switch (kind) {
    case 0:
        return 7;
    case 1:
        return rnd(3);
    case 2:
        return 100000 + rnd(100);
    case 3:
        return rnd(200) * 20011;
    case 4:
        return clk;
    case 5:
        return rnd(1u << 22);
    case 6:
        return rnd(256) * 16001;
    case 7:
        return rnd(257) * 16001;
    default:
        return clk / 3000 * 5 + clk % 2;
    }
}
enum { KINDS = 9, LENGTH = 20 * PF_HELD_LOG_CHUNK + 17 };

static void test_packed(void **state)
{
    struct pf_held_log l;
    uint32_t *want = calloc(LENGTH, sizeof *want);
    assert_true(pf_held_log_init(&l));
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (uint32_t clk = 1; clk < LENGTH; clk++) {
            if (rnd(10) == 0) /* changed before it is used */
                pf_held_log_put(&l, clk, value(kind, clk));
            want[clk] = value(kind, clk);
            pf_held_log_put(&l, clk, want[clk]);
            uint32_t back = 1 + rnd(clk);
            assert_int_equal(pf_held_log_get(&l, back), want[back]);
        }
        for (uint32_t clk = 1; clk < LENGTH; clk++)
            assert_int_equal(pf_held_log_get(&l, clk), want[clk]);
        pf_held_log_clear(&l);
    }
    free(want);
}

static void test_small(void **state)
{
    struct pf_held_log l;
    assert_true(pf_held_log_init(&l));
    for (uint32_t clk = 1; clk < LENGTH; clk++)
        pf_held_log_put(&l, clk, 5);
    assert_true(l.used < 20); /* only the first chunk has data, because epoch 0 has no value */
    for (uint32_t clk = LENGTH; clk < 2 * LENGTH; clk++)
        pf_held_log_put(&l, clk, clk % 2 ? 5 : 3000000);
    assert_true(l.used < LENGTH / 64 + 3 * 21); /* one bit each, and a few words per chunk */
}

static void test_full(void **state) /* the worst values, up to the last epoch, fit the mapping */
{
    struct pf_held_log l;
    assert_true(pf_held_log_init(&l));
    for (uint32_t clk = 1; clk <= PF_CLK_MAX; clk++)
        pf_held_log_put(&l, clk, clk % 2 ? clk : (1u << 22) - 1 - clk);
    for (uint32_t clk = 1; clk <= PF_CLK_MAX; clk += 7)
        assert_int_equal(pf_held_log_get(&l, clk), clk % 2 ? clk : (1u << 22) - 1 - clk);
}

static struct pf_held_log watched;
static uint32_t written;
static uint32_t of(uint32_t clk) { return clk * 2654435761u >> 20; }

static void *reader(void *arg)
{
    uint64_t x = 1;
    for (uint32_t last = 0; last < 8 * LENGTH;) {
        last = __atomic_load_n(&written, __ATOMIC_ACQUIRE);
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t clk = last - (uint32_t)(x >> 33) % (last < 1500 ? last + 1 : 1500);
        if (clk && pf_held_log_get(&watched, clk) != of(clk))
            return arg;
    }
    return NULL;
}

static void test_read_meanwhile(void **state)
{
    pthread_t t;
    void *wrong;
    assert_true(pf_held_log_init(&watched));
    pthread_create(&t, NULL, reader, &t);
    for (uint32_t clk = 1; clk <= 8 * LENGTH; clk++) {
        pf_held_log_put(&watched, clk, of(clk));
        __atomic_store_n(&written, clk, __ATOMIC_RELEASE);
    }
    pthread_join(t, &wrong);
    assert_null(wrong);
}

/* Discarded epochs take no memory; later ones, and those of kept chunks, stay known. */
static void test_discarded(void **state)
{
    enum { KEPT = 9 * PF_HELD_LOG_CHUNK + 5, UPTO = 16 * PF_HELD_LOG_CHUNK + 100 };
    struct pf_held_log l;
    uint32_t *want = calloc(LENGTH, sizeof *want);
    assert_true(pf_held_log_init(&l));
    for (uint32_t clk = 1; clk < LENGTH; clk++) {
        want[clk] = value(5, clk);
        pf_held_log_put(&l, clk, want[clk]);
        if (clk == KEPT || clk == UPTO)
            pf_held_log_keep(&l, KEPT); /* while the chunk is open, and later */
        if (clk % 3000 == 0)
            pf_held_log_discard(&l, clk < UPTO ? clk / 2 : UPTO);
    }
    for (uint32_t clk = 16 * PF_HELD_LOG_CHUNK; clk < LENGTH; clk++)
        assert_int_equal(pf_held_log_get(&l, clk), want[clk]);
    for (uint32_t clk = 9 * PF_HELD_LOG_CHUNK; clk < 10 * PF_HELD_LOG_CHUNK; clk++)
        assert_int_equal(pf_held_log_get(&l, clk), want[clk]);
    /* Every page of the other chunks but those they share with what stays is empty. */
    size_t nonzero = 0;
    for (size_t i = 0; i < l.used; i++)
        nonzero += l.packed[i] != 0;
    assert_in_range(nonzero, 1, l.used / 2);
    pf_held_log_clear(&l);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed),
                                       cmocka_unit_test(test_discarded),
                                       cmocka_unit_test(test_small), cmocka_unit_test(test_full),
                                       cmocka_unit_test(test_read_meanwhile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
