/* Solves questions about the input of symbolic runs. Every answer of the solver must satisfy the
 * evaluator. */
// sources: src/solve/expression_log.c src/solve/expression_value.c src/solve/input_bytes.c
// sources: src/solve/apply_values.c
// sources: src/solve/inverse.c src/solve/slice.c src/solve/solve.c src/solve/z3_host.c
// sources: src/base/*.c src/report/*.c src/process/command.c
#define _GNU_SOURCE
#include "expression_harness.h"

/* Every solution must satisfy the evaluator on the bytes of the new input. */
static void test_random_questions(void **state)
{
    (void)state;
    struct pf_path_solver s;
    pf_path_solver_init(&s, worker, 2000);
    for (unsigned round = 0; round < 150; round++) {
        struct pf_expression_log log;
        struct pf_path_run r;
        struct pf_evaluation v;
        pf_leaf_values out = {0};
        random_log(&log, 10);
        pf_evaluation_init(&v, &log);
        size_t nodes = log.nodes.len;
        for (uint32_t i = 5; i < nodes; i++)
            if (log.nodes.at[i].bits == 1)
                condition(&log, i, pf_evaluate(&v, i));
        pf_path_run_init(&r, &log);
        for (size_t i = 0; i < log.conditions.len; i++) {
            if (pf_solve_flip(&s, &r, i, &out) != PF_SOLVE_YES)
                continue;
            struct pf_input_bytes now;
            pf_input_bytes_apply(&now, &r.input, &log, &out);
            for (uint32_t k = 0; k < log.leaves.len; k++)
                pf_evaluation_set(&v, k, now.sources.at[0].bytes[log.leaves.at[k].offset]);
            for (size_t k = 0; k <= i; k++)
                assert_int_equal(pf_evaluate(&v, log.conditions.at[k].label),
                                 log.conditions.at[k].holds ^ (k == i));
            pf_input_bytes_release(&now);
        }
        pf_path_run_release(&r);
        pf_evaluation_release(&v);
        pf_vec_release(&out);
        pf_expression_log_release(&log);
    }
    assert_int_equal(s.counts.wrong, 0);
    assert_int_equal(s.counts.failed, 0);
    assert_true(s.counts.solved > 50 && s.counts.impossible > 20);
    assert_true(s.counts.z3 > 20 && s.counts.bytes > 20);
    pf_path_solver_release(&s);
}

/* A run with one expression log, its solver and the last answer. */
struct question {
    struct pf_path_solver solver;
    struct pf_path_run run;
    struct pf_expression_log log;
    pf_leaf_values values;
};
static void question_init(struct question *q, unsigned limit_ms)
{
    memset(q, 0, sizeof *q);
    pf_path_solver_init(&q->solver, worker, limit_ms);
}
static void question_release(struct question *q)
{
    pf_path_run_release(&q->run);
    pf_vec_release(&q->values);
    pf_expression_log_release(&q->log);
    pf_path_solver_release(&q->solver);
}

/* The bytes of source 0 after the solution. */
static char *solved_text(struct pf_path_run *r, const pf_leaf_values *values)
{
    struct pf_input_bytes now;
    pf_input_bytes_apply(&now, &r->input, r->log, values);
    char *text = pf_mem_copy_n((char *)now.sources.at[0].bytes, now.sources.at[0].n);
    pf_input_bytes_release(&now);
    return text;
}

static void test_ways(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 5000);

    /* a word of two bytes: undone; a third byte has its own condition and stays */
    add_source(&q.log, PF_SOURCE_STDIN, "stdin", "abc");
    uint32_t low = byte(&q.log, 0, 0), high = byte(&q.log, 0, 1), other = byte(&q.log, 0, 2);
    uint32_t word = add(&q.log, (struct pf_symbolic_record){
                                    .op = PF_EXPR_CONCAT, .bits = 16, .a = high, .b = low, .c = 8});
    condition(&q.log, with(&q.log, PF_EXPR_EQ, other, 'c'), true);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, with(&q.log, PF_EXPR_XOR, word, 0x2020), 0x4241),
              false);
    pf_path_run_init(&q.run, &q.log);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 1, &q.values), PF_SOLVE_YES);
    char *text = solved_text(&q.run, &q.values);
    assert_string_equal(text, "abc");
    free(text);
    assert_int_equal(q.solver.counts.inverted, 1);
    assert_int_equal(q.solver.counts.z3, 0);
    /* the same question again */
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 1, &q.values), PF_SOLVE_YES);
    assert_int_equal(q.solver.counts.cached, 1);
    /* one byte: all its values */
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 0, &q.values), PF_SOLVE_YES);
    assert_int_equal(q.solver.counts.bytes, 1);
    question_release(&q);
}

/* A number leaf is printed as text; conditions on the same number are kept. */
static void test_numbers(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 5000);
    add_source(&q.log, PF_SOURCE_ARGUMENT, "argv[1]", "n=17;");
    uint32_t n = number(&q.log, 0, 2, 2, 17, 64);
    condition(&q.log, with(&q.log, PF_EXPR_SLT, n, 100000), true);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, with(&q.log, PF_EXPR_SREM, n, 13), 0), false);
    condition(&q.log, with(&q.log, PF_EXPR_SGT, with(&q.log, PF_EXPR_MUL, n, 3), 3000), false);
    pf_path_run_init(&q.run, &q.log);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 2, &q.values), PF_SOLVE_YES);
    char *text = solved_text(&q.run, &q.values);
    long got = strtol(text + 2, NULL, 10);
    assert_true(got * 3 > 3000 && got < 100000 && got % 13);
    assert_int_equal(text[strlen(text) - 1], ';');
    free(text);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 1, &q.values), PF_SOLVE_YES);
    text = solved_text(&q.run, &q.values);
    assert_int_equal(strtol(text + 2, NULL, 10) % 13, 0);
    free(text);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 0, &q.values), PF_SOLVE_YES);
    text = solved_text(&q.run, &q.values);
    assert_true(strtol(text + 2, NULL, 10) >= 100000);
    free(text);
    question_release(&q);
}

static void test_number_text(void **state)
{
    (void)state;
    static const struct {
        struct pf_leaf leaf;
        uint64_t value;
        bool keep;
        const char *want;
    } table[] = {
        {{.bits = 32, .base = 10, .bytes = 2}, 1005, true, "1005"},
        {{.bits = 32, .base = 10, .bytes = 4}, 7, true, "0007"},
        {{.bits = 32, .base = 10, .bytes = 4}, 7, false, "7"},
        {{.bits = 32, .base = 10, .bytes = 4}, 0xfffffffb, true, "-005"},
        {{.bits = 32, .base = 0, .bytes = 3}, 7, true, "  7"},
        {{.bits = 32, .base = 0, .bytes = 10}, 0xfffffff7, true, "        -9"},
        {{.bits = 32, .base = 0, .bytes = 4}, 200, false, "200"},
        {{.bits = 8, .base = 16, .bytes = 1}, 0x7f, false, "7f"},
        {{.bits = 64, .base = 10, .bytes = 1}, 1ull << 63, false, "-9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[PF_NUMBER_TEXT];
        size_t n = pf_number_text(text, &table[i].leaf, table[i].value, table[i].keep);
        assert_int_equal(n, strlen(table[i].want));
        assert_memory_equal(text, table[i].want, n);
    }
}

/* A longer input; an argument that ends earlier. */
static void test_lengths(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 5000);
    add_source(&q.log, PF_SOURCE_STDIN, "stdin", "short");
    add_source(&q.log, PF_SOURCE_ARGUMENT, "argv[1]", "word");
    uint32_t length =
        add(&q.log, (struct pf_symbolic_record){.op = PF_EXPR_LENGTH, .bits = 64, .y = 5});
    uint32_t third = byte(&q.log, 1, 2);
    condition(&q.log, with(&q.log, PF_EXPR_UGT, length, 64), false);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, third, 0), false);
    pf_path_run_init(&q.run, &q.log);
    struct pf_input_bytes now;
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 0, &q.values), PF_SOLVE_YES);
    pf_input_bytes_apply(&now, &q.run.input, &q.log, &q.values);
    assert_true(pf_input_bytes_find(&now, "stdin")->n > 64);
    assert_memory_equal(pf_input_bytes_find(&now, "stdin")->bytes, "short", 5);
    assert_true(pf_input_bytes_hash(&now) != pf_input_bytes_hash(&q.run.input));
    pf_input_bytes_release(&now);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 1, &q.values), PF_SOLVE_YES);
    pf_input_bytes_apply(&now, &q.run.input, &q.log, &q.values);
    assert_int_equal(pf_input_bytes_find(&now, "argv[1]")->n, 2);
    pf_input_bytes_release(&now);
    question_release(&q);
}

/* A word ends at its first 0; a longer number moves what follows it. Then
 * the other conditions may change, and the path is not known. */
static void test_keeps_path(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 5000);
    add_source(&q.log, PF_SOURCE_ARGUMENT, "argv[1]", "ab");
    add_source(&q.log, PF_SOURCE_STDIN, "stdin", "7;x");
    uint32_t length =
        add(&q.log, (struct pf_symbolic_record){.op = PF_EXPR_LENGTH, .bits = 64, .y = 2});
    uint32_t number =
        add(&q.log, (struct pf_symbolic_record){
                        .op = PF_EXPR_NUMBER, .bits = 32, .a = 1, .b = 1, .c = 10, .y = 7});
    condition(&q.log, with(&q.log, PF_EXPR_EQ, byte(&q.log, 0, 0), 'a'), true);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, length, 2), true);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, byte(&q.log, 1, 1), ';'), true);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, byte(&q.log, 0, 1), 0), false);
    condition(&q.log, with(&q.log, PF_EXPR_UGT, number, 9), false);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, number, 8), false);
    pf_path_run_init(&q.run, &q.log);
    const struct {
        size_t flip, kept;
        bool keeps;
    } rows[] = {{3, 1, true}, {3, 2, false}, {4, 2, true}, {4, 3, false}, {5, 3, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pf_wanted goal = {q.log.conditions.at[rows[i].flip].label, true};
        pf_wanted_list goals = {.at = &goal, .len = 1, .cap = 1};
        assert_int_equal(pf_solve(&q.solver, &q.run, rows[i].kept, &goals, &q.values),
                         PF_SOLVE_YES);
        assert_int_equal(pf_solution_keeps_path(&q.run, rows[i].kept, goal, &q.values),
                         rows[i].keeps);
    }
    question_release(&q);
}

/* A longer word overwrites the 0 that the log has after it. */
static void test_longer_word(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 5000);
    add_source(&q.log, PF_SOURCE_ARGUMENT, "argv[1]", "ab");
    q.log.sources.at[0].n++; /* its 0 */
    uint32_t length =
        add(&q.log, (struct pf_symbolic_record){.op = PF_EXPR_LENGTH, .bits = 64, .y = 2});
    condition(&q.log, with(&q.log, PF_EXPR_EQ, byte(&q.log, 0, 2), 0), true);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, length, 2), true);
    pf_path_run_init(&q.run, &q.log);
    struct pf_wanted goal = {q.log.conditions.at[1].label, false};
    for (size_t kept = 0; kept < 2; kept++) {
        q.values.len = 0;
        pf_vec_push(&q.values, (struct pf_leaf_value){q.log.leaf_of.at[length], 3});
        assert_int_equal(pf_solution_keeps_path(&q.run, kept, goal, &q.values), !kept);
    }
    char *text = solved_text(&q.run, &q.values);
    assert_string_equal(text, "aba");
    free(text);
    question_release(&q);
}

/* No input is made longer than the kernel accepts as an argument. */
static void test_length_limit(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 5000);
    add_source(&q.log, PF_SOURCE_ARGUMENT, "argv[1]", "word");
    uint32_t length =
        add(&q.log, (struct pf_symbolic_record){.op = PF_EXPR_LENGTH, .bits = 64, .y = 4});
    condition(&q.log, with(&q.log, PF_EXPR_UGT, length, INT32_MAX), false);
    condition(&q.log, with(&q.log, PF_EXPR_UGT, length, 4000), false);
    pf_path_run_init(&q.run, &q.log);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 0, &q.values), PF_SOLVE_NO);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 1, &q.values), PF_SOLVE_YES);
    question_release(&q);
}

/* Sets one byte that is part of a sum: the solution changes the byte and what is needed to correct
 * the sum, and no other byte. */
static void test_close(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 20000);
    add_source(&q.log, PF_SOURCE_STDIN, "stdin", "0123456789X");
    uint32_t sum = byte(&q.log, 0, 0), sixth = 0;
    uint64_t value = '0';
    for (uint64_t i = 1; i < 10; i++) {
        uint32_t next = byte(&q.log, 0, i);
        sixth = i == 6 ? next : sixth;
        sum = binary(&q.log, PF_EXPR_ADD, sum, next, 0);
        value += '0' + i;
    }
    q.log.sources.at[0].bytes[10] = (unsigned char)value;
    uint32_t wanted = byte(&q.log, 0, 10);
    condition(&q.log, binary(&q.log, PF_EXPR_EQ, sum, wanted, 0), true);
    condition(&q.log, with(&q.log, PF_EXPR_EQ, sixth, 'Z'), false);
    pf_path_run_init(&q.run, &q.log);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 1, &q.values), PF_SOLVE_YES);
    assert_int_equal(q.values.len, 2);
    char *text = solved_text(&q.run, &q.values);
    assert_int_equal(text[6], 'Z');
    free(text);
    question_release(&q);
}

/* Each condition contains all operations before it. Walking them for each condition would take
 * 10^10 steps. */
static void test_slice(void **state)
{
    (void)state;
    enum { CONDITIONS = 100000 };
    struct pf_expression_log log = {0};
    struct pf_slicer slicer;
    pf_wanted_list out = {0}, goals = {0};
    add_source(&log, PF_SOURCE_STDIN, "stdin", "abcd");
    uint32_t at[] = {byte(&log, 0, 0), byte(&log, 0, 1), byte(&log, 0, 2)},
             other = byte(&log, 0, 3);
    uint32_t x = at[0];
    for (unsigned i = 0; i < CONDITIONS; i++) {
        x = binary(&log, PF_EXPR_ADD, x, at[i % 3], 0);
        condition(&log, with(&log, PF_EXPR_EQ, i % 10 ? x : other, i), false);
    }
    pf_slicer_init(&slicer, &log);
    pf_vec_push(&goals, (struct pf_wanted){with(&log, PF_EXPR_EQ, other, 7), true});
    pf_slice(&slicer, CONDITIONS, &goals, &out);
    assert_int_equal(out.len, CONDITIONS / 10 + 1);
    goals.at[0].label = with(&log, PF_EXPR_EQ, at[2], 7);
    pf_slice(&slicer, CONDITIONS, &goals, &out);
    assert_int_equal(out.len, CONDITIONS - CONDITIONS / 10 + 1);
    /* the first two conditions on the sum do not depend on the third byte, but are connected */
    pf_slice(&slicer, 2, &goals, &out);
    assert_int_equal(out.len, 1);
    assert_false(pf_slicer_has_length(&slicer, x));
    size_t n;
    assert_non_null(pf_slicer_leaves(&slicer, x, &n));
    assert_int_equal(n, 3);
    pf_slicer_release(&slicer);
    pf_vec_release(&out);
    pf_vec_release(&goals);
    pf_expression_log_release(&log);
}

/* One step of a hash function: v * odd ^ v >> 29. */
static uint32_t mix(struct pf_expression_log *log, uint32_t v)
{
    v = with(log, PF_EXPR_MUL, v, 0x9e3779b97f4a7c15u);
    return binary(log, PF_EXPR_XOR, v, with(log, PF_EXPR_LSHR, v, 29), 0);
}

/* Two numbers whose hashes add up to a given one: Z3 is stopped at its limit long before it has an
 * answer, and answers the next question. */
static void test_limit(void **state)
{
    (void)state;
    struct question q;
    question_init(&q, 50);
    add_source(&q.log, PF_SOURCE_ARGUMENT, "argv[1]", "3 5");
    uint32_t a = number(&q.log, 0, 0, 1, 3, 64), b = number(&q.log, 0, 2, 1, 5, 64), x = a, y = b;
    for (int i = 0; i < 8; i++) {
        x = mix(&q.log, x);
        y = mix(&q.log, binary(&q.log, PF_EXPR_XOR, x, y, 0));
    }
    condition(&q.log, with(&q.log, PF_EXPR_EQ, binary(&q.log, PF_EXPR_MUL, x, y, 0), 4294967291u),
              false);
    condition(&q.log, binary(&q.log, PF_EXPR_ULT, a, b, 0), true);
    pf_path_run_init(&q.run, &q.log);
    assert_int_equal(pf_solve_flip(&q.solver, &q.run, 0, &q.values), PF_SOLVE_LIMIT);
    assert_int_equal(q.solver.counts.limit, 1);
    q.solver.z3.limit_ms = 5000;
    pf_wanted_list goals = {0};
    pf_vec_push(&goals, (struct pf_wanted){q.log.conditions.at[1].label, false});
    assert_int_equal(pf_solve(&q.solver, &q.run, 0, &goals, &q.values), PF_SOLVE_YES);
    /* a worker that does not exist fails, and is counted */
    struct pf_path_solver none;
    pf_path_solver_init(&none, "/nonexistent/pf-z3", 1000);
    assert_int_equal(pf_solve(&none, &q.run, 0, &goals, &q.values), PF_SOLVE_FAILED);
    assert_int_equal(none.counts.failed, 1);
    pf_path_solver_release(&none);
    pf_vec_release(&goals);
    question_release(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_questions),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_number_text),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_keeps_path),
        cmocka_unit_test(test_longer_word),
        cmocka_unit_test(test_length_limit),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_limit),
    };
    find_worker();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
