/*
 * model_scan.c - sscanf. The format is followed along the text, as the function did: bytes that
 * match literally and spaces have conditions, numbers are leaves (model_number.c), words and
 * characters keep the labels of their bytes. Floating-point conversions end the model: what they
 * store is concrete, and the loss is counted.
 */
#include "symbolic_model.h"

struct scan {
    const struct pf_symbolic_call *c;
    const uint8_t *text, *format;
    uint32_t next; /* the argument of the next conversion */
    int64_t left; /* conversions that the function has stored and the model has not */
};

static bool is_space(uint8_t b) { return b == ' ' || (b >= '\t' && b <= '\r'); }

/* Assumes that the byte of the text keeps its value. */
static void keep(struct scan *s)
{
    pf_model_assume(s->c, PF_EXPR_EQ, 8, pf_model_byte(s->text), pf_model_constant(*s->text));
    s->text++;
}

static void skip_spaces(struct scan *s)
{
    while (is_space(*s->text))
        keep(s);
}

/* Assumes that the byte does not end a word. */
static void keep_in_word(struct scan *s, const uint8_t *at)
{
    struct pf_expression_operand b = pf_model_byte(at);
    if (!b.label)
        return;
    struct pf_expression_operand after = {
        pf_expression_two(PF_EXPR_SUB, 8, 0, b, pf_model_constant('\t')), (uint8_t)(b.value - 9)};
    pf_model_assume(s->c, PF_EXPR_ULE, 8, after, pf_model_constant('\r' - '\t'));
    pf_model_assume(s->c, PF_EXPR_EQ, 8, b, pf_model_constant(' '));
    pf_model_assume(s->c, PF_EXPR_EQ, 8, b, pf_model_constant(0));
}

/* A conversion: %[*][WIDTH][LENGTH]LETTER. */
struct scan_conversion {
    bool dropped; /* it is not stored */
    size_t width; /* 0: no limit */
    unsigned bytes; /* of a number */
    uint8_t letter;
    const uint8_t *set; /* of %[: after the bracket */
};

static struct scan_conversion read_conversion(struct scan *s)
{
    struct scan_conversion v = {.bytes = 4};
    const uint8_t *f = s->format + 1;
    if ((v.dropped = *f == '*'))
        f++;
    for (; *f >= '0' && *f <= '9'; f++)
        v.width = v.width * 10 + *f - '0';
    for (; *f == 'h' || *f == 'l' || *f == 'z' || *f == 'j' || *f == 't'; f++)
        v.bytes = *f == 'h' ? v.bytes / 2 : 8;
    v.letter = *f ? *f++ : 0;
    v.set = f;
    if (v.letter == '[') {
        f += *f == '^';
        f += *f == ']';
        while (*f && *f != ']')
            f++;
        f += *f != 0;
    }
    s->format = f;
    return v;
}

static bool is_in_set(const uint8_t *set, uint8_t b)
{
    bool inverted = *set == '^', found = false;
    set += inverted;
    const uint8_t *first = set;
    for (; *set && (*set != ']' || set == first); set++) {
        found |= *set == b;
        if (set[1] == '-' && set[2] && set[2] != ']')
            found |= *set <= b && b <= set[2];
    }
    return found != inverted;
}

/* The destination of a conversion; NULL: it has none, or it is not known. */
static void *destination(struct scan *s, const struct scan_conversion *v)
{
    if (v->dropped)
        return NULL;
    s->left--;
    uint32_t i = s->next++;
    return i < PF_SYMBOLIC_WORDS ? (void *)s->c->word[i] : NULL;
}

static bool scan_number(struct scan *s, const struct scan_conversion *v)
{
    unsigned base = v->letter == 'x' || v->letter == 'X' ? 16
                    : v->letter == 'o'                   ? 8
                    : v->letter == 'i'                   ? 0
                                                         : 10;
    skip_spaces(s);
    size_t n = pf_number_extent(s->text, base);
    pf_number_begins(s->c, s->text, n);
    if (!n || (v->width && n > v->width))
        return false;
    void *to = destination(s, v);
    uint64_t value = 0;
    uint32_t label = 0;
    if (to)
        __builtin_memcpy(&value, to, v->bytes);
    if (to && v->bytes >= 4) {
        label = pf_number_leaf(s->c, s->text, n, base, 8 * v->bytes, value);
        s->text += n;
    } else { /* the number may have more bits than were stored */
        for (size_t i = 0; i < n; i++)
            keep(s);
    }
    if (to)
        pf_label_memory_store(to, v->bytes, label, value);
    return true;
}

/* %s, %c and %[: the bytes of the text, with their labels. */
static bool scan_bytes(struct scan *s, const struct scan_conversion *v)
{
    size_t n = 0, most = v->width ? v->width : v->letter == 'c' ? 1 : SIZE_MAX;
    if (v->letter == 's')
        skip_spaces(s);
    while (n < most && s->text[n] &&
           (v->letter == 'c' ||
            (v->letter == 's' ? !is_space(s->text[n]) : is_in_set(v->set, s->text[n]))))
        n++;
    if (!n)
        return false;
    for (size_t i = 0; i < n && v->letter == 's'; i++)
        keep_in_word(s, s->text + i);
    char *to = destination(s, v);
    if (to)
        pf_label_memory_copy(to, s->text, n);
    if (to && v->letter != 'c')
        pf_label_memory_fill(to + n, 0, 1);
    s->text += n;
    if (n < most) /* the byte that ends it */
        pf_model_assume(s->c, PF_EXPR_EQ, 8, pf_model_byte(s->text), pf_model_constant(*s->text));
    return true;
}

static bool scan_one(struct scan *s)
{
    struct scan_conversion v = read_conversion(s);
    switch (v.letter) {
    case '%':
        skip_spaces(s);
        if (*s->text != '%')
            return false;
        keep(s);
        return true;
    case 'n':
        s->left++; /* it is stored, but not counted */
        (void)destination(s, &v);
        return true;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return scan_number(s, &v);
    case 'c':
    case 's':
    case '[':
        return scan_bytes(s, &v);
    default:
        return false;
    }
}

bool pf_model_scan(const struct pf_symbolic_call *c)
{
    struct scan s = {.c = c,
                     .text = (const uint8_t *)c->word[0],
                     .format = (const uint8_t *)c->word[1],
                     .next = 2,
                     .left = (int32_t)c->result};
    bool matches = true;
    while (matches && *s.format) {
        if (is_space(*s.format)) {
            s.format++;
            skip_spaces(&s);
        } else if (*s.format == '%') {
            matches = scan_one(&s);
        } else {
            pf_model_condition(c, PF_EXPR_EQ, 8, pf_model_byte(s.text),
                               pf_model_constant(*s.format));
            matches = *s.text == *s.format;
            s.text += matches;
            s.format++;
        }
    }
    return s.left <= 0;
}
