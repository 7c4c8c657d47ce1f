/* Reads and evaluates expressions of symbolic runs. The evaluator and Z3 share no code: they must
 * agree on random expressions. */
// sources: src/solve/expression_log.c src/solve/expression_value.c src/solve/z3_host.c
// sources: src/base/*.c src/report/*.c src/process/command.c
#define _GNU_SOURCE
#include "expression_harness.h"

static const pf_source_aliases none;

/* --- reading --- */

static void append(unsigned char *stream, size_t *n, struct pf_symbolic_record r, const void *more,
                   size_t nmore)
{
    memcpy(stream + *n, &r, sizeof r);
    *n += sizeof r;
    memset(stream + *n, 0, PF_SYMBOLIC_PADDED(nmore));
    if (nmore)
        memcpy(stream + *n, more, nmore);
    *n += PF_SYMBOLIC_PADDED(nmore);
}

static size_t example(unsigned char *stream)
{
    size_t n = 0;
    append(stream, &n,
           (struct pf_symbolic_record){
               .kind = PF_SYMBOLIC_SOURCE, .op = PF_SOURCE_ARGUMENT, .b = 7, .c = 1},
           "argv[1]", 7);
    append(stream, &n, (struct pf_symbolic_record){.kind = PF_SYMBOLIC_DATA, .b = 2}, "17", 2);
    append(
        stream, &n,
        (struct pf_symbolic_record){
            .kind = PF_SYMBOLIC_NODE, .op = PF_EXPR_NUMBER, .bits = 64, .b = 2, .c = 10, .y = 17},
        NULL, 0);
    append(stream, &n,
           (struct pf_symbolic_record){
               .kind = PF_SYMBOLIC_NODE, .op = PF_EXPR_SGT, .bits = 1, .a = 1, .c = 64, .y = 1000},
           NULL, 0);
    append(stream, &n,
           (struct pf_symbolic_record){.kind = PF_SYMBOLIC_SITE, .b = 12, .c = 12, .x = 5, .y = 99},
           "main\0main.c", 12);
    append(stream, &n, (struct pf_symbolic_record){.kind = PF_SYMBOLIC_CONDITION, .a = 2, .x = 7},
           NULL, 0);
    append(
        stream, &n,
        (struct pf_symbolic_record){.kind = PF_SYMBOLIC_LOST, .op = PF_LOSS_CALL, .b = 4, .x = 3},
        "sqrt", 4);
    return n;
}

static void test_read(void **state)
{
    (void)state;
    unsigned char stream[1024];
    struct pf_expression_log log;
    struct pf_error e;
    size_t n = example(stream);
    assert_int_equal(pf_expression_log_read(&log, "x.clip", stream, n, &none, &e), PF_OK);
    assert_int_equal(log.nodes.len, 3);
    assert_int_equal(log.leaves.len, 1);
    assert_string_equal(log.sources.at[0].name, "argv[1]");
    assert_memory_equal(log.sources.at[0].bytes, "17", 2);
    assert_int_equal(log.conditions.len, 1);
    assert_false(log.conditions.at[0].holds);
    assert_int_equal(log.conditions.at[0].events, 7);
    assert_string_equal(log.sites.at[0].file, "main.c");
    assert_string_equal(log.losses.at[0].name, "sqrt");
    assert_int_equal(log.losses.at[0].count, 3);
    pf_expression_log_release(&log);

    pf_source_aliases aliases = {0};
    pf_vec_push(&aliases, (struct pf_source_alias){"argv[1]", "file:in"});
    assert_int_equal(pf_expression_log_read(&log, "x.clip", stream, n, &aliases, &e), PF_OK);
    assert_string_equal(log.sources.at[0].name, "file:in");
    pf_vec_release(&aliases);
    pf_expression_log_release(&log);
}

/* Operands are distances, also the condition of a select; they cannot reach before the first
 * node. */
static void test_operands(void **state)
{
    (void)state;
    unsigned char stream[1024];
    struct pf_expression_log log;
    struct pf_error e;
    size_t n = example(stream), more = n;
    struct pf_symbolic_record r = {
        .kind = PF_SYMBOLIC_NODE, .op = PF_EXPR_SELECT, .bits = 64, .a = 2, .b = 2, .c = 1};
    append(stream, &more, r, NULL, 0);
    assert_int_equal(pf_expression_log_read(&log, "x.clip", stream, more, &none, &e), PF_OK);
    assert_int_equal(log.nodes.at[2].a, 1);
    assert_int_equal(log.nodes.at[3].a, 1);
    assert_int_equal(log.nodes.at[3].b, 1);
    assert_int_equal(log.nodes.at[3].c, 2);
    pf_expression_log_release(&log);
    more = n;
    r.b = 3;
    append(stream, &more, r, NULL, 0);
    assert_int_equal(pf_expression_log_read(&log, "x.clip", stream, more, &none, &e), PF_BAD);
    assert_non_null(strstr(e.text, "expected operands that came before"));
    pf_expression_log_release(&log);
}

/* Every cut and every changed byte gives a log or a message, never a crash. */
static void test_damaged(void **state)
{
    (void)state;
    unsigned char stream[1024], bad[1024];
    struct pf_expression_log log;
    struct pf_error e;
    size_t n = example(stream), refused = 0;
    for (size_t cut = 1; cut < n; cut++) {
        bool whole = cut % 32 == 0;
        pf_status s = pf_expression_log_read(&log, "x.clip", stream, cut, &none, &e);
        assert_true(s == PF_BAD || (s == PF_OK && whole));
        pf_expression_log_release(&log);
    }
    for (size_t at = 0; at < n; at++)
        for (unsigned value = 0; value < 256; value += 51) {
            memcpy(bad, stream, n);
            bad[at] = (unsigned char)value;
            if (pf_expression_log_read(&log, "x.clip", bad, n, &none, &e) != PF_OK) {
                assert_non_null(strstr(e.text, "x.clip: expression log, offset "));
                refused++;
            }
            pf_expression_log_release(&log);
        }
    assert_true(refused > 100);
}

/* --- evaluating --- */

static void test_operators(void **state)
{
    (void)state;
    static const struct {
        uint8_t op;
        uint16_t bits;
        uint32_t b, c;
        uint64_t x, y, want;
    } table[] = {
        {PF_EXPR_SUB, 8, 0, 0, 3, 5, 0xfe},
        {PF_EXPR_SDIV, 8, 0, 0, 0x80, 0xff, 0x80}, /* the smallest number divided by -1 */
        {PF_EXPR_SDIV, 8, 0, 0, 0xf9, 2, 0xfd},
        {PF_EXPR_SDIV, 8, 0, 0, 0xf9, 0, 1},
        {PF_EXPR_UDIV, 16, 0, 0, 7, 0, 0xffff},
        {PF_EXPR_UREM, 16, 0, 0, 7, 0, 7},
        {PF_EXPR_SREM, 8, 0, 0, 0xf9, 2, 0xff},
        {PF_EXPR_SREM, 64, 0, 0, 1ull << 63, UINT64_MAX, 0},
        {PF_EXPR_ASHR, 8, 0, 0, 0x80, 9, 0xff},
        {PF_EXPR_SHL, 8, 0, 0, 1, 8, 0},
        {PF_EXPR_LSHR, 64, 0, 0, UINT64_MAX, 64, 0},
        {PF_EXPR_SLT, 1, 0, 8, 0xff, 0, 1},
        {PF_EXPR_ULT, 1, 0, 8, 0xff, 0, 0},
        {PF_EXPR_SEXT, 16, 0, 8, 0x80, 0, 0xff80},
        {PF_EXPR_ZEXT, 16, 0, 8, 0x80, 0, 0x80},
        {PF_EXPR_EXTRACT, 4, 4, 8, 0xa5, 0, 0xa},
        {PF_EXPR_CONCAT, 12, 0, 8, 0xa, 0x5b, 0xa5b},
        {PF_EXPR_CTPOP, 8, 0, 0, 0xf1, 0, 5},
        {PF_EXPR_CTLZ, 16, 0, 0, 1, 0, 15},
        {PF_EXPR_CTLZ, 16, 0, 0, 0, 0, 16},
        {PF_EXPR_CTTZ, 16, 0, 0, 8, 0, 3},
        {PF_EXPR_BSWAP, 32, 0, 0, 0x12345678, 0, 0x78563412},
        {PF_EXPR_BITREVERSE, 8, 0, 0, 0x13, 0, 0xc8},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pf_symbolic_record n = {
            .op = table[i].op, .bits = table[i].bits, .b = table[i].b, .c = table[i].c};
        assert_int_equal(pf_evaluate_op(&n, table[i].x, table[i].y, false), table[i].want);
    }
}

/* True if the node avoids what a run of a program cannot do: the worker excludes these. */
static bool is_defined(struct pf_evaluation *v)
{
    for (uint32_t i = 1; i < v->log->nodes.len; i++) {
        const struct pf_symbolic_record *n = &v->log->nodes.at[i];
        if (n->b && n->op >= PF_EXPR_UDIV && n->op <= PF_EXPR_SREM && !pf_evaluate(v, n->b))
            return false;
        if (n->b && n->op >= PF_EXPR_SHL && n->op <= PF_EXPR_ASHR && n->bits > 1 &&
            pf_evaluate(v, n->b) >= n->bits)
            return false;
    }
    return true;
}

/* With all leaves fixed, Z3 and the evaluator compute the same value of the last node. */
static void test_evaluator_against_z3(void **state)
{
    (void)state;
    struct pf_z3_host host;
    unsigned compared = 0;
    pf_z3_host_init(&host, worker, 10000);
    for (unsigned round = 0; round < 400 && compared < 60; round++) {
        struct pf_expression_log log;
        struct pf_evaluation v;
        pf_wanted_list wanted = {0};
        pf_leaf_values values = {0};
        random_log(&log, 12);
        uint32_t top = (uint32_t)log.nodes.len - 1;
        pf_evaluation_init(&v, &log);
        uint64_t value = pf_evaluate(&v, top);
        bool defined = is_defined(&v);
        pf_evaluation_release(&v);
        for (uint32_t i = 1; i <= 4; i++)
            pf_vec_push(&wanted,
                        (struct pf_wanted){
                            with(&log, PF_EXPR_EQ, i, log.sources.at[0].bytes[i - 1]), true});
        pf_vec_push(&wanted, (struct pf_wanted){with(&log, PF_EXPR_EQ, top, value), true});
        if (defined) {
            assert_int_equal(pf_z3_host_ask(&host, &log, &wanted, &values), PF_SOLVE_YES);
            wanted.at[4].holds = false;
            assert_int_equal(pf_z3_host_ask(&host, &log, &wanted, &values), PF_SOLVE_NO);
            compared++;
        }
        pf_vec_release(&wanted);
        pf_vec_release(&values);
        pf_expression_log_release(&log);
    }
    assert_int_equal(compared, 60);
    pf_z3_host_release(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_evaluator_against_z3),
    };
    find_worker();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
