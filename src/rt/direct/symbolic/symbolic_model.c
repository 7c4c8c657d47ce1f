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

/* --- copies and letters --- */

static void copy_string(const struct pf_symbolic_call *c, char *to, const char *from, size_t most)
{
    size_t n = pf_model_length(c, from, most);
    pf_label_memory_copy(to, from, n);
    pf_label_memory_fill(to + n, 0, n < most ? 1 : 0);
}

/* Functions that copy or fill memory. */
static uint32_t copied(const struct pf_symbolic_call *c)
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
static uint32_t letter(const struct pf_symbolic_call *c, char first, int by)
{
    struct pf_expression_operand v = {c->label[0], (uint32_t)c->word[0]};
    return pf_model_letter(v, 32, first, by).label;
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

uint32_t pf_symbolic_model(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    pf_model_words(c);
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_strlen:
        return word_length(c, (const uint8_t *)w[0], c->result);
    case PF_MODEL_strnlen:
        pf_model_length(c, (const char *)w[0], w[1]);
        return 0;
    case PF_MODEL_strcmp:
    case PF_MODEL_strncmp:
    case PF_MODEL_strcasecmp:
    case PF_MODEL_strncasecmp:
    case PF_MODEL_memcmp:
    case PF_MODEL_bcmp:
    case PF_MODEL_cxx_compare:
    case PF_MODEL_cxx_compare_string:
        return pf_model_compare(c);
    case PF_MODEL_strchr:
    case PF_MODEL_strchrnul:
    case PF_MODEL_memchr:
    case PF_MODEL_strrchr:
    case PF_MODEL_strstr:
    case PF_MODEL_strcasestr:
        pf_model_search(c);
        return 0;
    case PF_MODEL_strsep:
    case PF_MODEL_strtok:
    case PF_MODEL_strtok_r:
    case PF_MODEL___strtok_r:
    case PF_MODEL_strspn:
    case PF_MODEL_strcspn:
    case PF_MODEL_strpbrk:
        return pf_model_token(c);
    case PF_MODEL_memcpy:
    case PF_MODEL_memmove:
    case PF_MODEL_mempcpy:
    case PF_MODEL___mempcpy:
    case PF_MODEL_memset:
    case PF_MODEL_strcpy:
    case PF_MODEL_stpcpy:
    case PF_MODEL_strncpy:
    case PF_MODEL_strcat:
    case PF_MODEL_strncat:
    case PF_MODEL_strdup:
    case PF_MODEL_strndup:
        return copied(c);
    case PF_MODEL_getopt:
    case PF_MODEL_getopt_long:
    case PF_MODEL_getopt_long_only:
        pf_model_options(c);
        return 0;
    case PF_MODEL_toupper:
        return letter(c, 'a', 'A' - 'a');
    case PF_MODEL_tolower:
        return letter(c, 'A', 'a' - 'A');
    case PF_MODEL_sscanf:
        return pf_model_scan(c) ? 0 : unknown(c);
    case PF_MODEL_sprintf:
        return pf_model_print(c, (char *)w[0], SIZE_MAX, 1) ? 0 : unknown(c);
    case PF_MODEL___sprintf_chk:
        return pf_model_print(c, (char *)w[0], SIZE_MAX, 3) ? 0 : unknown(c);
    case PF_MODEL_snprintf:
        return pf_model_print(c, (char *)w[0], w[1], 2) ? 0 : unknown(c);
    case PF_MODEL___snprintf_chk:
        return pf_model_print(c, (char *)w[0], w[1], 4) ? 0 : unknown(c);
    case PF_MODEL__Znwm:
    case PF_MODEL__Znam:
    case PF_MODEL_malloc:
        pf_label_memory_fill((void *)c->result, 0, c->result ? w[0] : 0);
        return 0;
    case PF_MODEL_calloc:
        pf_label_memory_fill((void *)c->result, 0, c->result ? w[0] * w[1] : 0);
        return 0;
    case PF_MODEL_realloc:
        /* the new block has the contents of the old one */
        if (c->result && w[0])
            pf_label_memory_copy((void *)c->result, (void *)w[0], w[1]);
        return 0;
    case PF_MODEL__ZdlPv:
    case PF_MODEL__ZdaPv:
    case PF_MODEL__ZdlPvm:
    case PF_MODEL__ZdaPvm:
    case PF_MODEL_free:
    case PF_MODEL_pthread_create: /* the start of the thread takes the label of its argument */
    case PF_MODEL_getrandom: /* the bytes have their labels since the system call returned */
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
    case PF_MODEL_recv:
    case PF_MODEL_recvfrom:
    case PF_MODEL_pread:
    case PF_MODEL_fgets:
    case PF_MODEL_fread:
    case PF_MODEL_getc:
    case PF_MODEL_fgetc:
    case PF_MODEL_getchar:
    case PF_MODEL_getline:
    case PF_MODEL_getdelim:
    case PF_MODEL___getdelim:
    case PF_MODEL___uflow:
    case PF_MODEL___fgets_chk:
    case PF_MODEL___fread_chk:
        return pf_model_stream(c);
    case PF_MODEL_printf:
    case PF_MODEL_fprintf:
    case PF_MODEL___printf_chk:
    case PF_MODEL___fprintf_chk:
    case PF_MODEL_puts:
    case PF_MODEL_fputs:
    case PF_MODEL_putchar:
    case PF_MODEL_putc:
    case PF_MODEL_fputc:
    case PF_MODEL_fwrite:
    case PF_MODEL_write:
        if (pf_model_output(c))
            return 0;
        break;
    case PF_MODEL_cxx_getline:
    case PF_MODEL_cxx_getline_to:
    case PF_MODEL_cxx_read_word:
    case PF_MODEL_cxx_read_int:
    case PF_MODEL_cxx_read_unsigned:
    case PF_MODEL_cxx_read_long:
    case PF_MODEL_cxx_read_unsigned_long:
    case PF_MODEL_cxx_istringstream:
    case PF_MODEL_cxx_stringstream:
    case PF_MODEL_cxx_append:
    case PF_MODEL_cxx_assign:
        if (pf_model_cxx(c))
            return 0;
        break;
    case PF_MODEL_NONE:
    case PF_MODELS:
        break;
    }
    return unknown(c);
}
