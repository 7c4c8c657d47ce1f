/* expression_value.c - see expression_value.h. The stack is explicit, because expressions may be
 * millions of operators deep. */
#include "expression_value.h"
#include <stdlib.h>
#include <string.h>

void pf_evaluation_init(struct pf_evaluation *v, const struct pf_expression_log *log)
{
    memset(v, 0, sizeof *v);
    v->log = log;
    v->nodes = log->nodes.len + 1;
    v->leaf = pf_mem_zero(log->leaves.len + 1, sizeof *v->leaf);
    v->value = pf_mem_zero(v->nodes, sizeof *v->value);
    v->known = pf_mem_zero(v->nodes, sizeof *v->known);
    pf_evaluation_reset(v);
}

void pf_evaluation_release(struct pf_evaluation *v)
{
    free(v->leaf);
    free(v->value);
    free(v->known);
    pf_vec_release(&v->stack);
    memset(v, 0, sizeof *v);
}

static void forget(struct pf_evaluation *v)
{
    if (!++v->now) { /* the number wrapped around */
        memset(v->known, 0, v->nodes * sizeof *v->known);
        v->now = 1;
    }
}

void pf_evaluation_set(struct pf_evaluation *v, uint32_t leaf, uint64_t value)
{
    v->leaf[leaf] = value & pf_bits_mask(v->log->leaves.at[leaf].bits);
    forget(v);
}

void pf_evaluation_reset(struct pf_evaluation *v)
{
    for (size_t i = 0; i < v->log->leaves.len; i++)
        v->leaf[i] = v->log->leaves.at[i].value;
    forget(v);
}

static int64_t sign_extend(uint64_t x, unsigned bits)
{
    return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static uint64_t divide_signed(uint64_t a, uint64_t b, unsigned bits)
{
    int64_t x = sign_extend(a, bits), y = sign_extend(b, bits);
    if (!y)
        return x < 0 ? 1 : UINT64_MAX;
    return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
}

static uint64_t remainder_signed(uint64_t a, uint64_t b, unsigned bits)
{
    int64_t x = sign_extend(a, bits), y = sign_extend(b, bits);
    return !y ? (uint64_t)x : y == -1 ? 0 : (uint64_t)(x % y);
}

static uint64_t reverse(uint64_t x, unsigned bits, unsigned step)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < bits; i += step)
        out = out << step | (x >> i & pf_bits_mask(step));
    return out;
}

static uint64_t compare(uint8_t op, uint64_t a, uint64_t b, unsigned width)
{
    int64_t x = sign_extend(a, width), y = sign_extend(b, width);
    switch (op) {
    case PF_EXPR_EQ:
        return a == b;
    case PF_EXPR_NE:
        return a != b;
    case PF_EXPR_ULT:
        return a < b;
    case PF_EXPR_ULE:
        return a <= b;
    case PF_EXPR_UGT:
        return a > b;
    case PF_EXPR_UGE:
        return a >= b;
    case PF_EXPR_SLT:
        return x < y;
    case PF_EXPR_SLE:
        return x <= y;
    case PF_EXPR_SGT:
        return x > y;
    default:
        return x >= y;
    }
}

static uint64_t arithmetic(uint8_t op, uint64_t a, uint64_t b, unsigned bits)
{
    switch (op) {
    case PF_EXPR_ADD:
        return a + b;
    case PF_EXPR_SUB:
        return a - b;
    case PF_EXPR_MUL:
        return a * b;
    case PF_EXPR_UDIV:
        return b ? a / b : UINT64_MAX;
    case PF_EXPR_SDIV:
        return divide_signed(a, b, bits);
    case PF_EXPR_UREM:
        return b ? a % b : a;
    case PF_EXPR_SREM:
        return remainder_signed(a, b, bits);
    case PF_EXPR_SHL:
        return b < bits ? a << b : 0;
    case PF_EXPR_LSHR:
        return b < bits ? a >> b : 0;
    case PF_EXPR_ASHR:
        return (uint64_t)(sign_extend(a, bits) >> (b < bits ? b : 63));
    case PF_EXPR_AND:
        return a & b;
    case PF_EXPR_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

uint64_t pf_evaluate_op(const struct pf_symbolic_record *n, uint64_t a, uint64_t b, bool chosen)
{
    uint64_t r;
    switch (n->op) {
    case PF_EXPR_ZEXT:
        r = a;
        break;
    case PF_EXPR_SEXT:
        r = (uint64_t)sign_extend(a, n->c);
        break;
    case PF_EXPR_EXTRACT:
        r = a >> n->b;
        break;
    case PF_EXPR_CONCAT:
        r = a << n->c | b;
        break;
    case PF_EXPR_SELECT:
        r = chosen ? a : b;
        break;
    case PF_EXPR_CTPOP:
        r = (uint64_t)__builtin_popcountll(a);
        break;
    case PF_EXPR_CTLZ:
        r = a ? (uint64_t)__builtin_clzll(a) - (64 - n->bits) : n->bits;
        break;
    case PF_EXPR_CTTZ:
        r = a ? (uint64_t)__builtin_ctzll(a) : n->bits;
        break;
    case PF_EXPR_BSWAP:
        r = reverse(a, n->bits, 8);
        break;
    case PF_EXPR_BITREVERSE:
        r = reverse(a, n->bits, 1);
        break;
    default:
        r = n->op >= PF_EXPR_EQ && n->op <= PF_EXPR_SGE ? compare(n->op, a, b, n->c)
                                                        : arithmetic(n->op, a, b, n->bits);
    }
    return r & pf_bits_mask(n->bits);
}

/* Pushes the operand unless its value is known. Returns true if it was pushed. */
static bool want(struct pf_evaluation *v, uint32_t label)
{
    if (!label || v->known[label] == v->now)
        return false;
    pf_vec_push(&v->stack, label);
    return true;
}

uint64_t pf_evaluate(struct pf_evaluation *v, uint32_t label)
{
    pf_vec_clear(&v->stack);
    (void)want(v, label);
    while (v->stack.len) {
        uint32_t at = v->stack.at[v->stack.len - 1];
        const struct pf_symbolic_record *n = &v->log->nodes.at[at];
        bool waits = pf_op_has_first(n->op) && want(v, n->a);
        waits |= pf_op_has_second(n->op) && want(v, n->b);
        waits |= n->op == PF_EXPR_SELECT && want(v, n->c);
        if (waits)
            continue;
        uint32_t leaf = v->log->leaf_of.at[at];
        uint64_t a = n->a && pf_op_has_first(n->op) ? v->value[n->a] : n->x;
        uint64_t b = n->b && pf_op_has_second(n->op) ? v->value[n->b] : n->y;
        v->value[at] = leaf != PF_NO_LEAF
                           ? v->leaf[leaf]
                           : pf_evaluate_op(n, a, b, n->op == PF_EXPR_SELECT && v->value[n->c]);
        v->known[at] = v->now;
        v->stack.len--;
    }
    return v->value[label];
}
