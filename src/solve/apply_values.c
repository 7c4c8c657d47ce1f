/* apply_values.c - see apply_values.h. */
#include "apply_values.h"
#include <stdlib.h>
#include <string.h>

#define FILLER 'a' /* appended to sources that become longer */
#define LONGEST ((uint64_t)1 << 20) /* no source becomes longer than this */

/* --- numbers --- */

static size_t print(char *to, uint64_t magnitude, unsigned base)
{
    char digits[65];
    size_t n = 0, k = 0;
    do {
        digits[n++] = "0123456789abcdefghijklmnopqrstuvwxyz"[magnitude % base];
        magnitude /= base;
    } while (magnitude);
    while (n)
        to[k++] = digits[--n];
    return k;
}

size_t pf_number_text(char *to, const struct pf_leaf *leaf, uint64_t value, bool keep_length)
{
    unsigned base = leaf->base >= 2 && leaf->base <= 36 ? leaf->base : 10;
    char digits[66];
    size_t n = 0;
    value &= pf_bits_mask(leaf->bits);
    bool negative = value >> (leaf->bits - 1) & 1;
    if (negative)
        value = (0 - value) & pf_bits_mask(leaf->bits);
    size_t k = print(digits, value, base);
    /* base 0: the number is decimal, and zeros in front would make it octal */
    while (keep_length && !leaf->base && n + negative + k < leaf->bytes &&
           n + negative + k + 1 < PF_NUMBER_TEXT)
        to[n++] = ' ';
    if (negative)
        to[n++] = '-';
    while (keep_length && leaf->base && n + k < leaf->bytes && n + k + 1 < PF_NUMBER_TEXT)
        to[n++] = '0';
    memcpy(to + n, digits, k);
    return n + k;
}

/* Replaces `old` bytes at `at` by the text. */
static void splice(struct pf_input_source *s, size_t at, size_t old, const char *text, size_t n)
{
    at = at < s->n ? at : s->n;
    old = old < s->n - at ? old : s->n - at;
    unsigned char *bytes = pf_mem_resize(NULL, s->n - old + n + 1, 1);
    if (at)
        memcpy(bytes, s->bytes, at);
    memcpy(bytes + at, text, n);
    memcpy(bytes + at + n, s->bytes + at + old, s->n - at - old + 1);
    s->n = s->n - old + n;
    free(s->bytes);
    s->bytes = bytes;
}

void pf_input_bytes_replace(struct pf_input_bytes *in, const char *name, size_t at, size_t old,
                            const void *bytes, size_t n)
{
    const struct pf_input_source *s = pf_input_bytes_find(in, name);
    if (s)
        splice(&in->sources.at[s - in->sources.at], at, old, bytes, n);
}

/* --- applying values --- */

static void resize(struct pf_input_source *s, uint64_t n)
{
    n = n < LONGEST ? n : LONGEST;
    s->bytes = pf_mem_resize(s->bytes, n + 1, 1);
    if (n > s->n)
        memset(s->bytes + s->n, FILLER, n - s->n);
    s->bytes[n] = 0;
    s->n = n;
}

/* Numbers are applied last, and from the back: they move what follows them. */
static int by_place(const void *x, const void *y)
{
    const struct pf_leaf *const *a = x, *const *b = y;
    if ((*a)->op != (*b)->op)
        return (*a)->op == PF_EXPR_NUMBER   ? 1
               : (*b)->op == PF_EXPR_NUMBER ? -1
                                            : (*b)->op - (*a)->op;
    if ((*a)->op == PF_EXPR_NUMBER)
        return ((*a)->offset < (*b)->offset) - ((*a)->offset > (*b)->offset);
    return ((*a)->offset > (*b)->offset) - ((*a)->offset < (*b)->offset);
}

static void apply_one(struct pf_input_source *s, const struct pf_leaf *leaf, uint64_t value)
{
    char text[PF_NUMBER_TEXT];
    size_t n;
    switch (leaf->op) {
    case PF_EXPR_LENGTH:
        resize(s, value);
        break;
    case PF_EXPR_INPUT:
        if (leaf->offset >= LONGEST)
            break;
        if (leaf->offset >= s->n && (value || !pf_input_is_word(s->name)))
            resize(s, leaf->offset + 1);
        if (leaf->offset < s->n)
            s->bytes[leaf->offset] = (unsigned char)value;
        break;
    default:
        n = pf_number_text(text, leaf, value, !pf_input_is_word(s->name));
        splice(s, leaf->offset, leaf->bytes, text, n);
    }
}

static struct pf_input_source *source(struct pf_input_bytes *in, const char *name)
{
    const struct pf_input_source *s = pf_input_bytes_find(in, name);
    return s ? &in->sources.at[s - in->sources.at] : NULL;
}

void pf_input_bytes_apply(struct pf_input_bytes *to, const struct pf_input_bytes *from,
                          const struct pf_expression_log *log, const pf_leaf_values *values)
{
    PF_VEC(const struct pf_leaf *) leaves = {0};
    pf_input_bytes_copy(to, from);
    uint64_t *value = pf_mem_zero(log->leaves.len + 1, sizeof *value);
    for (size_t i = 0; i < values->len; i++) {
        value[values->at[i].leaf] = values->at[i].value;
        pf_vec_push(&leaves, &log->leaves.at[values->at[i].leaf]);
    }
    if (leaves.len)
        qsort(leaves.at, leaves.len, sizeof *leaves.at, by_place);
    for (size_t i = 0; i < leaves.len; i++) {
        struct pf_input_source *s = source(to, log->sources.at[leaves.at[i]->source].name);
        if (s)
            apply_one(s, leaves.at[i], value[leaves.at[i] - log->leaves.at]);
    }
    for (size_t i = 0; i < to->sources.len; i++) {
        struct pf_input_source *s = &to->sources.at[i];
        if (pf_input_is_word(s->name))
            s->n = strlen((char *)s->bytes);
    }
    pf_vec_release(&leaves);
    free(value);
}
