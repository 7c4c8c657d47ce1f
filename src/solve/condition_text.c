/* condition_text.c - see condition_text.h. */
#include "condition_text.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEPTH 6

struct writing {
    const struct pf_expression_log *log;
    char *to;
    size_t room, n;
    bool full; /* the text does not fit, or would not be readable */
};

static void add(struct writing *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct writing *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->to + w->n, w->room - w->n, format, args);
    va_end(args);
    w->full |= n < 0 || (size_t)n >= w->room - w->n;
    w->n += w->full ? 0 : (size_t)n;
}

static void add_constant(struct writing *w, uint64_t value, unsigned bits, bool is_signed,
                         bool character)
{
    uint64_t sign = bits ? (uint64_t)1 << (bits - 1) : 0;
    value &= pf_bits_mask(bits);
    if (character && value >= ' ' && value < 127)
        add(w, "'%c'", (char)value);
    else if (is_signed && value & sign)
        add(w, "%" PRId64, (int64_t)(value | ~pf_bits_mask(bits)));
    else
        add(w, "%" PRIu64, value);
}

static void add_leaf(struct writing *w, const struct pf_symbolic_record *n)
{
    const char *source = w->log->sources.at[n->a].name;
    if (n->op == PF_EXPR_LENGTH)
        add(w, "length of %s", source);
    else if (n->op == PF_EXPR_INPUT)
        add(w, "%s[%" PRIu64 "]", source, n->x);
    else if (n->x)
        add(w, "the number at %s[%" PRIu64 "]", source, n->x);
    else
        add(w, "%s", source);
}

static bool is_byte(const struct writing *w, uint32_t label)
{
    const struct pf_symbolic_record *n = &w->log->nodes.at[label];
    while (label && (n->op == PF_EXPR_ZEXT || n->op == PF_EXPR_SEXT)) {
        label = n->a;
        n = &w->log->nodes.at[label];
    }
    return label && n->op == PF_EXPR_INPUT;
}

/* A number of 64 bits that the program keeps as a smaller integer. */
static bool is_converted_number(const struct writing *w, const struct pf_symbolic_record *n)
{
    return n->op == PF_EXPR_EXTRACT && !n->b && w->log->nodes.at[n->a].op == PF_EXPR_NUMBER;
}

static const char *operator_text(uint8_t op)
{
    static const char *const text[PF_EXPRS] = {
        [PF_EXPR_ADD] = "+",   [PF_EXPR_SUB] = "-",   [PF_EXPR_MUL] = "*",  [PF_EXPR_UDIV] = "/",
        [PF_EXPR_SDIV] = "/",  [PF_EXPR_UREM] = "%",  [PF_EXPR_SREM] = "%", [PF_EXPR_SHL] = "<<",
        [PF_EXPR_LSHR] = ">>", [PF_EXPR_ASHR] = ">>", [PF_EXPR_AND] = "&",  [PF_EXPR_OR] = "|",
        [PF_EXPR_XOR] = "^",   [PF_EXPR_EQ] = "==",   [PF_EXPR_NE] = "!=",  [PF_EXPR_ULT] = "<",
        [PF_EXPR_ULE] = "<=",  [PF_EXPR_UGT] = ">",   [PF_EXPR_UGE] = ">=", [PF_EXPR_SLT] = "<",
        [PF_EXPR_SLE] = "<=",  [PF_EXPR_SGT] = ">",   [PF_EXPR_SGE] = ">=",
    };
    return op < PF_EXPRS ? text[op] : NULL;
}

static void add_value(struct writing *w, uint32_t label, uint64_t value, unsigned bits,
                      bool is_signed, bool character, unsigned depth)
{
    const struct pf_symbolic_record *n = &w->log->nodes.at[label];
    const char *op = label ? operator_text(n->op) : NULL;
    w->full |= !depth;
    if (w->full)
        return;
    if (!label) {
        add_constant(w, value, bits, is_signed, character);
    } else if (w->log->leaf_of.at[label] != PF_NO_LEAF) {
        add_leaf(w, n);
    } else if (n->op == PF_EXPR_ZEXT || n->op == PF_EXPR_SEXT || is_converted_number(w, n)) {
        add_value(w, n->a, n->x, n->c, n->op == PF_EXPR_SEXT, character, depth);
    } else if (op && n->bits > 1) {
        bool text = is_byte(w, n->a) || is_byte(w, n->b);
        add(w, "(");
        add_value(w, n->a, n->x, pf_node_width_first(n), true, text, depth - 1);
        add(w, " %s ", op);
        add_value(w, n->b, n->y, pf_node_width_second(n), true, text, depth - 1);
        add(w, ")");
    } else {
        w->full = true;
    }
}

/* The comparison that holds if this one does not. */
static uint8_t negated(uint8_t op)
{
    static const uint8_t other[PF_EXPRS] = {
        [PF_EXPR_EQ] = PF_EXPR_NE,   [PF_EXPR_NE] = PF_EXPR_EQ,   [PF_EXPR_ULT] = PF_EXPR_UGE,
        [PF_EXPR_ULE] = PF_EXPR_UGT, [PF_EXPR_UGT] = PF_EXPR_ULE, [PF_EXPR_UGE] = PF_EXPR_ULT,
        [PF_EXPR_SLT] = PF_EXPR_SGE, [PF_EXPR_SLE] = PF_EXPR_SGT, [PF_EXPR_SGT] = PF_EXPR_SLE,
        [PF_EXPR_SGE] = PF_EXPR_SLT,
    };
    return other[op];
}

bool pf_condition_text(const struct pf_expression_log *log, uint32_t label, bool holds, char *to,
                       size_t room)
{
    struct writing w = {.log = log, .to = to, .room = room};
    struct pf_symbolic_record n = log->nodes.at[label];
    /* (x == 0) of one bit, and the like: the condition is x or its negation */
    while ((n.op == PF_EXPR_EQ || n.op == PF_EXPR_NE) && n.c == 1 && n.a && !n.b) {
        holds = (n.op == PF_EXPR_EQ) == holds ? n.y & 1 : !(n.y & 1);
        n = log->nodes.at[n.a];
    }
    if (n.op < PF_EXPR_EQ || n.op > PF_EXPR_SGE)
        return false;
    uint8_t op = holds ? n.op : negated(n.op);
    bool is_signed = op >= PF_EXPR_SLT || op <= PF_EXPR_NE;
    bool text = is_byte(&w, n.a) || is_byte(&w, n.b);
    if (!n.b && op == PF_EXPR_SGT && (n.y & pf_bits_mask(n.c)) == pf_bits_mask(n.c)) {
        op = PF_EXPR_SGE; /* x > -1 */
        n.y = 0;
    } else if (!n.b && op == PF_EXPR_SLT && n.y == 1) {
        op = PF_EXPR_SLE;
        n.y = 0;
    }
    add_value(&w, n.a, n.x, n.c, is_signed, text, DEPTH);
    add(&w, " %s ", operator_text(op));
    add_value(&w, n.b, n.y, n.c, is_signed, text, DEPTH);
    return !w.full;
}
