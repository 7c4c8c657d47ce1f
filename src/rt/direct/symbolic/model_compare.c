/*
 * model_compare.c - functions that compare strings or memory, or search in them, and getopt, which
 * compares the arguments with the options of the program.
 */
#include "symbolic_model.h"
#include "sys.h"
#include "textbuf.h"
#include <getopt.h>

static struct pf_expression_operand lower(struct pf_expression_operand b)
{
    return pf_model_letter(b, 8, 'A', 'a' - 'A');
}

/* A string that is compared: its bytes, and those that it would have if it were longer. */
struct compared {
    const uint8_t *s;
    bool ended, extends; /* extends: it is the end of a word */
    size_t end; /* index of its 0 */
    uint32_t source;
    uint64_t offset; /* of its 0 in the source */
};

static struct pf_expression_operand compared_byte(struct compared *c, size_t i, bool string)
{
    if (c->ended)
        return (struct pf_expression_operand){
            pf_symbolic_leaf_beyond(c->source, c->offset + (i - c->end)), 0};
    struct pf_expression_operand b = pf_model_byte(c->s + i);
    if (string && !b.value) {
        const struct pf_symbolic_record *leaf = b.label ? pf_expression_node(b.label) : NULL;
        c->ended = true;
        c->end = i;
        c->extends = leaf && leaf->op == PF_EXPR_INPUT && pf_symbolic_is_word(leaf->a);
        c->source = c->extends ? leaf->a : 0;
        c->offset = c->extends ? leaf->x : 0;
    }
    return b;
}

/* True if the comparison may continue, perhaps beyond the end of a word. */
static bool goes_on(const struct compared *a, const struct compared *b)
{
    return !(a->ended && b->ended) && (!a->ended || a->extends) && (!b->ended || b->extends);
}

/* Whether the strings are equal, up to n bytes. The expression covers every byte, also those after
 * the first difference and after the end of a word, so that one flip gives the whole string. */
static struct pf_expression_operand all_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    struct pf_expression_operand all = pf_model_constant(1);
    struct compared p = {.s = a}, q = {.s = b};
    for (size_t i = 0; i < n && goes_on(&p, &q); i++) {
        struct pf_expression_operand x = compared_byte(&p, i, true), y = compared_byte(&q, i, true);
        struct pf_expression_operand same = {pf_expression_two(PF_EXPR_EQ, 1, 8, x, y),
                                             x.value == y.value};
        if (!same.label && !same.value)
            return pf_model_constant(0); /* they differ for every input */
        if (same.label)
            all = (struct pf_expression_operand){pf_expression_two(PF_EXPR_AND, 1, 0, all, same),
                                                 all.value & same.value};
    }
    return all;
}

/* Records whether the two are equal. A loop may compare the input with many texts at one site, so a
 * hash of the text is the alternative of the condition, unless the text may be input, too. */
static void is_same_text(const struct pf_symbolic_call *c, const uint8_t *a, const uint8_t *b,
                         size_t n, bool string, struct pf_expression_operand result)
{
    const uint8_t *text = pf_label_memory_any(a, 1) ? b : a;
    bool fixed = pf_model_is_constant((const char *)text);
    uint32_t hash = 1;
    for (size_t i = 0; fixed && i < n && i < 64 && (!string || text[i]); i++)
        hash = (hash ^ text[i]) * 0x01000193;
    uint32_t equal = pf_expression_two(PF_EXPR_EQ, 1, 32, result, pf_model_constant(0));
    pf_symbolic_condition(PF_REASON_MODEL, equal, !result.value, c->site, hash);
}

#define COMPARED_MAX 256 /* bytes of a comparison that are modelled */

/* The result of a comparison of up to n bytes; strings end at 0. The first byte that differs
 * decides: the expression is a chain of selects. For the byte that decided in this run, the value
 * is the function's result. For the others only the sign is known, and the value is 1 or -1. */
static uint32_t compare(const struct pf_symbolic_call *c, const uint8_t *a, const uint8_t *b,
                        size_t n, bool string, bool fold)
{
    struct pf_expression_operand x[COMPARED_MAX], y[COMPARED_MAX], result = pf_model_constant(0);
    struct compared p = {.s = a}, q = {.s = b};
    if ((uint32_t)c->result && string && n == SIZE_MAX)
        pf_model_other_text(c, (const char *)a, (const char *)b);
    else if ((uint32_t)c->result)
        pf_model_other_word(c, (const char *)a, (const char *)b, n);
    size_t m = 0, first = SIZE_MAX;
    while (m < n && m < COMPARED_MAX && (!string || goes_on(&p, &q))) {
        x[m] = compared_byte(&p, m, string);
        y[m] = compared_byte(&q, m, string);
        if (fold) {
            x[m] = lower(x[m]);
            y[m] = lower(y[m]);
        }
        if (x[m].value != y[m].value && first == SIZE_MAX)
            first = m;
        m++;
        if (!x[m - 1].label && !y[m - 1].label && x[m - 1].value != y[m - 1].value)
            break; /* they differ for every input; what follows does not matter */
    }
    if ((first != SIZE_MAX) != ((uint32_t)c->result != 0)) { /* beyond COMPARED_MAX */
        for (size_t i = 0; i < m; i++)
            pf_model_condition(c, PF_EXPR_EQ, 8, x[i], y[i]);
        return 0;
    }
    for (size_t i = m; i > 0; i--) {
        struct pf_expression_operand u = x[i - 1], v = y[i - 1];
        struct pf_expression_operand same = {pf_expression_two(PF_EXPR_EQ, 1, 8, u, v),
                                             u.value == v.value};
        struct pf_expression_operand less = {pf_expression_two(PF_EXPR_ULT, 1, 8, u, v),
                                             u.value < v.value};
        bool here = i - 1 == first;
        uint32_t own = (uint32_t)c->result;
        struct pf_expression_operand below =
            pf_model_constant(here && less.value ? own : (uint32_t)-1);
        struct pf_expression_operand above = pf_model_constant(here && !less.value ? own : 1);
        result = pf_model_select(same, 32, result, pf_model_select(less, 32, below, above));
    }
    is_same_text(c, a, b, n, string, result);
    return result.label;
}

uint32_t pf_model_compare(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    const uint8_t *a = (const uint8_t *)w[0], *b = (const uint8_t *)w[1];
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_strcmp:
        return compare(c, a, b, SIZE_MAX, true, false);
    case PF_MODEL_strncmp:
        return compare(c, a, b, w[2], true, false);
    case PF_MODEL_strcasecmp:
        return compare(c, a, b, SIZE_MAX, true, true);
    case PF_MODEL_strncasecmp:
        return compare(c, a, b, w[2], true, true);
    case PF_MODEL_cxx_compare: /* of a std::string, whose first word points to its bytes */
        return compare(c, *(const uint8_t *const *)a, b, SIZE_MAX, true, false);
    case PF_MODEL_cxx_compare_string:
        return compare(c, *(const uint8_t *const *)a, *(const uint8_t *const *)b, SIZE_MAX, true,
                       false);
    default: /* memcmp, bcmp */
        return compare(c, a, b, w[2], false, false);
    }
}

/* --- options --- */

/* Records for each argument whether it is this option, and the option as a further argument, with a
 * value if it takes one. */
static void one_option(const struct pf_symbolic_call *c, const char *dashes, const char *name,
                       size_t n, const char *value)
{
    char text[128];
    size_t k = pf_str_len(dashes), m = pf_str_len(value);
    uint32_t hash = 1;
    if (k + n + m + 1 > sizeof text)
        return;
    pf_copy(text, dashes, k);
    pf_copy(text + k, name, n);
    text[k + n] = 0;
    for (size_t i = 0; i < k + n; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x01000193;
    for (int i = 1; i < (int)c->word[0]; i++) {
        const char *argument = ((char **)c->word[1])[i];
        struct pf_expression_operand all =
            all_equal((const uint8_t *)argument, (const uint8_t *)text, SIZE_MAX);
        pf_symbolic_condition(PF_REASON_MODEL, all.label, all.value, c->site, hash);
    }
    pf_copy(text + k + n, value, m);
    pf_symbolic_text(0, 0, 0, text, k + n + m, c->site);
}

/* The first call of getopt. The conditions are about all arguments, not only about the one that
 * this call has parsed. */
void pf_model_options(const struct pf_symbolic_call *c)
{
    static bool done;
    const char *letters = (const char *)c->word[2];
    const struct option *names =
        c->model == PF_MODEL_getopt ? NULL : (const struct option *)c->word[3];
    if (done)
        return;
    done = true;
    for (const char *p = letters; p && *p; p++) {
        const struct option *o = names; /* a name for this letter */
        while (o && o->name && (o->flag || o->val != *p))
            o++;
        if (*p != ':' && *p != '+' && *p != '-' && !(o && o->name))
            one_option(c, "-", p, 1, p[1] == ':' ? "1" : "");
    }
    for (const struct option *o = names; o && o->name; o++)
        one_option(c, "--", o->name, pf_str_len(o->name),
                   o->has_arg == required_argument ? "=1" : "");
}

/* --- searches --- */

/* Records the conditions of a search for the first of n bytes that has the wanted value; strings
 * end at 0. */
static void search(const struct pf_symbolic_call *c, const uint8_t *s, size_t n, bool string,
                   const void *found)
{
    struct pf_expression_operand what = {pf_expression_extract(c->label[1], 0, 8),
                                         (uint8_t)c->word[1]};
    for (size_t i = 0; i < n; i++) {
        pf_model_condition(c, PF_EXPR_EQ, 8, pf_model_byte(s + i), what);
        if (s + i == found)
            return;
        if (string)
            pf_model_end(c, pf_model_byte(s + i));
        if (string && !s[i])
            return;
    }
}

static void search_last(const struct pf_symbolic_call *c, const uint8_t *s)
{
    struct pf_expression_operand what = {pf_expression_extract(c->label[1], 0, 8),
                                         (uint8_t)c->word[1]};
    size_t n = pf_model_length(c, (const char *)s, SIZE_MAX);
    const uint8_t *found = (const uint8_t *)c->result;
    for (size_t i = n; i > 0 && s + i - 1 >= (found ? found : s); i--)
        pf_model_condition(c, PF_EXPR_EQ, 8, pf_model_byte(s + i - 1), what);
}

/* strstr, strcasestr (fold): the needle is compared at each position up to the result. */
static void search_text(const struct pf_symbolic_call *c, const uint8_t *s, const uint8_t *needle,
                        bool fold)
{
    if (!c->result)
        pf_model_other_text(c, (const char *)s, (const char *)needle);
    size_t n = pf_model_length(c, (const char *)s, SIZE_MAX);
    size_t m = pf_model_length(c, (const char *)needle, SIZE_MAX);
    const uint8_t *found = (const uint8_t *)c->result;
    for (size_t i = 0; i + m <= n; i++)
        for (size_t k = 0; k < m; k++) {
            struct pf_expression_operand x = pf_model_byte(s + i + k),
                                         y = pf_model_byte(needle + k);
            if (fold) {
                x = lower(x);
                y = lower(y);
            }
            pf_model_condition(c, PF_EXPR_EQ, 8, x, y);
            if (x.value != y.value)
                break;
            if (k + 1 == m && s + i == found)
                return;
        }
}

void pf_model_search(const struct pf_symbolic_call *c)
{
    const uint8_t *s = (const uint8_t *)c->word[0];
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_memchr:
        search(c, s, c->word[2], false, (void *)c->result);
        break;
    case PF_MODEL_strrchr:
        search_last(c, s);
        break;
    case PF_MODEL_strstr:
    case PF_MODEL_strcasestr:
        search_text(c, s, (const uint8_t *)c->word[1], c->model == PF_MODEL_strcasestr);
        break;
    default: /* strchr, strchrnul */
        search(c, s, SIZE_MAX, true, (void *)c->result);
        break;
    }
}
