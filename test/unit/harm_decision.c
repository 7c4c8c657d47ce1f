// sources: src/confirm/harm_decision.c
/* harm_decision.c - whether a failure belongs to a finding, given what both orders have shown. */
#include "harm_cause.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct {
    struct pf_harm_runs runs;
    enum pf_harm_cause answer;
} cases[] = {
    /* the failure, or the other order, could not be run */
    {{.repeated = false, .adjacent = true, .held = 4}, PF_HARM_UNKNOWN},
    {{.repeated = true, .adjacent = true, .held = 0}, PF_HARM_UNKNOWN},
    /* only the order differs, and the failure is gone */
    {{.repeated = true, .adjacent = true, .held = 4}, PF_HARM_OWN},
    {{.repeated = true, .adjacent = true, .held = 4, .free = {8, 8}, .free_failed = {8, 0}},
     PF_HARM_OWN},
    /* only the order differs, and the failure stays */
    {{.repeated = true, .adjacent = true, .held = 4, .held_failed = 4}, PF_HARM_OTHER},
    {{.repeated = true, .adjacent = true, .held = 4, .held_failed = 2}, PF_HARM_OTHER},
    /* the failure is gone, but the rest of the schedule was lost as well */
    {{.repeated = true, .adjacent = true, .held = 4, .left = 4}, PF_HARM_UNKNOWN},
    {{.repeated = true,
      .adjacent = true,
      .held = 4,
      .left = 4,
      .free = {8, 8},
      .free_failed = {1, 0}},
     PF_HARM_UNKNOWN},
    {{.repeated = true,
      .adjacent = true,
      .held = 4,
      .left = 4,
      .free = {8, 8},
      .free_failed = {3, 3}},
     PF_HARM_OTHER},
    {{.repeated = true,
      .adjacent = true,
      .held = 4,
      .left = 4,
      .free = {8, 8},
      .free_failed = {7, 1}},
     PF_HARM_OWN},
    {{.repeated = true, .adjacent = false, .held = 4}, PF_HARM_UNKNOWN},
    {{.repeated = true, .adjacent = false, .held = 4, .free = {8, 8}, .free_failed = {8, 1}},
     PF_HARM_OWN},
    /* random schedules fail in both orders */
    {{.repeated = true, .adjacent = true, .held = 4, .free = {8, 8}, .free_failed = {4, 5}},
     PF_HARM_OTHER},
};

static void test_decisions(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(pf_harm_decide(&cases[i].runs), cases[i].answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decisions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
