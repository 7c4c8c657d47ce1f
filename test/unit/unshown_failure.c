// sources: src/check/unshown_failure.c src/clip/failed_stack.c
// sources: src/findings/*.c src/base/*.c src/report/*.c
/* unshown_failure.c - a failure of a recording is a finding, unless a replay has shown it. */
#define _GNU_SOURCE
#include "unshown_failure.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* -> the number of findings after a recording crashed with this stack and signal 11, and a replay
 * with `signal` in `second`, which `turn` has called */
static size_t findings_with(const char *stack, int signal)
{
    struct pf_stack_frame frames[] = {{.function = "second", .file = "a.c", .line = 28},
                                      {.function = "turn", .file = "a.h", .line = 39}};
    struct pf_access access = {.stack = {frames, 2}};
    struct pf_finding shown = {
        .kind = PF_KIND_CRASH, .signal = signal, .accesses = &access, .naccesses = 1};
    struct pf_unshown_failure x = {
        .kind = PF_KIND_CRASH, .signal = 11, .stack = stack, .clip = "c"};
    struct pf_unshown_failure *list = NULL;
    struct pf_findings f;
    pf_findings_init(&f);
    pf_findings_push(&f, &shown);
    pf_unshown_failure_add(&f, &list, &x, "it died");
    size_t n = f.n;
    pf_findings_release(&f);
    return n;
}

static size_t findings_after(const char *stack) { return findings_with(stack, 11); }

static void test_signal(void **state)
{
    (void)state;
    assert_int_equal(findings_with("second a.c:28 < turn a.h:39", 6), 2);
    assert_int_equal(findings_with("second a.c:28 < turn a.h:39", 0), 1); /* unknown */
}

static void test_same_place(void **state)
{
    (void)state;
    assert_int_equal(findings_after("second a.c:28 < turn a.h:39"), 1);
    assert_int_equal(findings_after("memcpy < second a.c:28 < turn a.h:39"), 1);
    assert_int_equal(findings_after("turn a.h:39"),
                     1); /* `second` calls nothing: it has no frame */
    assert_int_equal(findings_after(""), 1);
}

static void test_other_place(void **state)
{
    (void)state;
    assert_int_equal(findings_after("third a.c:30 < turn a.h:39"), 2);
    assert_int_equal(findings_after("turning a.h:39"), 2);
    assert_int_equal(findings_after("seconds a.c:28"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signal),
                                       cmocka_unit_test(test_same_place),
                                       cmocka_unit_test(test_other_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
