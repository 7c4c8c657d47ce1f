// sources: src/rt/sample/watch_window.c src/rt/sys.c src/rt/gate.S
/*
 * sample_watch_window.c - the share of time that AtexRace watches follows the option `overhead`:
 * windows by a simulated clock, and a thread whose calls are all sampled unless its share is too
 * large.
 */
#include "options.h"
#include "watch_window.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka needs these before it
#include <cmocka.h>

#define STEP 1000ull /* cycles between two calls */
#define STEPS 4000000ull

struct pf_options pf_options;

static void test_windows(void **state)
{
    (void)state;
    uint64_t now = pf_window_now() + (1ull << 40);
    for (int percent = 1; percent <= 25; percent += 6) {
        pf_options.overhead = percent;
        pf_window_start();
        uint64_t open = 0;
        for (uint64_t i = 0; i < STEPS; i++, now += STEP) {
            if (pf_window_is_open(now))
                open++;
            else
                pf_window_open_if_due(now);
        }
        assert_in_range(open * 1000 / STEPS, percent * 9, percent * 11);
    }
}

/* A thread calls three functions: in every step, once in 2^26 and once in 2^30 cycles. Calls of the
 * first one never open a window, calls of the last one always do, and all of them together take
 * half of the share. */
static void test_rare(void **state)
{
    (void)state;
    const uint64_t interval[] = {STEP, 1ull << 26, 1ull << 30};
    uint64_t now = pf_window_now() + (1ull << 41), calls[3] = {0}, opened[3] = {0};
    pf_options.overhead = 1;
    pf_window_start();
    for (uint64_t i = 0; i < STEPS * 10; i++, now += STEP)
        for (unsigned f = 0; f < 3; f++)
            if (i % (interval[f] / STEP) == 0) {
                calls[f]++;
                opened[f] += pf_window_open_for_rare(now, interval[f]);
            }
    assert_int_equal(opened[0], 0);
    assert_false(pf_window_is_rare(interval[0]));
    assert_int_equal(opened[2], calls[2]);
    assert_in_range(opened[1], calls[1] / 2, calls[1]);
    pf_options.overhead = 0; /* no windows */
    pf_window_start();
    assert_false(pf_window_open_for_rare(now + (1ull << 41), 1ull << 40));
    assert_false(pf_window_open_if_due(now + (1ull << 41)));
}

/* A block that is entered often is watched 64 times, a rare one always. */
static void test_rare_block(void **state)
{
    (void)state;
    struct pf_rare_block often = {PF_RARE_BLOCK_ENTRIES, 0}, rare = often;
    uint64_t now = pf_window_now(), watched = 0;
    for (uint64_t i = 0; i < STEPS; i++, now += STEP)
        watched += pf_window_rare_block(&often, now);
    assert_in_range(watched, PF_RARE_BLOCK_ENTRIES, PF_RARE_BLOCK_ENTRIES + 1);
    assert_int_equal(often.left, 0);
    for (uint64_t i = 0; i < 10000; i++, now += 1 << 19)
        assert_true(pf_window_rare_block(&rare, now));
}

static void test_share(void **state)
{
    (void)state;
    const int percents[] = {1, 10, 50};
    for (unsigned k = 0; k < 3; k++) {
        struct pf_watch_time w = {0};
        uint64_t now = 1, watched = 0;
        pf_options.overhead = percents[k];
        for (uint64_t i = 0; i < STEPS; i++) {
            bool watch = !pf_watch_time_add(&w, now);
            pf_watch_time_decided(&w, watch);
            now += watch ? 5 * STEP : STEP; /* watched calls are slower */
            watched += watch ? 5 * STEP : 0;
        }
        assert_in_range(watched * 100 / now, percents[k], percents[k] + 1);
    }
    struct pf_watch_time waiting = {0}; /* the time of a thread that waits does not count */
    pf_options.overhead = 10;
    pf_watch_time_add(&waiting, 1);
    pf_watch_time_add(&waiting, 1ull << 50);
    assert_in_range(waiting.total, 1, 1ull << 30);
    pf_options.overhead = 0; /* no limit */
    struct pf_watch_time all = {.watching = true};
    for (uint64_t now = 1; now < STEPS * STEP; now += STEP)
        assert_false(pf_watch_time_add(&all, now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_rare),
        cmocka_unit_test(test_rare_block),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
