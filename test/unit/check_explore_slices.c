// sources: src/check/explore_slices.c
/*
 * check_explore_slices.c - the slices of the systematic search: each is four times as long as the
 * one before, and due when the batches have run as many schedules.
 */
#include "explore_slices.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void grows_with_the_batches(void **unused)
{
    (void)unused;
    struct pf_explore_slices s = {0};
    assert_true(pf_explore_slices_due(&s, 0));
    assert_int_equal(pf_explore_slices_next(&s, 50), 256);
    pf_explore_slices_add(&s, 256, 1000, 90);
    assert_false(pf_explore_slices_due(&s, 255));
    assert_true(pf_explore_slices_due(&s, 256));
    assert_int_equal(pf_explore_slices_next(&s, 50), 1024);
    pf_explore_slices_add(&s, 700, 3000, 2000); /* cut at its time limit */
    assert_int_equal(pf_explore_slices_next(&s, 50), 2800);
    assert_int_equal(s.left, 3000);
}

static void begins_short_if_runs_are_long(void **unused)
{
    (void)unused;
    struct pf_explore_slices s = {0};
    assert_int_equal(pf_explore_slices_next(&s, 400), 100);
    assert_int_equal(pf_explore_slices_next(&s, 100000), 8);
    assert_int_equal(pf_explore_slices_next(&s, 0), 256);
}

static void ends_when_nothing_is_left(void **unused)
{
    (void)unused;
    struct pf_explore_slices whole = {0}, failed = {0};
    pf_explore_slices_add(&whole, 12, 0, 30);
    assert_false(pf_explore_slices_due(&whole, 1000));
    pf_explore_slices_add(&failed, 0, 0, 5);
    assert_false(pf_explore_slices_due(&failed, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_with_the_batches),
        cmocka_unit_test(begins_short_if_runs_are_long),
        cmocka_unit_test(ends_when_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
