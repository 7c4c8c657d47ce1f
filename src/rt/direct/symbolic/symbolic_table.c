/*
 * symbolic_table.c - loads from the tables of <ctype.h>, whose index is a character of the input.
 *
 * The value is an expression of the address: a chain of selects, one for each run of equal entries.
 * So isalpha(c) is a condition on c, not on one address. The tables have 384 entries, for
 * characters from -128 to 255, and about 60 runs in the C locale.
 */
#include "symbolic.h"
#include <ctype.h>

#define BEFORE 128
#define AFTER 256

struct table {
    uintptr_t from, end;
    unsigned size; /* of an entry */
};

static bool find(uintptr_t at, unsigned size, struct table *t)
{
    const struct {
        const void *zero;
        unsigned size;
    } all[] = {{*__ctype_b_loc(), 2}, {*__ctype_tolower_loc(), 4}, {*__ctype_toupper_loc(), 4}};
    for (unsigned i = 0; i < 3; i++) {
        *t = (struct table){(uintptr_t)all[i].zero - BEFORE * all[i].size,
                            (uintptr_t)all[i].zero + AFTER * all[i].size, all[i].size};
        if (at >= t->from && at < t->end && size == t->size && (at - t->from) % size == 0)
            return true;
    }
    return false;
}

static uint64_t value_at(uintptr_t at, unsigned size)
{
    return size == 2 ? *(const uint16_t *)at : *(const uint32_t *)at;
}

bool pf_symbolic_table(const void *at, unsigned size, uint32_t address,
                       struct pf_expression_operand *out)
{
    struct table t;
    struct pf_expression_operand where = {address, (uintptr_t)at}, v;
    if (pf_expression_value(address) != where.value || !find(where.value, size, &t))
        return false;
    v = (struct pf_expression_operand){0, value_at(t.end - size, size)};
    uint64_t run = v.value;
    for (uintptr_t p = t.end - size; p > t.from; p -= size) {
        uint64_t before = value_at(p - size, size);
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
