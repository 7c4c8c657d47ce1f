/* inverse.c - see inverse.h. */
#include "inverse.h"

struct demand {
    uint32_t label;
    uint64_t value;
};
typedef PF_VEC(struct demand) demands;

static int64_t as_signed(uint64_t x, unsigned bits)
{
    return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static bool demand_leaf(const struct pf_expression_log *log, uint32_t leaf, uint64_t value,
                        pf_leaf_values *out)
{
    value &= pf_bits_mask(log->leaves.at[leaf].bits);
    for (size_t i = 0; i < out->len; i++)
        if (out->at[i].leaf == leaf)
            return out->at[i].value == value;
    pf_vec_push(out, (struct pf_leaf_value){leaf, value});
    return true;
}

/* Passes the demand for an operator with one constant operand on to the other one. */
static bool demand_operand(const struct pf_symbolic_record *n, uint64_t v, demands *todo)
{
    uint64_t mask = pf_bits_mask(n->bits), constant = n->a ? n->y : n->x;
    uint32_t other = n->a ? n->a : n->b;
    int64_t factor;
    if (n->a && n->b)
        return false;
    switch (n->op) {
    case PF_EXPR_ADD:
        v -= constant;
        break;
    case PF_EXPR_SUB:
        v = n->a ? v + constant : constant - v;
        break;
    case PF_EXPR_XOR:
        v ^= constant;
        break;
    case PF_EXPR_MUL:
        /* only without overflow, which is undefined for signed numbers in C */
        factor = as_signed(constant, n->bits);
        if (!factor || factor == -1 || as_signed(v, n->bits) % factor)
            return false;
        v = (uint64_t)(as_signed(v, n->bits) / factor);
        break;
    default:
        return false;
    }
    pf_vec_push(todo, (struct demand){other, v & mask});
    return true;
}

static bool demand_extended(const struct pf_symbolic_record *n, uint64_t v, demands *todo)
{
    uint64_t low = v & pf_bits_mask(n->c), high = v & ~pf_bits_mask(n->c);
    bool negative = n->op == PF_EXPR_SEXT && low >> (n->c - 1) & 1;
    if (high != (negative ? pf_bits_mask(n->bits) & ~pf_bits_mask(n->c) : 0))
        return false;
    pf_vec_push(todo, (struct demand){n->a, low});
    return true;
}

static bool demand_parts(const struct pf_symbolic_record *n, uint64_t v, demands *todo)
{
    uint64_t high = v >> n->c, low = v & pf_bits_mask(n->c);
    if ((!n->a && n->x != high) || (!n->b && n->y != low))
        return false;
    if (n->a)
        pf_vec_push(todo, (struct demand){n->a, high});
    if (n->b)
        pf_vec_push(todo, (struct demand){n->b, low});
    return true;
}

static bool demand_value(const struct pf_expression_log *log, demands *todo, pf_leaf_values *out)
{
    while (todo->len) {
        struct demand d = todo->at[--todo->len];
        const struct pf_symbolic_record *n = &log->nodes.at[d.label];
        bool good;
        if (log->leaf_of.at[d.label] != PF_NO_LEAF)
            good = demand_leaf(log, log->leaf_of.at[d.label], d.value, out);
        else if (n->op == PF_EXPR_ZEXT || n->op == PF_EXPR_SEXT)
            good = demand_extended(n, d.value, todo);
        else if (n->op == PF_EXPR_CONCAT)
            good = demand_parts(n, d.value, todo);
        else
            good = pf_op_has_second(n->op) && demand_operand(n, d.value, todo);
        if (!good)
            return false;
    }
    return true;
}

/* A value of the operand that may satisfy the comparison with the constant. */
static uint64_t near(uint8_t op, uint64_t constant, bool holds, unsigned way)
{
    bool equal = op == PF_EXPR_EQ ? holds : op == PF_EXPR_NE && !holds;
    return equal ? constant : constant + way - 1;
}

bool pf_inverse(const struct pf_expression_log *log, uint32_t label, bool holds, unsigned way,
                pf_leaf_values *out)
{
    const struct pf_symbolic_record *n = &log->nodes.at[label];
    demands todo = {0};
    out->len = 0;
    bool compares = n->op >= PF_EXPR_EQ && n->op <= PF_EXPR_SGE && !(n->a && n->b);
    if (compares) {
        uint64_t v = near(n->op, n->a ? n->y : n->x, holds, way) & pf_bits_mask(n->c);
        pf_vec_push(&todo, (struct demand){n->a ? n->a : n->b, v});
    }
    bool good = compares && demand_value(log, &todo, out) && out->len;
    pf_vec_release(&todo);
    return good;
}
