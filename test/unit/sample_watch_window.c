// sources: src/rt/sample/watch_window.c src/rt/sys.c
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

static void test_share(void **state)
{
    (void)state;
    const int percents[] = {1, 10, 50};
    for (unsigned k = 0; k < 3; k++) {
        struct pf_watch_time w = {0};
        uint64_t now = 1, watched = 0;
        pf_options.overhead = percents[k];
        for (uint64_t i = 0; i < STEPS; i++) {
            bool watch = !pf_watch_time_over(&w, now);
            pf_watch_time_decided(&w, watch);
            now += watch ? 5 * STEP : STEP; /* watched calls are slower */
            watched += watch ? 5 * STEP : 0;
        }
        assert_in_range(watched * 100 / now, percents[k], percents[k] + 1);
    }
    struct pf_watch_time waiting = {0}; /* the time of a thread that waits does not count */
    pf_options.overhead = 10;
    pf_watch_time_over(&waiting, 1);
    pf_watch_time_over(&waiting, 1ull << 50);
    assert_in_range(waiting.total, 1, 1ull << 30);
    pf_options.overhead = 0; /* no limit */
    struct pf_watch_time all = {.watching = true};
    for (uint64_t now = 1; now < STEPS * STEP; now += STEP)
        assert_false(pf_watch_time_over(&all, now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
