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
#include <getopt.h>

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
        pf_model_condition(c, PF_EXPR_EQ, 8, b, constant(0));
    else
        pf_model_assume(c, PF_EXPR_EQ, 8, b, constant(0));
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
    struct pf_expression_operand offset = constant(first->x);
    if (length.value != offset.value + n)
        return 0;
    if (offset.value)
        pf_model_assume(c, PF_EXPR_UGE, 64, length, offset);
    return pf_expression_two(PF_EXPR_SUB, 64, 0, length, offset);
}

/* --- comparisons --- */

static struct pf_expression_operand lower(struct pf_expression_operand b)
{
    uint8_t value = (uint8_t)(b.value >= 'A' && b.value <= 'Z' ? b.value + 32 : b.value);
    if (!b.label)
        return constant(value);
    struct pf_expression_operand from = {pf_expression_two(PF_EXPR_SUB, 8, 0, b, constant('A')),
                                         (uint8_t)(b.value - 'A')};
    uint32_t upper = pf_expression_two(PF_EXPR_ULT, 1, 8, from, constant(26));
    struct pf_expression_operand moved = {pf_expression_two(PF_EXPR_ADD, 8, 0, b, constant(32)),
                                          (uint8_t)(b.value + 32)};
    uint32_t label = pf_expression_make(&(struct pf_symbolic_record){.op = PF_EXPR_SELECT,
                                                                     .bits = 8,
                                                                     .a = moved.label,
                                                                     .b = b.label,
                                                                     .c = upper,
                                                                     .x = moved.value,
                                                                     .y = b.value});
    return (struct pf_expression_operand){upper ? label : b.label, value};
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
    struct pf_expression_operand all = constant(1);
    struct compared p = {.s = a}, q = {.s = b};
    for (size_t i = 0; i < n && goes_on(&p, &q); i++) {
        struct pf_expression_operand x = compared_byte(&p, i, true), y = compared_byte(&q, i, true);
        struct pf_expression_operand same = {pf_expression_two(PF_EXPR_EQ, 1, 8, x, y),
                                             x.value == y.value};
        if (!same.label && !same.value)
            return constant(0); /* they differ for every input */
        if (same.label)
            all = (struct pf_expression_operand){pf_expression_two(PF_EXPR_AND, 1, 0, all, same),
                                                 all.value & same.value};
    }
    return all;
}

static struct pf_expression_operand select_of(struct pf_expression_operand c, unsigned bits,
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
    uint32_t equal = pf_expression_two(PF_EXPR_EQ, 1, 32, result, constant(0));
    pf_symbolic_condition(PF_REASON_MODEL, equal, !result.value, c->site, hash);
}

#define COMPARED_MAX 256

/* The result of a comparison of up to n bytes; strings end at 0. The first byte that differs
 * decides: the expression is a chain of selects. For the byte that decided in this run, the value
 * is the function's result. For the others only the sign is known, and the value is 1 or -1. */
static uint32_t compare(const struct pf_symbolic_call *c, const uint8_t *a, const uint8_t *b,
                        size_t n, bool string, bool fold)
{
    struct pf_expression_operand x[COMPARED_MAX], y[COMPARED_MAX], result = constant(0);
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
        struct pf_expression_operand below = constant(here && less.value ? own : (uint32_t)-1);
        struct pf_expression_operand above = constant(here && !less.value ? own : 1);
        result = select_of(same, 32, result, select_of(less, 32, below, above));
    }
    is_same_text(c, a, b, n, string, result);
    return result.label;
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
static void options(const struct pf_symbolic_call *c)
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

static uint32_t search_last(const struct pf_symbolic_call *c, const uint8_t *s)
{
    struct pf_expression_operand what = {pf_expression_extract(c->label[1], 0, 8),
                                         (uint8_t)c->word[1]};
    size_t n = pf_model_length(c, (const char *)s, SIZE_MAX);
    const uint8_t *found = (const uint8_t *)c->result;
    for (size_t i = n; i > 0 && s + i - 1 >= (found ? found : s); i--)
        pf_model_condition(c, PF_EXPR_EQ, 8, pf_model_byte(s + i - 1), what);
    return 0;
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
        pf_expression_two(PF_EXPR_SUB, 32, 0, v, constant((uint32_t)first)),
        (uint32_t)(v.value - (uint32_t)first)};
    uint32_t in = pf_expression_two(PF_EXPR_ULT, 1, 32, from, constant(26));
    struct pf_expression_operand moved = {
        pf_expression_two(PF_EXPR_ADD, 32, 0, v, constant((uint32_t)by)),
        (uint32_t)(v.value + (uint32_t)by)};
    if (!in)
        return v.label;
    return pf_expression_make(&(struct pf_symbolic_record){.op = PF_EXPR_SELECT,
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
    case PF_MODEL_strchrnul:
        search(c, (void *)w[0], SIZE_MAX, true, (void *)c->result);
        return 0;
    case PF_MODEL_memchr:
        search(c, (void *)w[0], w[2], false, (void *)c->result);
        return 0;
    case PF_MODEL_strrchr:
        return search_last(c, (void *)w[0]);
    case PF_MODEL_strstr:
    case PF_MODEL_strcasestr:
        search_text(c, (void *)w[0], (void *)w[1], c->model == PF_MODEL_strcasestr);
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
    case PF_MODEL_strdup:
    case PF_MODEL_strndup:
        if (c->result)
            copy_string(c, (char *)c->result, (const char *)w[0],
                        c->model == PF_MODEL_strdup ? SIZE_MAX : w[1]);
        return 0;
    case PF_MODEL_getopt:
    case PF_MODEL_getopt_long:
    case PF_MODEL_getopt_long_only:
        options(c);
        return 0;
    case PF_MODEL_toupper:
        return letter(c, 'a', -32);
    case PF_MODEL_tolower:
        return letter(c, 'A', 32);
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
    case PF_MODEL_cxx_compare:
        return compare(c, *(void **)w[0], (void *)w[1], SIZE_MAX, true, false);
    case PF_MODEL_cxx_compare_string:
        return compare(c, *(void **)w[0], *(void **)w[1], SIZE_MAX, true, false);
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
