/*
 * expression.c - the table of nodes: creation, simplification, values.
 *
 * Every node has its value in this run, computed from the values of its operands when it is made.
 * A small cache finds a node that was made before, so that a loop does not make the same
 * expression again and again. The simplifications undo what the compiler does to bytes and truth
 * values on their way through memory; the solver does all others.
 */
#include "store.h"
#include "symbolic.h"
#include "sys.h"

#define NODES_MAX (1u << 27) /* after that, values are concrete */
#define CACHE_BITS 12 /* small, so that the table stays in the processor's cache */

/* A node that was made before. The tag is a part of its hash. A node is read only if its tag is
 * equal, because most nodes are not in the processor's cache. */
struct known_node {
    uint32_t label, tag;
};

static struct pf_symbolic_record *nodes;
static uint64_t *values;
static struct known_node *cache;
static uint32_t count;

bool pf_expression_init(void)
{
    nodes = pf_sys_map(NULL, (size_t)NODES_MAX * sizeof *nodes);
    values = pf_sys_map(NULL, (size_t)NODES_MAX * sizeof *values);
    cache = pf_sys_map(NULL, sizeof *cache << CACHE_BITS);
    return nodes && values && cache;
}

const struct pf_symbolic_record *pf_expression_node(uint32_t label) { return &nodes[label]; }
uint64_t pf_expression_value(uint32_t label) { return values[label]; }

static uint64_t cut(uint64_t v, unsigned bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }
static int64_t extend(uint64_t v, unsigned bits)
{
    unsigned by = 64 - bits;
    return (int64_t)(v << by) >> by;
}

static uint64_t divided(const struct pf_symbolic_record *n)
{
    int64_t a = extend(n->x, n->bits), b = extend(n->y, n->bits);
    switch (n->op) {
    case PF_EXPR_UDIV:
        return n->y ? n->x / n->y : UINT64_MAX;
    case PF_EXPR_UREM:
        return n->y ? n->x % n->y : n->x;
    case PF_EXPR_SDIV:
        return b == -1 ? -(uint64_t)a : b ? (uint64_t)(a / b) : a < 0 ? 1 : UINT64_MAX;
    default:
        return b == -1 ? 0 : b ? (uint64_t)(a % b) : (uint64_t)a;
    }
}

static uint64_t shifted(const struct pf_symbolic_record *n)
{
    int64_t a = extend(n->x, n->bits);
    bool all = n->y >= n->bits;
    switch (n->op) {
    case PF_EXPR_SHL:
        return all ? 0 : n->x << n->y;
    case PF_EXPR_LSHR:
        return all ? 0 : n->x >> n->y;
    default:
        return (uint64_t)(a >> (all ? 63 : n->y));
    }
}

static bool compared(const struct pf_symbolic_record *n)
{
    int64_t a = extend(n->x, n->c), b = extend(n->y, n->c);
    switch (n->op) {
    case PF_EXPR_EQ:
        return n->x == n->y;
    case PF_EXPR_NE:
        return n->x != n->y;
    case PF_EXPR_ULT:
        return n->x < n->y;
    case PF_EXPR_ULE:
        return n->x <= n->y;
    case PF_EXPR_UGT:
        return n->x > n->y;
    case PF_EXPR_UGE:
        return n->x >= n->y;
    case PF_EXPR_SLT:
        return a < b;
    case PF_EXPR_SLE:
        return a <= b;
    case PF_EXPR_SGT:
        return a > b;
    default:
        return a >= b;
    }
}

static uint64_t counted(const struct pf_symbolic_record *n)
{
    uint64_t v = 0;
    switch (n->op) {
    case PF_EXPR_CTPOP:
        for (uint64_t x = n->x; x; x &= x - 1)
            v++;
        return v;
    case PF_EXPR_CTLZ:
        return n->x ? (uint64_t)__builtin_clzll(n->x) - (64 - n->bits) : n->bits;
    case PF_EXPR_CTTZ:
        return n->x ? (uint64_t)__builtin_ctzll(n->x) : n->bits;
    case PF_EXPR_BSWAP:
        return __builtin_bswap64(n->x) >> (64 - n->bits);
    default:
        for (unsigned i = 0; i < n->bits; i++)
            v |= (n->x >> i & 1) << (n->bits - 1 - i);
        return v;
    }
}

/* The value of the node in this run, from those of its operands; not truncated to its width. */
static uint64_t evaluate(const struct pf_symbolic_record *n)
{
    switch ((enum pf_symbolic_op)n->op) {
    case PF_EXPR_INPUT:
    case PF_EXPR_NUMBER:
    case PF_EXPR_LENGTH:
        return n->y;
    case PF_EXPR_ADD:
        return n->x + n->y;
    case PF_EXPR_SUB:
        return n->x - n->y;
    case PF_EXPR_MUL:
        return n->x * n->y;
    case PF_EXPR_UDIV:
    case PF_EXPR_SDIV:
    case PF_EXPR_UREM:
    case PF_EXPR_SREM:
        return divided(n);
    case PF_EXPR_SHL:
    case PF_EXPR_LSHR:
    case PF_EXPR_ASHR:
        return shifted(n);
    case PF_EXPR_AND:
        return n->x & n->y;
    case PF_EXPR_OR:
        return n->x | n->y;
    case PF_EXPR_XOR:
        return n->x ^ n->y;
    case PF_EXPR_EQ:
    case PF_EXPR_NE:
    case PF_EXPR_ULT:
    case PF_EXPR_ULE:
    case PF_EXPR_UGT:
    case PF_EXPR_UGE:
    case PF_EXPR_SLT:
    case PF_EXPR_SLE:
    case PF_EXPR_SGT:
    case PF_EXPR_SGE:
        return compared(n);
    case PF_EXPR_ZEXT:
        return n->x;
    case PF_EXPR_SEXT:
        return (uint64_t)extend(n->x, n->c);
    case PF_EXPR_EXTRACT:
        return n->x >> n->b;
    case PF_EXPR_CONCAT:
        return n->x << n->c | n->y;
    case PF_EXPR_SELECT:
        return values[n->c] ? n->x : n->y;
    case PF_EXPR_CTPOP:
    case PF_EXPR_CTLZ:
    case PF_EXPR_CTTZ:
    case PF_EXPR_BSWAP:
    case PF_EXPR_BITREVERSE:
        return counted(n);
    case PF_EXPR_NONE:
    case PF_EXPRS:
        break;
    }
    return 0;
}

static bool equal(const struct pf_symbolic_record *p, const struct pf_symbolic_record *q)
{
    return p->op == q->op && p->bits == q->bits && p->a == q->a && p->b == q->b && p->c == q->c &&
           p->x == q->x && p->y == q->y;
}

static uint64_t hash_node(const struct pf_symbolic_record *n)
{
    /* two multiplications that do not wait for each other, and one that joins them */
    uint64_t h = (n->x + ((uint64_t)n->a << 32 | n->c)) * 0x9e3779b97f4a7c15ull;
    uint64_t g = (n->y + ((uint64_t)n->b << 32 | n->bits << 8 | n->op)) * 0xd6e8feb86659fd93ull;
    return (h ^ g >> 29) * 0x9e3779b97f4a7c15ull + g;
}

/* Writes the last node. The log names operands by their distance, and has no values that follow
 * from other nodes. So the records of a loop are nearly equal, and pf compresses them quickly. */
static void put_node(const struct pf_symbolic_record *n)
{
    uint32_t a = n->a, b = n->b, c = n->c;
    uint64_t x = n->x, y = n->y;
    if (n->op > PF_EXPR_LENGTH) {
        if (a) {
            x ^= values[a];
            a = count - a;
        }
        if (b && n->op != PF_EXPR_EXTRACT) {
            y ^= values[b];
            b = count - b;
        }
        if (n->op == PF_EXPR_SELECT)
            c = count - c;
    }
    struct pf_symbolic_record r = pf_expression_record(n->op, n->bits, a, b, c, x, y);
    pf_symbolic_put(&r, NULL, 0);
}

static uint32_t add(const struct pf_symbolic_record *n)
{
    uint64_t hash = hash_node(n);
    struct known_node *known = &cache[hash >> (64 - CACHE_BITS)];
    if (known->label && known->tag == (uint32_t)hash && equal(&nodes[known->label], n))
        return known->label;
    if (count + 1 >= NODES_MAX) {
        pf_symbolic_lose(PF_LOSS_LIMIT, "expressions");
        return 0;
    }
    nodes[++count] = *n;
    values[count] = cut(evaluate(n), n->bits);
    *known = (struct known_node){count, (uint32_t)hash};
    put_node(n);
    return count;
}

uint32_t pf_expression_extract(uint32_t label, unsigned low, unsigned bits)
{
    for (;;) {
        if (!label)
            return 0;
        const struct pf_symbolic_record *n = &nodes[label];
        if (low == 0 && bits == n->bits)
            return label;
        if (n->op == PF_EXPR_EXTRACT) {
            low += n->b;
            label = n->a;
        } else if ((n->op == PF_EXPR_ZEXT || n->op == PF_EXPR_SEXT) && low + bits <= n->c) {
            label = n->a;
        } else if (n->op == PF_EXPR_ZEXT && low >= n->c) {
            return 0;
        } else if (n->op == PF_EXPR_CONCAT && low + bits <= n->c) {
            label = n->b;
        } else if (n->op == PF_EXPR_CONCAT && low >= n->c) {
            low -= n->c;
            label = n->a;
        } else {
            break;
        }
    }
    return add(&(struct pf_symbolic_record){.kind = PF_SYMBOLIC_NODE,
                                            .op = PF_EXPR_EXTRACT,
                                            .bits = (uint16_t)bits,
                                            .a = label,
                                            .b = low,
                                            .c = nodes[label].bits,
                                            .x = values[label]});
}

/* True if an operand is one of the constants 0, 1 and -1, with which the node may be equal to 0 or
 * to its other operand. A quick test: most nodes have no such operand. */
static bool may_simplify(const struct pf_symbolic_record *n)
{
    return (!n->a && (n->x <= 1 || n->x == cut(UINT64_MAX, n->bits))) ||
           (!n->b && (n->y <= 1 || n->y == cut(UINT64_MAX, n->bits)));
}

/* True if one operand is the constant 0, which makes the result 0. */
static bool is_absorbed(const struct pf_symbolic_record *n)
{
    bool zero = (!n->a && !n->x) || (!n->b && !n->y);
    return (n->op == PF_EXPR_AND || n->op == PF_EXPR_MUL) && zero;
}

/* The label of the operand if the node is equal to it: x + 0, x | 0, x & -1, x * 1, x << 0; or
 * 0. */
static uint32_t neutral(const struct pf_symbolic_record *n)
{
    uint64_t one = n->op == PF_EXPR_MUL || n->op == PF_EXPR_UDIV || n->op == PF_EXPR_SDIV ? 1
                   : n->op == PF_EXPR_AND ? cut(UINT64_MAX, n->bits)
                                          : 0;
    bool commutes = n->op == PF_EXPR_ADD || n->op == PF_EXPR_MUL || n->op == PF_EXPR_AND ||
                    n->op == PF_EXPR_OR || n->op == PF_EXPR_XOR;
    bool known = commutes || n->op == PF_EXPR_SUB || n->op == PF_EXPR_SHL ||
                 n->op == PF_EXPR_LSHR || n->op == PF_EXPR_ASHR || n->op == PF_EXPR_UDIV ||
                 n->op == PF_EXPR_SDIV;
    if (!known)
        return 0;
    return !n->b && n->y == one ? n->a : commutes && !n->a && n->x == one ? n->b : 0;
}

/* Comparing a truth value, widened or not, with 0 or 1. Returns its label if the comparison is
 * equal to it, else 0. */
static uint32_t truth(const struct pf_symbolic_record *n)
{
    if ((n->op != PF_EXPR_EQ && n->op != PF_EXPR_NE) || n->b || n->y > 1 || !n->a)
        return 0;
    uint32_t label = n->a;
    while (nodes[label].op == PF_EXPR_ZEXT)
        label = nodes[label].a;
    bool same = (n->op == PF_EXPR_EQ) == (n->y == 1);
    return nodes[label].bits == 1 && same ? label : 0;
}

uint32_t pf_expression_make(const struct pf_symbolic_record *n)
{
    bool leaf = n->op <= PF_EXPR_LENGTH;
    if (!leaf && !n->a && (n->op == PF_EXPR_EXTRACT || !n->b) && n->op != PF_EXPR_SELECT)
        return 0;
    if (n->op == PF_EXPR_EXTRACT)
        return pf_expression_extract(n->a, n->b, n->bits);
    if (n->op == PF_EXPR_SELECT && n->a == n->b && (n->a || n->x == n->y))
        return n->a;
    if (!leaf && may_simplify(n)) {
        if (is_absorbed(n))
            return 0;
        uint32_t same = neutral(n);
        if (!same)
            same = truth(n);
        if (same)
            return same;
    }
    bool extends = n->op == PF_EXPR_CONCAT && !n->a && !n->x;
    struct pf_symbolic_record whole =
        extends ? pf_expression_record(PF_EXPR_ZEXT, n->bits, n->b, 0, n->c, n->y, 0)
                : pf_expression_record(n->op, n->bits, n->a, n->b, n->c, n->x, n->y);
    return add(&whole);
}

uint32_t pf_expression_two(enum pf_symbolic_op op, unsigned bits, unsigned c,
                           struct pf_expression_operand a, struct pf_expression_operand b)
{
    struct pf_symbolic_record n =
        pf_expression_record(op, bits, a.label, b.label, c, a.value, b.value);
    return pf_expression_make(&n);
}

uint32_t pf_expression_resize(uint32_t label, unsigned bits, bool sign)
{
    unsigned from = label ? nodes[label].bits : bits;
    if (from >= bits)
        return pf_expression_extract(label, 0, bits);
    return pf_expression_make(&(struct pf_symbolic_record){.op = sign ? PF_EXPR_SEXT : PF_EXPR_ZEXT,
                                                           .bits = (uint16_t)bits,
                                                           .a = label,
                                                           .c = from,
                                                           .x = values[label]});
}
