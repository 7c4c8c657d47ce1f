/* What a hunt tries next: the order of questions, and texts that code compares with a piece of the
 * input. */
// sources: src/hunt/hunt_order.c src/solve/compared_text.c src/solve/expression_log.c
// sources: src/base/*.c src/report/*.c
#include "compared_text.h"
#include "hunt_order.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above
#include <cmocka.h>

/* --- order --- */

static struct pf_hunt_question question(uint32_t path, uint32_t reached, uint64_t direction)
{
    return (struct pf_hunt_question){.path = path,
                                     .reached = reached,
                                     .key = direction,
                                     .direction = direction,
                                     .branch = direction + 1000};
}

static uint32_t next_path(struct pf_hunt_order *o)
{
    const struct pf_hunt_question *q = pf_hunt_order_next(o, NULL, NULL);
    assert_non_null(q);
    return q->path;
}

/* An input that reached more comes first, then the one with the fewest changes. */
static void test_order_of_new(void **state)
{
    (void)state;
    struct pf_hunt_order o = {0};
    const uint32_t reached[] = {7, 9, 9, 3};
    for (uint32_t i = 0; i < 4; i++) {
        struct pf_hunt_question q = question(i, reached[i], i);
        pf_hunt_order_add(&o, &q);
    }
    assert_int_equal(next_path(&o), 1);
    assert_int_equal(next_path(&o), 2);
    assert_int_equal(next_path(&o), 0);
    assert_int_equal(next_path(&o), 3);
    assert_null(pf_hunt_order_next(&o, NULL, NULL));
    pf_hunt_order_release(&o);
}

/* A direction that one thread took is still worth a question for another thread. */
static void test_order_of_threads(void **state)
{
    (void)state;
    struct pf_hunt_order o = {0};
    struct pf_hunt_question known = question(0, 5, 1), own = question(1, 5, 1);
    own.own = 77;
    known.branch = own.branch = 2;
    assert_int_equal(pf_hunt_order_took(&o, 1, 2, 3), 2);
    assert_int_equal(pf_hunt_order_took(&o, 1, 2, 3), 0);
    pf_hunt_order_add(&o, &known);
    pf_hunt_order_add(&o, &own);
    assert_int_equal(next_path(&o), 1);
    assert_int_equal(pf_hunt_order_took(&o, 1, 2, 77), 1);
    pf_hunt_order_release(&o);
}

/* Questions without a solution do not make a new direction more expensive than a known one;
 * questions that led to inputs do. */
static void test_order_in_vain(void **state)
{
    (void)state;
    for (int answered = 0; answered < 2; answered++) {
        struct pf_hunt_order o = {0};
        struct pf_hunt_question known = question(100, 5, 2);
        known.depth = PF_HUNT_FAR;
        (void)pf_hunt_order_took(&o, 2, known.branch, 0);
        for (uint32_t i = 0; i < 50; i++) {
            struct pf_hunt_question new = question(i, 5, 1);
            pf_hunt_order_add(&o, &new);
            const struct pf_hunt_question *q = pf_hunt_order_next(&o, NULL, NULL);
            if (answered)
                pf_hunt_order_answered(&o, q);
        }
        struct pf_hunt_question new = question(50, 5, 1);
        pf_hunt_order_add(&o, &known);
        pf_hunt_order_add(&o, &new);
        o.chosen = 0;
        assert_int_equal(next_path(&o), answered ? 100 : 50);
        pf_hunt_order_release(&o);
    }
}

/* A condition near a flip comes before others, unless nothing was new for several flips. */
static void test_order_near_flip(void **state)
{
    (void)state;
    for (uint32_t depth = 0; depth < 5; depth++) {
        struct pf_hunt_order o = {0};
        struct pf_hunt_question far = question(0, 9, 2), near = question(1, 5, 2);
        far.depth = PF_HUNT_FAR;
        near.depth = depth;
        far.distance = near.distance = 40;
        (void)pf_hunt_order_took(&o, 2, far.branch, 0);
        pf_hunt_order_add(&o, &far);
        pf_hunt_order_add(&o, &near);
        assert_int_equal(next_path(&o), depth <= 2 ? 1 : 0);
        pf_hunt_order_release(&o);
    }
}

/* --- texts --- */

static uint32_t add(struct pf_expression_log *log, struct pf_symbolic_record n)
{
    const char *why;
    n.kind = PF_SYMBOLIC_NODE;
    uint32_t label = pf_expression_log_add(log, &n, &why);
    assert_int_not_equal(label, 0);
    return label;
}

/* The bytes of a word, as a number of 64 bits, are compared with a constant. */
static void compare_word(struct pf_expression_log *log, const char *word, size_t labelled,
                         uint64_t constant)
{
    struct pf_log_source s = {.type = PF_SOURCE_STDIN, .name = pf_mem_copy("stdin")};
    s.bytes = (unsigned char *)pf_mem_copy(word);
    s.n = strlen(word);
    memset(log, 0, sizeof *log);
    pf_vec_push(&log->sources, s);
    uint32_t all = 0;
    uint64_t value = 0;
    for (size_t i = 0; i < labelled; i++) {
        uint64_t byte = (unsigned char)word[i];
        uint32_t leaf = add(
            log, (struct pf_symbolic_record){.op = PF_EXPR_INPUT, .bits = 8, .x = i, .y = byte});
        all = !i ? leaf
                 : add(log, (struct pf_symbolic_record){.op = PF_EXPR_CONCAT,
                                                        .bits = (uint16_t)(8 * i + 8),
                                                        .a = leaf,
                                                        .b = all,
                                                        .c = (uint32_t)(8 * i),
                                                        .x = byte,
                                                        .y = value});
        value |= byte << 8 * i;
    }
    if (labelled < 8)
        all = add(log, (struct pf_symbolic_record){.op = PF_EXPR_ZEXT,
                                                   .bits = 64,
                                                   .a = all,
                                                   .c = (uint32_t)(8 * labelled),
                                                   .x = value});
    uint32_t equal =
        add(log, (struct pf_symbolic_record){
                     .op = PF_EXPR_EQ, .bits = 1, .a = all, .c = 64, .x = value, .y = constant});
    pf_vec_push(&log->conditions, (struct pf_log_condition){.label = equal, .holds = false});
    pf_compared_texts(log);
}

static void test_compared_texts(void **state)
{
    (void)state;
    struct pf_expression_log log;
    uint64_t status = 0x7375746174732f; /* "/status" */
    compare_word(&log, "/index", 6, status);
    assert_int_equal(log.texts.len, 1);
    assert_int_equal(log.texts.at[0].old, 6);
    assert_int_equal(log.texts.at[0].n, 7);
    assert_memory_equal(log.texts.at[0].bytes, "/status", 7);
    pf_expression_log_release(&log);
    compare_word(&log, "/documents now", 8, status); /* the word goes on after the 8 bytes */
    assert_int_equal(log.texts.len, 1);
    assert_int_equal(log.texts.at[0].old, 10);
    pf_expression_log_release(&log);
    compare_word(&log, "/static", 7, status); /* other bytes are enough */
    assert_int_equal(log.texts.len, 0);
    pf_expression_log_release(&log);
    compare_word(&log, "/index", 6, 0x1122334455667788); /* not a text */
    assert_int_equal(log.texts.len, 0);
    pf_expression_log_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_new),   cmocka_unit_test(test_order_of_threads),
        cmocka_unit_test(test_order_in_vain),  cmocka_unit_test(test_order_near_flip),
        cmocka_unit_test(test_compared_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
