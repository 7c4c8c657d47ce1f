/*
 * symbolic_model.c - what library functions do to labels.
 *
 * A model runs after the function has returned: it finds out from arguments and result which bytes
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

static struct pf_expression_operand constant(uint64_t v)
{
    return (struct pf_expression_operand){0, v};
}

void pf_model_condition(const struct pf_symbolic_call *c, enum pf_symbolic_op op, unsigned bits,
                        struct pf_expression_operand a, struct pf_expression_operand b)
{
    uint32_t label = pf_expression_two(op, 1, bits, a, b);
    if (label)
        pf_symbolic_condition(PF_REASON_MODEL, label, pf_expression_value(label) != 0, c->site, 0);
}

static void is_zero(const struct pf_symbolic_call *c, const void *at)
{
    pf_model_condition(c, PF_OP_EQ, 8, pf_model_byte(at), constant(0));
}

size_t pf_model_length(const struct pf_symbolic_call *c, const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n])
        n++;
    for (size_t i = 0; i < n && pf_label_memory_any(s, n + 1); i++)
        is_zero(c, s + i);
    if (n < most)
        is_zero(c, s + n);
    return n;
}

/* --- comparisons --- */

static struct pf_expression_operand lower(struct pf_expression_operand b)
{
    uint8_t value = (uint8_t)(b.value >= 'A' && b.value <= 'Z' ? b.value + 32 : b.value);
    if (!b.label)
        return constant(value);
    struct pf_expression_operand from = {pf_expression_two(PF_OP_SUB, 8, 0, b, constant('A')),
                                         (uint8_t)(b.value - 'A')};
    uint32_t upper = pf_expression_two(PF_OP_ULT, 1, 8, from, constant(26));
    struct pf_expression_operand moved = {pf_expression_two(PF_OP_ADD, 8, 0, b, constant(32)),
                                          (uint8_t)(b.value + 32)};
    uint32_t label = pf_expression_make(&(struct pf_symbolic_record){.op = PF_OP_SELECT,
                                                                     .bits = 8,
                                                                     .a = moved.label,
                                                                     .b = b.label,
                                                                     .c = upper,
                                                                     .x = moved.value,
                                                                     .y = b.value});
    return (struct pf_expression_operand){upper ? label : b.label, value};
}

/* Compares up to n bytes; strings end at 0. The result is 0 exactly if all bytes are equal, so the
 * label of the result is: select(all equal, 0, result). `all equal` has one factor for each byte up
 * to the end of the shorter string, beyond the first difference as well: its flip asks for the
 * whole string at once. What the sign of the result depends on is a condition of its own. */
static uint32_t compare(const struct pf_symbolic_call *c, const uint8_t *a, const uint8_t *b,
                        size_t n, bool string, bool fold)
{
    struct pf_expression_operand all = constant(1);
    bool differ = false;
    for (size_t i = 0; i < n; i++) {
        struct pf_expression_operand x = pf_model_byte(a + i), y = pf_model_byte(b + i);
        if (fold) {
            x = lower(x);
            y = lower(y);
        }
        if (differ && !x.label && !y.label && x.value != y.value)
            break; /* it differs anyway: the rest does not matter */
        struct pf_expression_operand same = {pf_expression_two(PF_OP_EQ, 1, 8, x, y),
                                             x.value == y.value};
        if (!differ && !same.value && (x.label || y.label))
            pf_model_condition(c, PF_OP_ULT, 8, x, y);
        differ |= !same.value;
        if (same.label || !same.value)
            all = (struct pf_expression_operand){pf_expression_two(PF_OP_AND, 1, 0, all, same),
                                                 all.value & same.value};
        if (string && (!a[i] || !b[i]))
            break;
    }
    if (!all.label)
        return 0;
    uint64_t result = (uint32_t)c->result;
    if (all.value) /* equal: another input gives some other result, of which nothing is known */
        result = 1;
    return pf_expression_make(&(struct pf_symbolic_record){
        .op = PF_OP_SELECT, .bits = 32, .c = all.label, .x = 0, .y = result});
}

/* --- searches --- */

/* The first of n bytes that is equal to `what`; strings end at 0. */
static void search(const struct pf_symbolic_call *c, const uint8_t *s, size_t n, bool string,
                   const void *found)
{
    struct pf_expression_operand what = {pf_expression_extract(c->label[1], 0, 8),
                                         (uint8_t)c->word[1]};
    for (size_t i = 0; i < n; i++) {
        pf_model_condition(c, PF_OP_EQ, 8, pf_model_byte(s + i), what);
        if (s + i == found)
            return;
        if (string)
            is_zero(c, s + i);
        if (string && !s[i])
            return;
    }
}

static uint32_t search_last(const struct pf_symbolic_call *c, const uint8_t *s)
{
    struct pf_expression_operand what = {pf_expression_extract(c->label[1], 0, 8),
                                         (uint8_t)c->word[1]};
    size_t n = pf_model_length(c, (const char *)s, SIZE_MAX);
    const uint8_t *found = (const uint8_t *)c->result;
    for (size_t i = n; i > 0 && s + i - 1 >= (found ? found : s); i--)
        pf_model_condition(c, PF_OP_EQ, 8, pf_model_byte(s + i - 1), what);
    return 0;
}

/* strstr: at each position before the result the needle was compared. */
static void search_text(const struct pf_symbolic_call *c, const uint8_t *s, const uint8_t *needle)
{
    size_t n = pf_model_length(c, (const char *)s, SIZE_MAX);
    size_t m = pf_model_length(c, (const char *)needle, SIZE_MAX);
    const uint8_t *found = (const uint8_t *)c->result;
    for (size_t i = 0; i + m <= n; i++)
        for (size_t k = 0; k < m; k++) {
            pf_model_condition(c, PF_OP_EQ, 8, pf_model_byte(s + i + k), pf_model_byte(needle + k));
            if (s[i + k] != needle[k])
                break;
            if (k + 1 == m && s + i == found)
                return;
        }
}

/* --- copies and letters --- */

static void copy_string(const struct pf_symbolic_call *c, char *to, const char *from, size_t most)
{
    size_t n = pf_model_length(c, from, most);
    pf_label_memory_copy(to, from, n);
    pf_label_memory_fill(to + n, 0, n < most ? 1 : 0);
}

static uint32_t letter(const struct pf_symbolic_call *c, char first, int by)
{
    struct pf_expression_operand v = {c->label[0], (uint32_t)c->word[0]};
    if (!v.label)
        return 0;
    struct pf_expression_operand from = {
        pf_expression_two(PF_OP_SUB, 32, 0, v, constant((uint32_t)first)),
        (uint32_t)(v.value - (uint32_t)first)};
    uint32_t in = pf_expression_two(PF_OP_ULT, 1, 32, from, constant(26));
    struct pf_expression_operand moved = {
        pf_expression_two(PF_OP_ADD, 32, 0, v, constant((uint32_t)by)),
        (uint32_t)(v.value + (uint32_t)by)};
    if (!in)
        return v.label;
    return pf_expression_make(&(struct pf_symbolic_record){.op = PF_OP_SELECT,
                                                           .bits = 32,
                                                           .a = moved.label,
                                                           .b = v.label,
                                                           .c = in,
                                                           .x = moved.value,
                                                           .y = v.value});
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
    if (!lost)
        return 0;
    Dl_info info = {0};
    pf_nest();
    bool named = dladdr(c->callee, &info) && info.dli_sname;
    pf_unnest();
    pf_symbolic_lose(PF_LOSS_CALL, named ? info.dli_sname : "");
    return 0;
}

uint32_t pf_symbolic_model(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_strlen:
        pf_model_length(c, (const char *)w[0], SIZE_MAX);
        return 0;
    case PF_MODEL_strnlen:
        pf_model_length(c, (const char *)w[0], w[1]);
        return 0;
    case PF_MODEL_strcmp:
        return compare(c, (void *)w[0], (void *)w[1], SIZE_MAX, true, false);
    case PF_MODEL_strncmp:
        return compare(c, (void *)w[0], (void *)w[1], w[2], true, false);
    case PF_MODEL_strcasecmp:
        return compare(c, (void *)w[0], (void *)w[1], SIZE_MAX, true, true);
    case PF_MODEL_strncasecmp:
        return compare(c, (void *)w[0], (void *)w[1], w[2], true, true);
    case PF_MODEL_memcmp:
    case PF_MODEL_bcmp:
        return compare(c, (void *)w[0], (void *)w[1], w[2], false, false);
    case PF_MODEL_strchr:
        search(c, (void *)w[0], SIZE_MAX, true, (void *)c->result);
        return 0;
    case PF_MODEL_memchr:
        search(c, (void *)w[0], w[2], false, (void *)c->result);
        return 0;
    case PF_MODEL_strrchr:
        return search_last(c, (void *)w[0]);
    case PF_MODEL_strstr:
        search_text(c, (void *)w[0], (void *)w[1]);
        return 0;
    case PF_MODEL_memcpy:
    case PF_MODEL_memmove:
        pf_label_memory_copy((void *)w[0], (void *)w[1], w[2]);
        return c->label[0];
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
    case PF_MODEL_strdup:
    case PF_MODEL_strndup:
        if (c->result)
            copy_string(c, (char *)c->result, (const char *)w[0],
                        c->model == PF_MODEL_strdup ? SIZE_MAX : w[1]);
        return 0;
    case PF_MODEL_toupper:
        return letter(c, 'a', -32);
    case PF_MODEL_tolower:
        return letter(c, 'A', 32);
    case PF_MODEL_malloc:
        pf_label_memory_fill((void *)c->result, 0, c->result ? w[0] : 0);
        return 0;
    case PF_MODEL_calloc:
        pf_label_memory_fill((void *)c->result, 0, c->result ? w[0] * w[1] : 0);
        return 0;
    case PF_MODEL_realloc:
        /* the old block is gone, and what it had is in the new one */
        if (c->result && w[0])
            pf_label_memory_copy((void *)c->result, (void *)w[0], w[1]);
        return 0;
    case PF_MODEL_free:
        return 0;
    case PF_MODEL_atoi:
    case PF_MODEL_atol:
    case PF_MODEL_atoll:
    case PF_MODEL_strtol:
    case PF_MODEL_strtoul:
    case PF_MODEL_strtoll:
    case PF_MODEL_strtoull:
        return pf_model_number(c);
    case PF_MODEL_read:
    case PF_MODEL_fgets:
    case PF_MODEL_fread:
    case PF_MODEL_getc:
    case PF_MODEL_fgetc:
    case PF_MODEL_getchar:
    case PF_MODEL_getline:
        return pf_model_stream(c);
    case PF_MODEL_NONE:
    case PF_MODELS:
        break;
    }
    return unknown(c);
}
