/*
 * model_print.c - sprintf and snprintf: labels of the bytes in the buffer. The bytes of strings and
 * characters keep their labels. A digit of a number is an expression of the number, on the
 * condition that the number keeps its sign and its count of digits. Conversions with flags, width
 * or precision, other bases and floating point are not modelled: if such an argument has a label,
 * the loss is counted.
 */
#include "symbolic_model.h"

struct print {
    const struct pf_symbolic_call *c;
    char *to, *end; /* the rest of the buffer, without the terminating 0 */
    uint32_t next; /* the argument of the next conversion */
};

static void put(struct print *p, uint32_t label)
{
    if (p->to < p->end)
        pf_label_memory_fill(p->to++, label, 1);
}

/* The next argument; false: its value is not known. */
static bool argument(struct print *p, struct pf_expression_operand *out)
{
    uint32_t i = p->next++;
    if (i >= PF_SYMBOLIC_WORDS)
        return false;
    *out = (struct pf_expression_operand){p->c->label[i], p->c->word[i]};
    return true;
}

static struct pf_expression_operand two(enum pf_symbolic_op op, unsigned bits,
                                        struct pf_expression_operand a, uint64_t b, uint64_t value)
{
    return (struct pf_expression_operand){pf_expression_two(op, bits, 0, a, pf_model_constant(b)),
                                          value};
}

/* A number of this many bits in decimal. */
static bool print_number(struct print *p, unsigned bits, bool is_signed)
{
    struct pf_expression_operand v;
    uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1, power = 1;
    if (!argument(p, &v))
        return false;
    v.value &= mask;
    if (v.label && pf_expression_node(v.label)->bits != bits)
        v.label = pf_expression_resize(v.label, bits, is_signed);
    bool negative = is_signed && v.value >> (bits - 1) & 1;
    if (is_signed)
        pf_model_condition(p->c, PF_EXPR_SLT, bits, v, pf_model_constant(0));
    if (negative) {
        put(p, 0);
        v = (struct pf_expression_operand){
            pf_expression_two(PF_EXPR_SUB, bits, 0, pf_model_constant(0), v), (0 - v.value) & mask};
    }
    while (v.value / power >= 10)
        power *= 10;
    if (power > 1)
        pf_model_assume(p->c, PF_EXPR_UGE, bits, v, pf_model_constant(power));
    if (power <= mask / 10)
        pf_model_assume(p->c, PF_EXPR_ULT, bits, v, pf_model_constant(power * 10));
    for (; power; power /= 10) {
        struct pf_expression_operand q = two(PF_EXPR_UDIV, bits, v, power, v.value / power);
        struct pf_expression_operand d = two(PF_EXPR_UREM, bits, q, 10, q.value % 10);
        uint32_t byte = d.label ? pf_expression_extract(d.label, 0, 8) : 0;
        put(p, pf_expression_two(PF_EXPR_ADD, 8, 0, (struct pf_expression_operand){byte, d.value},
                                 pf_model_constant('0')));
    }
    return true;
}

static bool print_string(struct print *p)
{
    struct pf_expression_operand v;
    if (!argument(p, &v) || !v.value)
        return false;
    const char *s = (const char *)v.value;
    size_t n = pf_model_length(p->c, s, SIZE_MAX), room = (size_t)(p->end - p->to);
    n = n < room ? n : room;
    pf_label_memory_copy(p->to, s, n);
    p->to += n;
    return true;
}

/* One conversion, at *format; false: the rest is not modelled. */
static bool print_one(struct print *p, const char **format)
{
    const char *f = *format + 1;
    unsigned bits = 32;
    struct pf_expression_operand v;
    for (; *f == 'l' || *f == 'z' || *f == 'j'; f++)
        bits = 64;
    *format = f + 1;
    switch (*f) {
    case '%':
        put(p, 0);
        return true;
    case 'c':
        if (!argument(p, &v))
            return false;
        put(p, v.label ? pf_expression_extract(v.label, 0, 8) : 0);
        return true;
    case 's':
        return print_string(p);
    case 'd':
    case 'i':
    case 'u':
        return print_number(p, bits, *f != 'u');
    default:
        return false;
    }
}

static bool any_label(const struct print *p)
{
    bool any = p->c->dropped;
    for (uint32_t i = p->next; i < p->c->n && i < PF_SYMBOLIC_WORDS; i++)
        any |= p->c->label[i] != 0;
    return any;
}

bool pf_model_print(const struct pf_symbolic_call *c, char *to, size_t room, uint32_t format_at)
{
    int32_t n = (int32_t)c->result;
    if (n < 0 || !room || format_at >= PF_SYMBOLIC_WORDS)
        return true;
    size_t written = (size_t)n < room - 1 ? (size_t)n : room - 1;
    struct print p = {.c = c, .to = to, .end = to + written, .next = format_at + 1};
    const char *format = (const char *)c->word[format_at];
    pf_label_memory_fill(to, 0, written + 1);
    while (*format) {
        if (*format != '%') {
            put(&p, 0);
            format++;
            continue;
        }
        uint32_t at = p.next;
        if (!print_one(&p, &format)) {
            p.next = at;
            return !any_label(&p);
        }
    }
    return true;
}
