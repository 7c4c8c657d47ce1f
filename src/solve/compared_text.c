/* compared_text.c - see compared_text.h. */
#include "compared_text.h"
#include <string.h>

/* The input byte from which bits `bit` to `bit` + 7 of the expression are taken; NULL: none. */
static const struct pf_leaf *byte_at(const struct pf_expression_log *log, uint32_t label,
                                     unsigned bit)
{
    while (label) {
        const struct pf_symbolic_record *n = &log->nodes.at[label];
        switch (n->op) {
        case PF_EXPR_INPUT:
            return bit ? NULL : &log->leaves.at[log->leaf_of.at[label]];
        case PF_EXPR_ZEXT:
            label = bit < n->c ? n->a : 0;
            break;
        case PF_EXPR_CONCAT:
            label = bit < n->c ? n->b : n->a;
            bit = bit < n->c ? bit : bit - n->c;
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

/* The bytes of the constant up to a 0, the lowest first. Returns their number; 0: not a text. */
static size_t text_of(uint64_t constant, size_t bytes, unsigned char *to)
{
    size_t n = 0;
    for (; n < bytes && (constant >> 8 * n & 0xff); n++) {
        to[n] = (unsigned char)(constant >> 8 * n);
        if (to[n] < ' ' || to[n] > '~')
            return 0;
    }
    return n > 1 ? n : 0;
}

static bool ends_word(unsigned char b)
{
    return b <= ' ' || b > '~' || strchr(",;:=&\"'()[]{}<>", b);
}

/* The length of the piece that is compared: up to a byte that is not from the input, or to the end
 * of the word. */
static size_t piece(const struct pf_expression_log *log, const struct pf_symbolic_record *n,
                    const struct pf_leaf *first, size_t bytes)
{
    const struct pf_log_source *s = &log->sources.at[first->source];
    size_t k = 1;
    for (; k < bytes; k++) {
        const struct pf_leaf *next = byte_at(log, n->a, (unsigned)(8 * k));
        if (!next)
            return k;
        if (next->source != first->source || next->offset != first->offset + k)
            return 0;
    }
    for (k = 0; first->offset + k < s->n && !ends_word(s->bytes[first->offset + k]);)
        k++;
    return k;
}

void pf_compared_texts(struct pf_expression_log *log)
{
    for (size_t i = 0; i < log->conditions.len; i++) {
        const struct pf_log_condition *c = &log->conditions.at[i];
        const struct pf_symbolic_record *n = &log->nodes.at[c->label];
        bool equal = c->holds == (n->op == PF_EXPR_EQ);
        unsigned char text[8];
        if ((n->op != PF_EXPR_EQ && n->op != PF_EXPR_NE) || equal || n->b || n->c < 16)
            continue;
        const struct pf_leaf *first = byte_at(log, n->a, 0);
        size_t m = text_of(n->y, n->c / 8, text), old = first ? piece(log, n, first, n->c / 8) : 0;
        if (!m || !old || old == m || first->offset + old > log->sources.at[first->source].n)
            continue;
        pf_vec_push(&log->texts,
                    (struct pf_log_text){.source = first->source,
                                         .site = c->site,
                                         .offset = first->offset,
                                         .old = (uint32_t)old,
                                         .n = (uint32_t)m,
                                         .bytes = (void *)pf_mem_copy_n((char *)text, m),
                                         .conditions = i});
    }
}
