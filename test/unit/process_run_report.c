/* process_run_report.c - the report of a child pf: numbers that do not fit into a signed integer,
 * such as hashes of different outputs, are read back. */
// sources: src/process/run_report.c src/base/*.c src/report/*.c
#include "run_report.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void large_numbers(void **state)
{
    const char *file = "unit.run_report.json";
    struct pf_error e;
    struct pf_run_report back, r = {.status = 2, .error = "diverged", .ran = true};
    r.outcome = PF_OUTCOME_DIVERGED;
    r.divergence = (struct pf_divergence){
        .diverged = 1, .what = "different output", .expected = INT64_MAX, .got = UINT64_MAX};
    assert_int_equal(pf_run_report_write(&r, file, &e), PF_OK);
    assert_int_equal(pf_run_report_read(&back, file, &e), PF_OK);
    unlink(file);
    assert_string_equal(back.error, "diverged");
    assert_int_equal(back.outcome, PF_OUTCOME_DIVERGED);
    assert_true(back.divergence.expected == INT64_MAX);
    assert_string_equal(back.divergence.expected_word, "");
    assert_string_equal(back.divergence.got_word, "18446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
