/* Reads, evaluates and solves expressions of symbolic runs. The evaluator and Z3 share no code:
 * they must agree on random expressions, and every answer of the solver must satisfy the
 * evaluator. */
// sources: src/solve/expression_log.c src/solve/expression_value.c src/solve/input_bytes.c
// sources: src/solve/apply_values.c
// sources: src/solve/inverse.c src/solve/slice.c src/solve/solve.c src/solve/z3_host.c
// sources: src/base/*.c src/report/*.c src/process/command.c
#define _GNU_SOURCE
#include "inverse.h"
#include "solve.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka needs the headers above
#include <cmocka.h>

static char worker[4096];
static const pf_source_aliases none;

/* --- building logs --- */

static uint32_t add(struct pf_expression_log *log, struct pf_symbolic_record n)
{
    const char *why;
    n.kind = PF_SYMBOLIC_NODE;
    uint32_t label = pf_expression_log_add(log, &n, &why);
    if (!label)
        fail_msg("operator %u: expected %s", n.op, why);
    return label;
}

static void add_source(struct pf_expression_log *log, uint8_t type, const char *name,
                       const char *bytes)
{
    struct pf_log_source s = {.type = type, .name = pf_mem_copy(name)};
    s.bytes = (unsigned char *)pf_mem_copy(bytes);
    s.n = strlen(bytes);
    pf_vec_push(&log->sources, s);
}

static uint32_t byte(struct pf_expression_log *log, uint32_t source, uint64_t offset)
{
    const struct pf_log_source *s = &log->sources.at[source];
    return add(log, (struct pf_symbolic_record){.op = PF_EXPR_INPUT,
                                                .bits = 8,
                                                .a = source,
                                                .x = offset,
                                                .y = offset < s->n ? s->bytes[offset] : 0});
}

static uint32_t number(struct pf_expression_log *log, uint32_t source, uint64_t offset,
                       uint32_t bytes, uint64_t value, uint16_t bits)
{
    return add(log, (struct pf_symbolic_record){.op = PF_EXPR_NUMBER,
                                                .bits = bits,
                                                .a = source,
                                                .b = bytes,
                                                .c = 10,
                                                .x = offset,
                                                .y = value});
}

/* An operator with two operands; the second one is label b, or the constant y if b is 0. */
static uint32_t binary(struct pf_expression_log *log, uint8_t op, uint32_t a, uint32_t b,
                       uint64_t y)
{
    unsigned bits = log->nodes.at[a].bits;
    bool compares = op >= PF_EXPR_EQ && op <= PF_EXPR_SGE;
    return add(log, (struct pf_symbolic_record){.op = op,
                                                .bits = (uint16_t)(compares ? 1 : bits),
                                                .a = a,
                                                .b = b,
                                                .c = compares ? bits : 0,
                                                .y = y});
}

static uint32_t with(struct pf_expression_log *log, uint8_t op, uint32_t a, uint64_t constant)
{
    return binary(log, op, a, 0, constant);
}

static uint32_t widen(struct pf_expression_log *log, uint8_t op, uint32_t a, uint16_t bits)
{
    return add(log, (struct pf_symbolic_record){
                        .op = op, .bits = bits, .a = a, .c = log->nodes.at[a].bits});
}

static void condition(struct pf_expression_log *log, uint32_t label, bool holds)
{
    pf_vec_push(&log->conditions, (struct pf_log_condition){.label = label, .holds = holds});
}

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
           (struct pf_symbolic_record){.kind = PF_SYMBOLIC_NODE,
                                       .op = PF_EXPR_SGT,
                                       .bits = 1,
                                       .a = 1,
                                       .c = 64,
                                       .x = 17,
                                       .y = 1000},
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

static uint64_t seed = 1;

static uint64_t random_word(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* A node of `bits` bits, from a cast of an older one. */
static uint32_t of_width(struct pf_expression_log *log, uint32_t label, unsigned bits)
{
    unsigned has = log->nodes.at[label].bits;
    if (has == bits)
        return label;
    if (has < bits)
        return widen(log, random_word() & 1 ? PF_EXPR_ZEXT : PF_EXPR_SEXT, label, (uint16_t)bits);
    return add(log, (struct pf_symbolic_record){.op = PF_EXPR_EXTRACT,
                                                .bits = (uint16_t)bits,
                                                .a = label,
                                                .b = (uint32_t)(random_word() % (has - bits + 1)),
                                                .c = has});
}

static uint32_t random_node(struct pf_expression_log *log)
{
    static const uint16_t widths[] = {1, 8, 13, 16, 32, 64};
    uint16_t bits = widths[random_word() % 6];
    uint32_t last = (uint32_t)log->nodes.len - 1;
    uint32_t a = of_width(log, 1 + (uint32_t)(random_word() % last), bits);
    uint32_t b = of_width(log, 1 + (uint32_t)(random_word() % last), bits);
    uint8_t op = (uint8_t)(PF_EXPR_ADD + random_word() % (PF_EXPRS - PF_EXPR_ADD));
    struct pf_symbolic_record n = {.op = op, .bits = bits, .a = a, .b = b};
    if (op == PF_EXPR_ZEXT || op == PF_EXPR_SEXT || op == PF_EXPR_EXTRACT)
        return of_width(log, a, widths[random_word() % 6]);
    if (op == PF_EXPR_BSWAP && bits % 8)
        return a;
    if (op == PF_EXPR_CONCAT) {
        if (bits > 32)
            return a;
        n.c = bits;
        n.bits = (uint16_t)(2 * bits);
    } else if (op >= PF_EXPR_EQ && op <= PF_EXPR_SGE) {
        n.c = bits;
        n.bits = 1;
    } else if (op == PF_EXPR_SELECT) {
        n.c = of_width(log, 1 + (uint32_t)(random_word() % last), 1);
    } else if (!pf_op_has_second(op)) {
        n.b = 0;
    } else if (random_word() % 4 == 0) {
        n.b = 0;
        n.y = random_word() & pf_bits_mask(bits);
    }
    return add(log, n);
}

static void random_log(struct pf_expression_log *log, unsigned nodes)
{
    char text[9] = {0};
    memset(log, 0, sizeof *log);
    for (int i = 0; i < 8; i++)
        text[i] = (char)(1 + random_word() % 255);
    add_source(log, PF_SOURCE_STDIN, "stdin", text);
    for (uint64_t i = 0; i < 4; i++)
        byte(log, 0, i);
    for (unsigned i = 0; i < nodes; i++)
        random_node(log);
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

/* --- solving --- */

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
    struct pf_path_solver s;
    struct pf_path_run r;
    struct pf_expression_log log = {0};
    pf_leaf_values out = {0};
    pf_path_solver_init(&s, worker, 5000);

    /* a word of two bytes: undone; a third byte has its own condition and stays */
    add_source(&log, PF_SOURCE_STDIN, "stdin", "abc");
    uint32_t low = byte(&log, 0, 0), high = byte(&log, 0, 1), other = byte(&log, 0, 2);
    uint32_t word = add(&log, (struct pf_symbolic_record){
                                  .op = PF_EXPR_CONCAT, .bits = 16, .a = high, .b = low, .c = 8});
    condition(&log, with(&log, PF_EXPR_EQ, other, 'c'), true);
    condition(&log, with(&log, PF_EXPR_EQ, with(&log, PF_EXPR_XOR, word, 0x2020), 0x4241), false);
    pf_path_run_init(&r, &log);
    assert_int_equal(pf_solve_flip(&s, &r, 1, &out), PF_SOLVE_YES);
    char *text = solved_text(&r, &out);
    assert_string_equal(text, "abc");
    free(text);
    assert_int_equal(s.counts.inverted, 1);
    assert_int_equal(s.counts.z3, 0);
    /* the same question again */
    assert_int_equal(pf_solve_flip(&s, &r, 1, &out), PF_SOLVE_YES);
    assert_int_equal(s.counts.cached, 1);
    /* one byte: all its values */
    assert_int_equal(pf_solve_flip(&s, &r, 0, &out), PF_SOLVE_YES);
    assert_int_equal(s.counts.bytes, 1);
    pf_path_run_release(&r);
    pf_vec_release(&out);
    pf_expression_log_release(&log);
    pf_path_solver_release(&s);
}

/* A number leaf is printed as text; conditions on the same number are kept. */
static void test_numbers(void **state)
{
    (void)state;
    struct pf_path_solver s;
    struct pf_path_run r;
    struct pf_expression_log log = {0};
    pf_leaf_values out = {0};
    pf_path_solver_init(&s, worker, 5000);
    add_source(&log, PF_SOURCE_ARGUMENT, "argv[1]", "n=17;");
    uint32_t n = number(&log, 0, 2, 2, 17, 64);
    condition(&log, with(&log, PF_EXPR_SLT, n, 100000), true);
    condition(&log, with(&log, PF_EXPR_EQ, with(&log, PF_EXPR_SREM, n, 13), 0), false);
    condition(&log, with(&log, PF_EXPR_SGT, with(&log, PF_EXPR_MUL, n, 3), 3000), false);
    pf_path_run_init(&r, &log);
    assert_int_equal(pf_solve_flip(&s, &r, 2, &out), PF_SOLVE_YES);
    char *text = solved_text(&r, &out);
    long got = strtol(text + 2, NULL, 10);
    assert_true(got * 3 > 3000 && got < 100000 && got % 13);
    assert_int_equal(text[strlen(text) - 1], ';');
    free(text);
    assert_int_equal(pf_solve_flip(&s, &r, 1, &out), PF_SOLVE_YES);
    text = solved_text(&r, &out);
    assert_int_equal(strtol(text + 2, NULL, 10) % 13, 0);
    free(text);
    assert_int_equal(pf_solve_flip(&s, &r, 0, &out), PF_SOLVE_YES);
    text = solved_text(&r, &out);
    assert_true(strtol(text + 2, NULL, 10) >= 100000);
    free(text);
    pf_path_run_release(&r);
    pf_vec_release(&out);
    pf_expression_log_release(&log);
    pf_path_solver_release(&s);
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
    struct pf_path_solver s;
    struct pf_path_run r;
    struct pf_expression_log log = {0};
    pf_leaf_values out = {0};
    pf_path_solver_init(&s, worker, 5000);
    add_source(&log, PF_SOURCE_STDIN, "stdin", "short");
    add_source(&log, PF_SOURCE_ARGUMENT, "argv[1]", "word");
    uint32_t length =
        add(&log, (struct pf_symbolic_record){.op = PF_EXPR_LENGTH, .bits = 64, .y = 5});
    uint32_t third = byte(&log, 1, 2);
    condition(&log, with(&log, PF_EXPR_UGT, length, 64), false);
    condition(&log, with(&log, PF_EXPR_EQ, third, 0), false);
    pf_path_run_init(&r, &log);
    struct pf_input_bytes now;
    assert_int_equal(pf_solve_flip(&s, &r, 0, &out), PF_SOLVE_YES);
    pf_input_bytes_apply(&now, &r.input, &log, &out);
    assert_true(pf_input_bytes_find(&now, "stdin")->n > 64);
    assert_memory_equal(pf_input_bytes_find(&now, "stdin")->bytes, "short", 5);
    assert_true(pf_input_bytes_hash(&now) != pf_input_bytes_hash(&r.input));
    pf_input_bytes_release(&now);
    assert_int_equal(pf_solve_flip(&s, &r, 1, &out), PF_SOLVE_YES);
    pf_input_bytes_apply(&now, &r.input, &log, &out);
    assert_int_equal(pf_input_bytes_find(&now, "argv[1]")->n, 2);
    pf_input_bytes_release(&now);
    pf_path_run_release(&r);
    pf_vec_release(&out);
    pf_expression_log_release(&log);
    pf_path_solver_release(&s);
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
    struct pf_path_solver s;
    struct pf_path_run r;
    struct pf_expression_log log = {0};
    pf_leaf_values out = {0};
    pf_path_solver_init(&s, worker, 50);
    add_source(&log, PF_SOURCE_ARGUMENT, "argv[1]", "3 5");
    uint32_t a = number(&log, 0, 0, 1, 3, 64), b = number(&log, 0, 2, 1, 5, 64), x = a, y = b;
    for (int i = 0; i < 8; i++) {
        x = mix(&log, x);
        y = mix(&log, binary(&log, PF_EXPR_XOR, x, y, 0));
    }
    condition(&log, with(&log, PF_EXPR_EQ, binary(&log, PF_EXPR_MUL, x, y, 0), 4294967291u), false);
    condition(&log, binary(&log, PF_EXPR_ULT, a, b, 0), true);
    pf_path_run_init(&r, &log);
    assert_int_equal(pf_solve_flip(&s, &r, 0, &out), PF_SOLVE_LIMIT);
    assert_int_equal(s.counts.limit, 1);
    s.z3.limit_ms = 5000;
    pf_wanted_list goals = {0};
    pf_vec_push(&goals, (struct pf_wanted){log.conditions.at[1].label, false});
    assert_int_equal(pf_solve(&s, &r, 0, &goals, &out), PF_SOLVE_YES);
    /* a worker that does not exist fails, and is counted */
    struct pf_path_solver none;
    pf_path_solver_init(&none, "/nonexistent/pf-z3", 1000);
    assert_int_equal(pf_solve(&none, &r, 0, &goals, &out), PF_SOLVE_FAILED);
    assert_int_equal(none.counts.failed, 1);
    pf_path_solver_release(&none);
    pf_vec_release(&goals);
    pf_path_run_release(&r);
    pf_vec_release(&out);
    pf_expression_log_release(&log);
    pf_path_solver_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_evaluator_against_z3),
        cmocka_unit_test(test_random_questions),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_number_text),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_limit),
    };
    ssize_t n = readlink("/proc/self/exe", worker, sizeof worker - 64);
    worker[n > 0 ? n : 0] = 0;
    strcpy(strrchr(worker, '/'), "/../lib/photofinish/pf-z3");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
