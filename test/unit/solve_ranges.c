/* Conditions on one number are merged. */
// sources: src/solve/condition_ranges.c
#define _GNU_SOURCE
#include "condition_ranges.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Conditions, separated by ';', and what they become; `refused`: the last one is refused. */
static const struct range_row {
    const char *conditions, *text;
    bool refused;
} rows[] = {
    {"argv[1] <= 5;argv[1] > 0;1 != argv[1];2 == argv[1]", "argv[1] == 2", false},
    {"n > 0;n <= 5;n != 1", "n >= 2 and n <= 5", false},
    {"n >= 0", "n >= 0", false},
    {"10 > n", "n <= 9", false},
    {"n != 3;n >= 1;n <= 5", "n >= 1 and n <= 5 and n != 3", false},
    {"n != 1;n != 2;n >= 1;n <= 3", "n == 3", false},
    {"n == 1;n == 2", "n == 1", true},
    {"n >= 1;n <= 1;n != 1", "n == 1", true},
    {"n < 4;(n + 1) < 3", "n <= 3", true},
    {"n < 4;c == 'x'", "n <= 3", true},
    {"n < 4;n < 99999999999999999999", "n <= 3", true},
};

static void test_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pf_condition_ranges r = {0};
        char all[200], text[200];
        bool added = true;
        snprintf(all, sizeof all, "%s", rows[i].conditions);
        char *at;
        for (char *one = strtok_r(all, ";", &at); one; one = strtok_r(NULL, ";", &at))
            added = pf_condition_ranges_add(&r, one);
        assert_int_equal(added, !rows[i].refused);
        assert_int_equal(r.n, 1);
        assert_true(pf_condition_range_text(&r.at[0], text, sizeof text) > 0);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
