/* expression_harness.h - builds expression logs for the tests of src/solve, some at random. */
#include "solve.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka needs the headers above
#include <cmocka.h>

static char worker[4096]; /* the path of pf-z3 */

static inline void find_worker(void)
{
    ssize_t n = readlink("/proc/self/exe", worker, sizeof worker - 64);
    worker[n > 0 ? n : 0] = 0;
    strcpy(strrchr(worker, '/'), "/../lib/photofinish/pf-z3");
}

/* --- building logs --- */

static inline uint32_t add(struct pf_expression_log *log, struct pf_symbolic_record n)
{
    const char *why;
    n.kind = PF_SYMBOLIC_NODE;
    uint32_t label = pf_expression_log_add(log, &n, &why);
    if (!label)
        fail_msg("operator %u: expected %s", n.op, why);
    return label;
}

static inline void add_source(struct pf_expression_log *log, uint8_t type, const char *name,
                              const char *bytes)
{
    struct pf_log_source s = {.type = type, .name = pf_mem_copy(name)};
    s.bytes = (unsigned char *)pf_mem_copy(bytes);
    s.n = strlen(bytes);
    pf_vec_push(&log->sources, s);
}

static inline uint32_t byte(struct pf_expression_log *log, uint32_t source, uint64_t offset)
{
    const struct pf_log_source *s = &log->sources.at[source];
    return add(log, (struct pf_symbolic_record){.op = PF_EXPR_INPUT,
                                                .bits = 8,
                                                .a = source,
                                                .x = offset,
                                                .y = offset < s->n ? s->bytes[offset] : 0});
}

static inline uint32_t number(struct pf_expression_log *log, uint32_t source, uint64_t offset,
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
static inline uint32_t binary(struct pf_expression_log *log, uint8_t op, uint32_t a, uint32_t b,
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

static inline uint32_t with(struct pf_expression_log *log, uint8_t op, uint32_t a,
                            uint64_t constant)
{
    return binary(log, op, a, 0, constant);
}

static inline uint32_t widen(struct pf_expression_log *log, uint8_t op, uint32_t a, uint16_t bits)
{
    return add(log, (struct pf_symbolic_record){
                        .op = op, .bits = bits, .a = a, .c = log->nodes.at[a].bits});
}

static inline void condition(struct pf_expression_log *log, uint32_t label, bool holds)
{
    pf_vec_push(&log->conditions, (struct pf_log_condition){.label = label, .holds = holds});
}

/* --- random logs --- */

static uint64_t seed = 1;

static inline uint64_t random_word(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* A node of `bits` bits, from a cast of an older one. */
static inline uint32_t of_width(struct pf_expression_log *log, uint32_t label, unsigned bits)
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

static inline uint32_t random_node(struct pf_expression_log *log)
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

static inline void random_log(struct pf_expression_log *log, unsigned nodes)
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
