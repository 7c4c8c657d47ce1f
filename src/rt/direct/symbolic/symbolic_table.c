/*
 * symbolic_table.c - loads from tables whose index depends on the input: those of <ctype.h>, and
 * variables and constants of the executable.
 *
 * The value is an expression of the address: a chain of selects, one for each run of equal entries.
 * So isalpha(c) is a condition on c, not on one address. The tables of <ctype.h> have 384 entries,
 * for characters from -128 to 255, and about 60 runs in the C locale. In the executable, the
 * expression of the address says which addresses are possible: at most ENTRIES_MAX, at equal
 * distances. Entries that depend on the input themselves, or that later runs change, are not
 * modelled: a table is assumed to be what it is now.
 */
#include "symbolic.h"
#include "symbolic_model.h"
#include <ctype.h>

#define BEFORE 128 /* entries of a table of <ctype.h> before that of character 0 */
#define AFTER 256 /* and from it on */
#define ENTRIES_MAX 256 /* of a table of the executable */
#define NODES_MAX (1u << 18) /* of tables of the executable; after that, values are concrete */
#define DEPTH_MAX 16 /* of the expression of an address */

/* Addresses from, from + step, ..., last. */
struct table {
    uint64_t from, last, step;
};

static bool find_ctype(uintptr_t at, unsigned size, struct table *t)
{
    const struct {
        const void *zero;
        unsigned size;
    } all[] = {{*__ctype_b_loc(), 2}, {*__ctype_tolower_loc(), 4}, {*__ctype_toupper_loc(), 4}};
    for (unsigned i = 0; i < 3; i++) {
        *t = (struct table){(uintptr_t)all[i].zero - BEFORE * all[i].size,
                            (uintptr_t)all[i].zero + (AFTER - 1) * all[i].size, all[i].size};
        if (at >= t->from && at <= t->last && size == t->step && (at - t->from) % size == 0)
            return true;
    }
    return false;
}

/* --- the possible values of an expression --- */

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t mask_of(unsigned bits) { return bits < 64 ? (1ull << bits) - 1 : ~0ull; }

static bool values_of(uint32_t label, uint64_t constant, unsigned bits, unsigned depth,
                      struct table *out);

/* a + b, or a - b. False: the sum wraps around for some values only. */
static bool add(const struct table *a, const struct table *b, bool minus, uint64_t mask,
                struct table *out)
{
    uint64_t width = a->last - a->from + (b->last - b->from);
    *out = (struct table){
        (a->from + (minus ? -b->last : b->from)) & mask,
        (a->last + (minus ? -b->from : b->last)) & mask,
        divisor(a->step, b->step),
    };
    return out->last - out->from == width;
}

/* a * factor. */
static bool multiply(const struct table *a, uint64_t factor, uint64_t mask, struct table *out)
{
    uint64_t last;
    if (__builtin_mul_overflow(a->last, factor, &last) || last > mask)
        return false;
    *out = (struct table){a->from * factor, last, a->step * factor};
    return true;
}

/* The values of an operator with two operands. */
static bool combine(const struct pf_symbolic_record *n, const struct table *a,
                    const struct table *b, struct table *out)
{
    uint64_t mask = mask_of(n->bits), fixed = b->from;
    bool constant = b->from == b->last, positive = (a->last | b->last) <= mask >> 1;
    unsigned op = n->op;
    if (positive) /* the signed operators do the same */
        op = op == PF_EXPR_SREM   ? PF_EXPR_UREM
             : op == PF_EXPR_SDIV ? PF_EXPR_UDIV
             : op == PF_EXPR_ASHR ? PF_EXPR_LSHR
                                  : op;
    switch (op) {
    case PF_EXPR_ADD:
        return add(a, b, false, mask, out);
    case PF_EXPR_SUB:
        return add(a, b, true, mask, out);
    case PF_EXPR_MUL:
        return constant             ? multiply(a, fixed, mask, out)
               : a->from == a->last ? multiply(b, a->from, mask, out)
                                    : false;
    case PF_EXPR_SHL:
        return constant && fixed < n->bits && multiply(a, 1ull << fixed, mask, out);
    case PF_EXPR_LSHR:
        *out = (struct table){a->from >> (fixed & 63), a->last >> (fixed & 63), 1};
        return constant && fixed < n->bits;
    case PF_EXPR_UDIV:
        *out = (struct table){fixed ? a->from / fixed : 0, fixed ? a->last / fixed : 0, 1};
        return constant && fixed;
    case PF_EXPR_UREM:
        *out = a->last < fixed ? *a : (struct table){0, fixed - 1, 1};
        return constant && fixed;
    case PF_EXPR_AND: {
        uint64_t less = a->last < b->last ? a->last : b->last;
        *out = (struct table){0, less, constant && fixed ? fixed & -fixed : 1};
        out->last -= out->last % out->step;
        return true;
    }
    default:
        return false;
    }
}

static bool node_values(uint32_t label, unsigned depth, struct table *out)
{
    const struct pf_symbolic_record *n = pf_expression_node(label);
    struct table a, b;
    switch (n->op) {
    case PF_EXPR_INPUT:
        *out = (struct table){0, 255, 1};
        return true;
    case PF_EXPR_ZEXT:
        return values_of(n->a, n->x, n->c, depth, out);
    case PF_EXPR_SEXT:
        return values_of(n->a, n->x, n->c, depth, out) && out->last <= mask_of(n->c) >> 1;
    case PF_EXPR_EXTRACT:
        return values_of(n->a, n->x, n->c, depth, out) && !n->b && out->last <= mask_of(n->bits);
    case PF_EXPR_SELECT:
        if (!values_of(n->a, n->x, n->bits, depth, &a) ||
            !values_of(n->b, n->y, n->bits, depth, &b))
            return false;
        *out = (struct table){
            a.from < b.from ? a.from : b.from, a.last > b.last ? a.last : b.last,
            divisor(divisor(a.step, b.step), a.from < b.from ? b.from - a.from : a.from - b.from)};
        return true;
    default:
        return n->op >= PF_EXPR_ADD && n->op <= PF_EXPR_XOR &&
               values_of(n->a, n->x, n->bits, depth, &a) &&
               values_of(n->b, n->y, n->bits, depth, &b) && combine(n, &a, &b, out);
    }
}

/* The values that an operand may have. A step of 0: there is one. False: unknown. */
static bool values_of(uint32_t label, uint64_t constant, unsigned bits, unsigned depth,
                      struct table *out)
{
    *out = (struct table){constant & mask_of(bits), constant & mask_of(bits), 0};
    return !label || (depth < DEPTH_MAX && node_values(label, depth + 1, out));
}

static bool find_variable(uintptr_t at, unsigned size, uint32_t address, struct table *t)
{
    uint64_t n;
    if (!node_values(address, 0, t) || !t->step || t->last < t->from ||
        (t->last - t->from) / t->step >= ENTRIES_MAX || at < t->from || at > t->last ||
        (at - t->from) % t->step)
        return false;
    n = t->last - t->from + size;
    return pf_model_readable((const char *)t->from) >= n &&
           !pf_label_memory_any((const void *)t->from, n);
}

/* --- the value --- */

static uint64_t value_at(uint64_t at, unsigned size)
{
    uint64_t v = 0;
    __builtin_memcpy(&v, (const void *)at, size);
    return v;
}

bool pf_symbolic_table(const void *at, unsigned size, uint32_t address, bool *is_variable,
                       struct pf_expression_operand *out)
{
    static unsigned made;
    struct table t;
    struct pf_expression_operand where = {address, (uintptr_t)at}, v;
    *is_variable = false;
    if (pf_expression_value(address) != where.value || size > 8 || size & (size - 1))
        return false;
    if (!find_ctype(where.value, size, &t)) {
        *is_variable = true;
        if (made >= NODES_MAX || !find_variable(where.value, size, address, &t))
            return false;
        made += 2 * (unsigned)((t.last - t.from) / t.step);
    }
    v = (struct pf_expression_operand){0, value_at(t.last, size)};
    uint64_t run = v.value;
    for (uint64_t p = t.last; p > t.from; p -= t.step) {
        uint64_t before = value_at(p - t.step, size);
        if (before == run)
            continue;
        run = before; /* below p, the value is that of the entry before p */
        struct pf_expression_operand end = {0, p};
        uint32_t below = pf_expression_two(PF_EXPR_ULT, 1, 64, where, end);
        if (!below)
            return false;
        v = (struct pf_expression_operand){
            pf_expression_make(&(struct pf_symbolic_record){.op = PF_EXPR_SELECT,
                                                            .bits = (uint16_t)(8 * size),
                                                            .b = v.label,
                                                            .c = below,
                                                            .x = run,
                                                            .y = v.value}),
            where.value < p ? run : v.value};
    }
    *out = v;
    return true;
}
