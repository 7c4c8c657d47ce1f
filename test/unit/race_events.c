// sources: src/trace/*.c src/predict/clocks.c src/judge/race_events.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
// flags: -D_GNU_SOURCE -O1
/*
 * race_events.c - the accesses of a finding in a trace, by their positions in the source.
 */
#include "race_events.h"
#include "trace_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Two rounds with threads of their own. The last access of the first round and the first access of
 * the second one are closest together, but a join orders them. */
static const char rounds[] = "init x=0\n"
                             "1 T1 fork T2 @a.c:1\n"
                             "2 T1 fork T3 @a.c:1\n"
                             "3 T2 write x=1 @a.c:2\n"
                             "4 T2 read y=0 @a.c:9\n"
                             "5 T3 read y=0 @a.c:9\n"
                             "6 T3 read y=0 @a.c:9\n"
                             "7 T3 read y=0 @a.c:9\n"
                             "8 T3 read x=1 @a.c:3\n"
                             "9 T1 join T2 @a.c:1\n"
                             "10 T1 join T3 @a.c:1\n"
                             "11 T1 fork T4 @a.c:1\n"
                             "12 T4 write x=1 @a.c:2\n";

static void takes_accesses_that_nothing_orders(void **state)
{
    struct pf_stack_frame write = {.file = "a.c", .line = 2}, read = {.file = "a.c", .line = 3};
    struct pf_access accesses[] = {{.op = PF_OP_WRITE, .stack = {.at = &write, .n = 1}},
                                   {.op = PF_OP_READ, .stack = {.at = &read, .n = 1}}};
    struct pf_finding f = {.accesses = accesses, .naccesses = 2};
    struct pf_trace t;
    struct pf_error e;
    uint32_t a, b;
    char why[100];
    (void)state;
    pf_trace_init(&t);
    assert_int_equal(pf_trace_read_text(&t, "rounds", rounds, strlen(rounds), &e), PF_OK);
    assert_true(pf_race_events_at(&t, &f, &a, &b, why, sizeof why));
    assert_int_equal(pf_trace_label(&t, a), 3);
    assert_int_equal(pf_trace_label(&t, b), 8);
    pf_trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_accesses_that_nothing_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
