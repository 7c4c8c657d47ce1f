/*
 * symbolic_model.c - the effects of library functions on labels.
 *
 * A model runs after the function has returned: it derives from arguments and result which bytes
 * the function compared, and records the conditions of an equivalent loop. A function without a
 * model has a concrete result. If an argument had a label, or pointed to memory with labels, the
 * loss is counted under its name.
 */
#define _GNU_SOURCE
#include "symbolic_model.h"
#include "module.h"
#include "rt.h"
#include "stack.h"
#include "symbolic.h"
#include "sys.h"
#include "textbuf.h"
#include <dlfcn.h>

/* --- conditions on bytes --- */

struct pf_expression_operand pf_model_byte(const void *at)
{
    return (struct pf_expression_operand){pf_label_memory_any(at, 1) ? pf_label_memory_byte(at) : 0,
                                          *(const uint8_t *)at};
}

struct pf_expression_operand pf_model_select(struct pf_expression_operand c, unsigned bits,
                                             struct pf_expression_operand a,
                                             struct pf_expression_operand b)
{
    if (!c.label)
        return c.value ? a : b;
    return (struct pf_expression_operand){
        pf_expression_make(&(struct pf_symbolic_record){.op = PF_EXPR_SELECT,
                                                        .bits = (uint16_t)bits,
                                                        .a = a.label,
                                                        .b = b.label,
                                                        .c = c.label,
                                                        .x = a.value,
                                                        .y = b.value}),
        c.value ? a.value : b.value};
}

void pf_model_condition(const struct pf_symbolic_call *c, enum pf_symbolic_op op, unsigned bits,
                        struct pf_expression_operand a, struct pf_expression_operand b)
{
    uint32_t label = pf_expression_two(op, 1, bits, a, b);
    if (label)
        pf_symbolic_condition(PF_REASON_MODEL, label, pf_expression_value(label) != 0, c->site, 0);
}

void pf_model_assume(const struct pf_symbolic_call *c, enum pf_symbolic_op op, unsigned bits,
                     struct pf_expression_operand a, struct pf_expression_operand b)
{
    uint32_t label = pf_expression_two(op, 1, bits, a, b);
    if (label)
        pf_symbolic_condition(PF_REASON_ASSUMED, label, pf_expression_value(label) != 0, c->site,
                              0);
}

void pf_model_end(const struct pf_symbolic_call *c, struct pf_expression_operand b)
{
    const struct pf_symbolic_record *leaf = b.label ? pf_expression_node(b.label) : NULL;
    if (leaf && leaf->op == PF_EXPR_INPUT && pf_symbolic_is_word(leaf->a))
        pf_model_condition(c, PF_EXPR_EQ, 8, b, pf_model_constant(0));
    else
        pf_model_assume(c, PF_EXPR_EQ, 8, b, pf_model_constant(0));
}

size_t pf_model_length(const struct pf_symbolic_call *c, const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n])
        n++;
    for (size_t i = 0; i < n && pf_label_memory_any(s, n + 1); i++)
        pf_model_end(c, pf_model_byte(s + i));
    if (n < most)
        pf_model_end(c, pf_model_byte(s + n));
    return n;
}

/* strlen of the end of a word is its length minus an offset. Other strings have conditions on their
 * bytes. */
static uint32_t word_length(const struct pf_symbolic_call *c, const uint8_t *s, size_t n)
{
    const struct pf_symbolic_record *first = NULL;
    struct pf_expression_operand length;
    for (size_t i = 0; i <= n; i++) {
        struct pf_expression_operand b = pf_model_byte(s + i);
        const struct pf_symbolic_record *leaf = b.label ? pf_expression_node(b.label) : NULL;
        bool piece = leaf && leaf->op == PF_EXPR_INPUT && pf_symbolic_is_word(leaf->a) &&
                     (!first || (leaf->a == first->a && leaf->x == first->x + i));
        if (!piece || (!i && !pf_symbolic_length(leaf->a, &length))) {
            pf_model_length(c, (const char *)s, SIZE_MAX);
            return 0;
        }
        if (!i)
            first = leaf;
    }
    struct pf_expression_operand offset = pf_model_constant(first->x);
    if (length.value != offset.value + n)
        return 0;
    if (offset.value)
        pf_model_assume(c, PF_EXPR_UGE, 64, length, offset);
    return pf_expression_two(PF_EXPR_SUB, 64, 0, length, offset);
}

static uint32_t model_strlen(const struct pf_symbolic_call *c)
{
    return word_length(c, (const uint8_t *)c->word[0], c->result);
}

static uint32_t model_strnlen(const struct pf_symbolic_call *c)
{
    pf_model_length(c, (const char *)c->word[0], c->word[1]);
    return 0;
}

/* --- copies and letters --- */

static void copy_string(const struct pf_symbolic_call *c, char *to, const char *from, size_t most)
{
    size_t n = pf_model_length(c, from, most);
    pf_label_memory_copy(to, from, n);
    pf_label_memory_fill(to + n, 0, n < most ? 1 : 0);
}

/* Functions that copy or fill memory. */
static uint32_t model_copy(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_memcpy:
    case PF_MODEL_memmove:
        pf_label_memory_copy((void *)w[0], (void *)w[1], w[2]);
        return c->label[0];
    case PF_MODEL_mempcpy:
    case PF_MODEL___mempcpy:
        pf_label_memory_copy((void *)w[0], (void *)w[1], w[2]);
        return 0;
    case PF_MODEL_memset:
        pf_label_memory_fill((void *)w[0], c->label[1], w[2]);
        return c->label[0];
    case PF_MODEL_strcpy:
    case PF_MODEL_stpcpy:
        copy_string(c, (char *)w[0], (const char *)w[1], SIZE_MAX);
        return 0;
    case PF_MODEL_strncpy: {
        size_t n = pf_model_length(c, (const char *)w[1], w[2]);
        pf_label_memory_copy((char *)w[0], (const char *)w[1], n);
        pf_label_memory_fill((char *)w[0] + n, 0, w[2] - n);
        return 0;
    }
    case PF_MODEL_strcat: {
        size_t n = pf_str_len((const char *)w[0]) - pf_str_len((const char *)w[1]);
        copy_string(c, (char *)w[0] + n, (const char *)w[1], SIZE_MAX);
        return 0;
    }
    case PF_MODEL_strncat: {
        size_t n = pf_model_length(c, (const char *)w[1], w[2]);
        char *end = (char *)w[0] + pf_str_len((const char *)w[0]);
        pf_label_memory_copy(end - n, (const char *)w[1], n);
        pf_label_memory_fill(end, 0, 1);
        return 0;
    }
    default: /* strdup, strndup */
        if (c->result)
            copy_string(c, (char *)c->result, (const char *)w[0],
                        c->model == PF_MODEL_strdup ? SIZE_MAX : w[1]);
        return 0;
    }
}

struct pf_expression_operand pf_model_letter(struct pf_expression_operand v, unsigned bits,
                                             char first, int by)
{
    uint64_t mask = (1ull << bits) - 1, start = (uint64_t)first, distance = (uint64_t)by & mask;
    struct pf_expression_operand from = {
        pf_expression_two(PF_EXPR_SUB, bits, 0, v, pf_model_constant(start)),
        (v.value - start) & mask};
    struct pf_expression_operand in = {
        pf_expression_two(PF_EXPR_ULT, 1, bits, from, pf_model_constant(26)), from.value < 26};
    struct pf_expression_operand moved = {
        pf_expression_two(PF_EXPR_ADD, bits, 0, v, pf_model_constant(distance)),
        (v.value + distance) & mask};
    return pf_model_select(in, bits, moved, v);
}

/* toupper and tolower. */
static uint32_t model_letter(const struct pf_symbolic_call *c)
{
    struct pf_expression_operand v = {c->label[0], (uint32_t)c->word[0]};
    bool up = c->model == PF_MODEL_toupper;
    return pf_model_letter(v, 32, up ? 'a' : 'A', up ? 'A' - 'a' : 'a' - 'A').label;
}

/* --- memory --- */

/* The new block has no labels; that of realloc has the contents of the old one. */
static uint32_t model_allocate(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    if (c->model == PF_MODEL_realloc) {
        if (c->result && w[0])
            pf_label_memory_copy((void *)c->result, (void *)w[0], w[1]);
    } else if (c->result) {
        pf_label_memory_fill((void *)c->result, 0,
                             c->model == PF_MODEL_calloc ? w[0] * w[1] : w[0]);
    }
    return 0;
}

/* Functions without an effect on labels: those that free memory; pthread_create, because the start
 * of the thread takes the label of its argument; getrandom, because the bytes have their labels
 * since the system call returned. */
static uint32_t model_nothing(const struct pf_symbolic_call *c)
{
    (void)c;
    return 0;
}

/* --- functions without a model --- */

static bool is_readable_label(uint64_t word)
{
    return word > 4096 && word < 1ull << 47 && pf_label_memory_has((const void *)word);
}

static uint32_t unknown(const struct pf_symbolic_call *c)
{
    bool lost = c->dropped;
    for (uint32_t i = 0; i < c->n && i < PF_SYMBOLIC_WORDS; i++)
        lost |= c->label[i] || is_readable_label(c->word[i]);
    if (pf_stream_was_read()) /* by this function: what it made of the bytes has no labels */
        lost = true;
    if (!lost)
        return 0;
    Dl_info info = {0};
    pf_nest();
    bool named = dladdr(c->callee, &info) && info.dli_sname;
    pf_unnest();
    pf_symbolic_lose(PF_LOSS_CALL, named ? info.dli_sname : "");
    return 0;
}

/* --- models of other files --- */

static uint32_t model_compare(const struct pf_symbolic_call *c) { return pf_model_compare(c); }
static uint32_t model_token(const struct pf_symbolic_call *c) { return pf_model_token(c); }
static uint32_t model_number(const struct pf_symbolic_call *c) { return pf_model_number(c); }
static uint32_t model_stream(const struct pf_symbolic_call *c) { return pf_model_stream(c); }

static uint32_t model_search(const struct pf_symbolic_call *c)
{
    pf_model_search(c);
    return 0;
}

static uint32_t model_options(const struct pf_symbolic_call *c)
{
    pf_model_options(c);
    return 0;
}

static uint32_t model_scan(const struct pf_symbolic_call *c)
{
    return pf_model_scan(c) ? 0 : unknown(c);
}

static uint32_t model_print(const struct pf_symbolic_call *c)
{
    bool bounded = c->model == PF_MODEL_snprintf || c->model == PF_MODEL___snprintf_chk;
    bool fortified = c->model == PF_MODEL___sprintf_chk || c->model == PF_MODEL___snprintf_chk;
    uint32_t format_at = (bounded ? 2 : 1) + (fortified ? 2 : 0);
    return pf_model_print(c, (char *)c->word[0], bounded ? c->word[1] : SIZE_MAX, format_at)
               ? 0
               : unknown(c);
}

static uint32_t model_output(const struct pf_symbolic_call *c)
{
    return pf_model_output(c) ? 0 : unknown(c);
}

static uint32_t model_cxx(const struct pf_symbolic_call *c)
{
    return pf_model_cxx(c) ? 0 : unknown(c);
}

static uint32_t (*const models[PF_MODELS])(const struct pf_symbolic_call *) = {
    [PF_MODEL_NONE] = unknown,
#define PF_MODEL(name, by) [PF_MODEL_##name] = model_##by,
#include "pf_model.def"
#undef PF_MODEL
};

uint32_t pf_symbolic_model(const struct pf_symbolic_call *c)
{
    pf_model_words(c);
    return models[c->model < PF_MODELS ? c->model : PF_MODEL_NONE](c);
}
