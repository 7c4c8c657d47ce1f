/* fleet_task_size.c - tasks of a fleet take 30 to 120 s, if there is enough work. */
// sources: src/fleet/task_size.c
#include "../../src/fleet/task_size.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define LEAST 30000
#define MOST 120000

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

/* Times of tests: all alike, evenly spread, and with a long tail. */
static uint64_t alike(void) { return 500; }
static uint64_t spread(void) { return 5 + next_random() % 20000; }
static uint64_t tail(void)
{
    uint64_t ms = 20 + next_random() % 20;
    while (ms < 40000 && next_random() % 2)
        ms *= 2;
    return ms;
}

static const struct {
    uint64_t (*time)(void);
    size_t tests, tasks;
} suites[] = {{alike, 10000, 16}, {spread, 10000, 16}, {tail, 10000, 4},
              {tail, 100000, 64}, {spread, 2000, 100}, {alike, 30000, 200}};

static void large(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof suites / sizeof *suites; k++) {
        size_t n = suites[k].tests, tasks = 0, outside = 0;
        uint64_t *ms = calloc(n, sizeof *ms), all = 0, left, longest = 0;
        random_state = k + 1;
        for (size_t i = 0; i < n; i++)
            all += ms[i] = suites[k].time();
        left = all;
        for (size_t i = 0; i < n; tasks++) {
            uint64_t sum = ms[i], target = pf_task_target(all, left, suites[k].tasks);
            for (i++; i < n && pf_task_takes(sum, ms[i], target); i++)
                sum += ms[i];
            left -= sum;
            longest = sum > longest ? sum : longest;
            outside += (sum < LEAST || sum > MOST) && i < n; /* the last one has the rest */
        }
        print_message("%zu tests, %zu tasks at a time: %zu tasks, mean %.1f s, longest %.1f s\n", n,
                      suites[k].tasks, tasks, (double)all / 1000 / (double)tasks,
                      (double)longest / 1000);
        assert_int_equal(outside, 0);
        assert_true(all / tasks >= LEAST);
        free(ms);
    }
}

/* Little work: every node gets an equal part. */
static void small(void **state)
{
    (void)state;
    assert_int_equal(pf_task_target(40000, 40000, 4), 10000);
    assert_int_equal(pf_task_target(40000, 10000, 4), 10000);
    assert_int_equal(pf_task_units(10 * 999, 10, 20, 20, 4), 5);
    assert_int_equal(pf_task_units(10 * 999, 10, 20, 3, 4), 5);
}

/* Units of the same length, as rounds of a check and races that are judged. */
static void units(void **state)
{
    (void)state;
    assert_int_equal(pf_task_units(7 * 4999, 7, 10000, 10000, 16), 12);
    assert_int_equal(pf_task_units(7 * 4999, 7, 10000, 10, 16), 6);
    assert_int_equal(pf_task_units(0, 0, 10000, 10000, 16), 625);
    assert_int_equal(pf_task_units(600000, 0, 10000, 10000, 16), 1);
    assert_int_equal(pf_task_units(600000, 1, 10, 10, 16), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large), cmocka_unit_test(small),
                                       cmocka_unit_test(units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
