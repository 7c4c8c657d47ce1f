/*
 * model_number.c - the strtol family: a parsed number is a leaf of its own, if its text is a piece
 * of one source. A solver then chooses the number and prints it; conditions on the digits would be
 * far harder to solve. Text of several sources, or text that was computed, gets conditions on its
 * bytes instead, and the result is concrete.
 */
#include "symbolic_model.h"

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static unsigned digit(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'z' ? c - 'a' + 10u
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10u
                                  : 99;
}

size_t pf_number_extent(const uint8_t *s, unsigned base)
{
    size_t n = 0;
    while (is_space(s[n]))
        n++;
    if (s[n] == '-' || s[n] == '+')
        n++;
    bool hex = s[n] == '0' && (s[n + 1] | 32) == 'x' && digit(s[n + 2]) < 16;
    if (hex && (base == 0 || base == 16)) {
        n += 2;
        base = 16;
    } else if (!base) {
        base = s[n] == '0' ? 8 : 10;
    }
    size_t first = n;
    while (digit(s[n]) < base)
        n++;
    return n > first ? n : 0;
}

/* Is the byte a digit, or with `more` also a sign or a space? */
static struct pf_expression_operand begins(struct pf_expression_operand b, bool more)
{
    struct pf_expression_operand distance = {
        pf_expression_two(PF_EXPR_SUB, 8, 0, b, pf_model_constant('0')), (uint8_t)(b.value - '0')};
    struct pf_expression_operand is = {
        pf_expression_two(PF_EXPR_ULT, 1, 8, distance, pf_model_constant(10)), distance.value < 10};
    for (const char *p = more ? "-+ " : ""; *p; p++) {
        struct pf_expression_operand same = {
            pf_expression_two(PF_EXPR_EQ, 1, 8, b, pf_model_constant((uint8_t)*p)),
            b.value == (uint8_t)*p};
        is = (struct pf_expression_operand){pf_expression_two(PF_EXPR_OR, 1, 0, is, same),
                                            is.value | same.value};
    }
    return is;
}

/* If there is no number, a digit makes one. A number may get another sign, so then the condition
 * has more alternatives. Digits above 9 have no condition. */
void pf_number_begins(const struct pf_symbolic_call *c, const uint8_t *s, size_t n)
{
    struct pf_expression_operand is = begins(pf_model_byte(s), n > 0);
    if (is.label && is.value == (n > 0))
        pf_symbolic_condition(PF_REASON_MODEL, is.label, is.value, c->site, 0);
}

/* If the n bytes are consecutive bytes of one source: the leaf of the first one; otherwise NULL. */
static const struct pf_symbolic_record *find_piece(const uint8_t *s, size_t n)
{
    const struct pf_symbolic_record *first = NULL;
    for (size_t i = 0; i < n; i++) {
        uint32_t label = pf_model_byte(s + i).label;
        const struct pf_symbolic_record *leaf = label ? pf_expression_node(label) : NULL;
        if (!leaf || leaf->op != PF_EXPR_INPUT)
            return NULL;
        if (!i)
            first = leaf;
        else if (leaf->a != first->a || leaf->x != first->x + i)
            return NULL;
    }
    return first;
}

uint32_t pf_number_leaf(const struct pf_symbolic_call *c, const uint8_t *s, size_t n, unsigned base,
                        unsigned bits, uint64_t value)
{
    if (!pf_label_memory_any(s, n + 1))
        return 0;
    const struct pf_symbolic_record *piece = n ? find_piece(s, n) : NULL;
    if (piece)
        return pf_expression_make(
            &(struct pf_symbolic_record){.op = PF_EXPR_NUMBER,
                                         .bits = (uint16_t)bits,
                                         .a = piece->a,
                                         .b = (uint32_t)n,
                                         .c = base,
                                         .x = piece->x,
                                         .y = bits == 32 ? (uint32_t)value : value});
    for (size_t i = 0; i <= n; i++) /* every byte must keep its value */
        pf_model_assume(c, PF_EXPR_EQ, 8, pf_model_byte(s + i), pf_model_constant(s[i]));
    return 0;
}

uint32_t pf_model_number(const struct pf_symbolic_call *c)
{
    const uint8_t *s = (const uint8_t *)c->word[0];
    bool ato = c->model == PF_MODEL_atoi || c->model == PF_MODEL_atol || c->model == PF_MODEL_atoll;
    unsigned base = ato ? 10 : (unsigned)c->word[2];
    unsigned bits = c->model == PF_MODEL_atoi ? 32 : 64;
    size_t n = pf_number_extent(s, base);
    size_t spaces = 0;
    while (is_space(s[spaces]))
        spaces++;
    pf_number_begins(c, s + spaces, n);
    if (!ato && c->word[1]) /* the pointer to the end was stored */
        pf_label_memory_fill((void *)c->word[1], 0, sizeof(char *));
    return pf_number_leaf(c, s, n, base, bits, c->result);
}
