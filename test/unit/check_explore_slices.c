// sources: src/check/explore_slices.c
/*
 * check_explore_slices.c - the slices of the systematic search: a short one before the predictions,
 * then a full one; each further one is four times as long as the one before, and due when the
 * batches have run a quarter of its schedules.
 */
#include "explore_slices.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void looks_first(void **unused)
{
    (void)unused;
    struct pf_explore_slices s = {0};
    assert_true(pf_explore_slices_looks(&s, 50));
    assert_true(pf_explore_slices_due(&s, 50, 0));
    assert_int_equal(pf_explore_slices_next(&s, 50), 8);
    pf_explore_slices_add(&s, 8, 100, 20);
    assert_false(pf_explore_slices_looks(&s, 50));
    assert_true(pf_explore_slices_due(&s, 50, 0)); /* in the same round */
    assert_int_equal(pf_explore_slices_next(&s, 50), 1600);
}

static void grows_with_the_batches(void **unused)
{
    (void)unused;
    struct pf_explore_slices s = {0};
    pf_explore_slices_add(&s, 1600, 1000, 90);
    assert_int_equal(pf_explore_slices_next(&s, 50), 6400);
    assert_false(pf_explore_slices_due(&s, 50, 1599));
    assert_true(pf_explore_slices_due(&s, 50, 1600));
    pf_explore_slices_add(&s, 700, 3000, 2000); /* cut at its time limit */
    assert_int_equal(pf_explore_slices_next(&s, 50), 2800);
    assert_int_equal(s.left, 3000);
}

static void begins_short_if_runs_are_long(void **unused)
{
    (void)unused;
    struct pf_explore_slices s = {0};
    assert_int_equal(pf_explore_slices_next(&s, 400), 8);
    assert_false(pf_explore_slices_looks(&s, 4000)); /* predictions come first */
    assert_int_equal(pf_explore_slices_next(&s, 4000), 20);
    assert_int_equal(pf_explore_slices_next(&s, 100000), 8);
    pf_explore_slices_add(&s, 8, 100, 20);
    assert_int_equal(pf_explore_slices_next(&s, 400), 200);
    assert_int_equal(pf_explore_slices_next(&s, 0), 2048);
    assert_int_equal(pf_explore_slices_next(&s, 100000), 32);
}

static void ends_when_nothing_is_left(void **unused)
{
    (void)unused;
    struct pf_explore_slices whole = {0}, failed = {0};
    pf_explore_slices_add(&whole, 12, 0, 30);
    assert_false(pf_explore_slices_due(&whole, 50, 1000));
    pf_explore_slices_add(&failed, 0, 0, 5);
    assert_false(pf_explore_slices_due(&failed, 50, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_first),
        cmocka_unit_test(grows_with_the_batches),
        cmocka_unit_test(begins_short_if_runs_are_long),
        cmocka_unit_test(ends_when_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
