/*
 * model_token.c - functions that split a text at delimiters, and texts that a piece of the input
 * may become.
 *
 * A delimiter that strsep or strtok has found is overwritten with a 0. Its label is still in the
 * label plane, so the condition on it can be recorded.
 */
#include "symbolic_model.h"
#include "textbuf.h"
#include <link.h>

#define TEXT_MAX 64 /* longer texts are not proposed */
#define WORD_MAX 32
#define WORDS_LOG 12 /* 4,096 pointers to words that were recorded or rejected */

/* Defined by the linker. Hidden, so that neither programs nor the shared runtime export them. */
extern const char __executable_start[] __attribute__((weak, visibility("hidden")));
extern const char _edata[] __attribute__((weak, visibility("hidden")));

/* Records whether the byte is one of the set, as comparisons with its members up to the first that
 * is equal, and with the end of the string. */
static void is_one_of(const struct pf_symbolic_call *c, struct pf_expression_operand byte,
                      const char *set)
{
    for (; byte.label && *set; set++) {
        pf_model_condition(c, PF_EXPR_EQ, 8, byte, pf_model_constant((uint8_t)*set));
        if (byte.value == (uint8_t)*set)
            return;
    }
    pf_model_end(c, byte);
}

/* A token that ends at a delimiter, which was overwritten, or at the end of the string. */
static void token(const struct pf_symbolic_call *c, char *s, const char *delimiters)
{
    for (; *s; s++)
        is_one_of(c, pf_model_byte(s), delimiters);
    is_one_of(c, pf_label_memory_overwritten(s), delimiters);
}

/* strspn or strcspn: n bytes are, or are not, in the set; the next one is the opposite. */
static void span(const struct pf_symbolic_call *c, const char *s, const char *set, size_t n)
{
    for (size_t i = 0; i <= n; i++)
        is_one_of(c, pf_model_byte(s + i), set);
}

uint32_t pf_model_token(const struct pf_symbolic_call *c)
{
    const char *text = (const char *)c->word[0], *set = (const char *)c->word[1];
    char *found = (char *)c->result;
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_strspn:
    case PF_MODEL_strcspn:
        span(c, text, set, c->result);
        return 0;
    case PF_MODEL_strpbrk:
        span(c, text, set, found ? (size_t)(found - text) : pf_str_len(text));
        return 0;
    case PF_MODEL_strsep: /* it has stored a new pointer where its first argument points */
        pf_label_memory_fill((void *)c->word[0], 0, sizeof(char *));
        if (found)
            token(c, found, set);
        return 0;
    default: /* strtok: delimiters before the token were skipped */
        if (text && found)
            span(c, text, set, (size_t)(found - text));
        if (found)
            token(c, found, set);
        return 0;
    }
}

/* The input byte of which a byte of memory is a copy, or from which it was computed, for example by
 * tolower; NULL: none. */
static const struct pf_symbolic_record *leaf_of(const char *at)
{
    uint32_t label = pf_model_byte(at).label;
    for (int depth = 0; label && depth < 8; depth++) {
        const struct pf_symbolic_record *n = pf_expression_node(label);
        if (n->op == PF_EXPR_INPUT)
            return n;
        if (n->op == PF_EXPR_NUMBER || n->op == PF_EXPR_LENGTH)
            return NULL;
        label = n->op == PF_EXPR_EXTRACT || n->a ? n->a : n->b;
    }
    return NULL;
}

/* Proposes the text for the piece s, if its bytes are consecutive bytes of a source. False: the
 * first byte of s does not come from a source. The text may be a part of the input, too. */
static bool propose(const struct pf_symbolic_call *c, const char *s, size_t n, const char *text,
                    size_t m)
{
    const struct pf_symbolic_record *first = n ? leaf_of(s) : NULL, *leaf = first;
    if (!first)
        return false;
    for (size_t i = 1; i < n && leaf; i++) {
        leaf = leaf_of(s + i);
        if (leaf && (leaf->a != first->a || leaf->x != first->x + i))
            leaf = NULL;
    }
    if (leaf)
        pf_symbolic_text(first->a, first->x, n, text, m, c->site);
    return true;
}

void pf_model_other_text(const struct pf_symbolic_call *c, const char *a, const char *b)
{
    size_t n = pf_str_len(a), m = pf_str_len(b);
    if (n == m || n > TEXT_MAX || m > TEXT_MAX || !m || !n)
        return;
    if (!propose(c, a, n, b, m))
        (void)propose(c, b, m, a, n);
}

static bool is_letter(char b)
{
    return (b >= '0' && b <= '9') || ((b | 32) >= 'a' && (b | 32) <= 'z') || b == '_';
}

static bool propose_word(const struct pf_symbolic_call *c, const char *s, const char *text,
                         size_t n)
{
    size_t word = 0, m = 0;
    while (word < TEXT_MAX && pf_label_memory_any(s + word, 1) && is_letter(s[word]))
        word++;
    while (m < n && m <= TEXT_MAX && text[m])
        m++;
    if (!word || word == m || m < 2 || m > TEXT_MAX)
        return false;
    return propose(c, s, word, text, m);
}

void pf_model_other_word(const struct pf_symbolic_call *c, const char *a, const char *b, size_t n)
{
    if (!propose_word(c, a, b, n))
        (void)propose_word(c, b, a, n);
}

/* --- words of the program --- */

/* There may be unmapped pages between segments. */
size_t pf_model_readable(const char *s)
{
    const ElfW(Ehdr) *e = (const void *)__executable_start;
    const ElfW(Phdr) *p = (const void *)(__executable_start + e->e_phoff);
    const char *base = NULL; /* of the addresses in the headers */
    for (int i = 0; i < e->e_phnum && !base; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_offset == 0)
            base = __executable_start - p[i].p_vaddr;
    for (int i = 0; i < e->e_phnum; i++) {
        size_t at = (size_t)(s - base) - p[i].p_vaddr;
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_R && at < p[i].p_memsz)
            return p[i].p_memsz - at;
    }
    return 0;
}

/* The length of a word; 0: it is not one. */
static size_t word_length(const char *s)
{
    size_t n = 0, most = pf_model_readable(s);
    while (n < most && n <= WORD_MAX && s[n] > ' ' && s[n] != '%' && s[n] < 127)
        n++;
    return n < most && !s[n] && n <= WORD_MAX ? n : 0;
}

bool pf_model_is_constant(const char *s) { return s >= __executable_start && s < _edata; }

void pf_model_words(const struct pf_symbolic_call *c)
{
    static const char *seen[1u << WORDS_LOG];
    for (uint32_t i = 0; i < c->n && i < PF_SYMBOLIC_WORDS; i++) {
        const char *s = (const char *)c->word[i];
        const char **at = &seen[((uintptr_t)s * 0x9e3779b97f4a7c15ull) >> (64 - WORDS_LOG)];
        if (!pf_model_is_constant(s) || *at == s)
            continue;
        *at = s;
        size_t n = word_length(s);
        if (n)
            pf_symbolic_put(
                &(struct pf_symbolic_record){.kind = PF_SYMBOLIC_TEXT, .b = (uint32_t)n}, s, n);
    }
}
