/*
 * explore_undecided.c - a question that the order engine cannot decide is counted, and leads to no
 * run (src/explore/beginning.c). pf explore then claims no completeness.
 */
// sources: src/explore/beginning.c src/explore/classes.c src/explore/exec*.c
// sources: src/explore/explored_call.c src/explore/stuck_end.c src/explore/target_*.c
// sources: src/predict/engine/reads_from_*.c src/predict/engine/solver.c
// sources: src/trace/*.c src/base/*.c src/report/*.c src/clip/call_name.c
// flags: -D_GNU_SOURCE= -Wno-unused-function
#include "../../src/explore/target_search.h"
#include "../../src/trace/trace_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The engine, with an answer that the test chooses. */
#define pf_rf_query_decide decide
#include "../../src/predict/engine/reads_from.c"
#undef pf_rf_query_decide

static bool is_undecided;

enum pf_answer pf_rf_query_decide(struct pf_rf_query *q, uint32_t conflicts)
{
    return is_undecided ? PF_UNKNOWN : decide(q, conflicts);
}

/* T1 may read x before or after the write of T0, or of T2. */
static const char text[] = "1 T0 fork T1  2 T1 begin  3 T0 fork T2  4 T2 begin\n"
                           "5 T0 write x=1  6 T2 write x=2  7 T1 read x=2\n";

/* Numbers that a recording has, and a text does not. */
static void complete_trace(struct pf_trace *t)
{
    uint32_t events[8] = {0};
    for (uint32_t i = 0; i < t->threads.len; i++)
        pf_vec_push(&t->recorded.thread, i);
    pf_vec_push(&t->recorded.stacks, (struct pf_recorded_stack){0});
    for (size_t i = 0; i < t->events.len; i++) {
        pf_vec_push(&t->recorded.index, events[t->events.at[i].thread]++);
        pf_vec_push(&t->recorded.event_stack, 0);
    }
}

/* Takes all targets; returns how many beginnings they have. */
static uint64_t search(struct pf_search *s)
{
    struct pf_trace t;
    struct pf_error e;
    const struct pf_exec_report report = {.complete = true};
    uint64_t beginnings = 0;
    pf_trace_init(&t);
    assert_int_equal(pf_trace_read_text(&t, "text", text, sizeof text - 1, &e), PF_OK);
    complete_trace(&t);
    *s = (struct pf_search){0};
    struct pf_execution *x = pf_execution_new(&t, &report);
    pf_search_add(s, x, 0);
    pf_execution_release(x);
    while (pf_search_next(s)) {
        beginnings += s->beginnings.len;
        for (size_t i = 0; i < s->beginnings.len; i++)
            pf_search_end(s, &s->beginnings.at[i]);
    }
    pf_trace_release(&t);
    return beginnings;
}

static void test_decided(void **unused)
{
    struct pf_search s;
    is_undecided = false;
    assert_true(search(&s) > 0);
    assert_int_equal(s.unknown, 0);
    pf_search_release(&s);
}

static void test_undecided(void **unused)
{
    struct pf_search s;
    is_undecided = true;
    assert_int_equal(search(&s), 0);
    assert_true(s.unknown > 0);
    pf_search_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decided),
        cmocka_unit_test(test_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
