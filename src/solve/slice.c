/* slice.c - see slice.h. */
#include "slice.h"
#include <stdlib.h>
#include <string.h>

/* A number and the input bytes of its text become one group. */
static void group_numbers(struct pf_slicer *s)
{
    const struct pf_expression_log *log = s->log;
    for (uint32_t i = 0; i < log->leaves.len; i++) {
        const struct pf_leaf *number = &log->leaves.at[i];
        for (uint32_t k = 0; number->op == PF_EXPR_NUMBER && k < log->leaves.len; k++) {
            const struct pf_leaf *byte = &log->leaves.at[k];
            if (byte->op == PF_EXPR_INPUT && byte->source == number->source &&
                byte->offset >= number->offset && byte->offset < number->offset + number->bytes)
                s->group.at[k] = i;
        }
    }
}

void pf_slicer_init(struct pf_slicer *s, const struct pf_expression_log *log)
{
    memset(s, 0, sizeof *s);
    s->log = log;
    for (uint32_t i = 0; i < log->leaves.len; i++)
        pf_vec_push(&s->group, i);
    group_numbers(s);
    s->conditions = log->conditions.len;
    s->leaves = pf_mem_zero(s->conditions + 1, sizeof *s->leaves);
    s->wanted = pf_mem_zero(log->leaves.len + 1, sizeof *s->wanted);
}

void pf_slicer_release(struct pf_slicer *s)
{
    for (size_t i = 0; i < s->conditions; i++)
        pf_vec_release(&s->leaves[i]);
    free(s->leaves);
    free(s->seen);
    free(s->wanted);
    pf_vec_release(&s->group);
    pf_vec_release(&s->stack);
    memset(s, 0, sizeof *s);
}

static void visit(struct pf_slicer *s, uint32_t label)
{
    if (label && s->seen[label] != s->now) {
        s->seen[label] = s->now;
        pf_vec_push(&s->stack, label);
    }
}

void pf_slicer_leaves(struct pf_slicer *s, uint32_t label, pf_vec_u32 *out)
{
    if (s->nodes < s->log->nodes.len || !++s->now) { /* nodes were added, or `now` wrapped */
        s->nodes = s->log->nodes.len;
        free(s->seen);
        s->seen = pf_mem_zero(s->nodes, sizeof *s->seen);
        s->now = 1;
    }
    pf_vec_clear(&s->stack);
    visit(s, label);
    while (s->stack.len) {
        uint32_t at = s->stack.at[--s->stack.len], leaf = s->log->leaf_of.at[at];
        const struct pf_symbolic_record *n = &s->log->nodes.at[at];
        if (leaf != PF_NO_LEAF)
            pf_vec_push(out, s->group.at[leaf]);
        if (pf_op_has_first(n->op))
            visit(s, n->a);
        if (pf_op_has_second(n->op))
            visit(s, n->b);
        if (n->op == PF_EXPR_SELECT)
            visit(s, n->c);
    }
}

/* Adds the groups to the slice; true if one is new. */
static bool add(struct pf_slicer *s, const pf_vec_u32 *leaves)
{
    bool any = false;
    for (size_t i = 0; i < leaves->len; i++) {
        any |= !s->wanted[leaves->at[i]];
        s->wanted[leaves->at[i]] = true;
    }
    return any;
}

static bool connected(struct pf_slicer *s, size_t condition)
{
    pf_vec_u32 *leaves = &s->leaves[condition];
    if (!leaves->at) {
        pf_vec_reserve(leaves, 1);
        pf_slicer_leaves(s, s->log->conditions.at[condition].label, leaves);
    }
    for (size_t i = 0; i < leaves->len; i++)
        if (s->wanted[leaves->at[i]])
            return true;
    return false;
}

void pf_slice(struct pf_slicer *s, size_t n, const pf_wanted_list *goals, pf_wanted_list *out)
{
    pf_vec_u32 leaves = {0};
    bool more = true;
    memset(s->wanted, 0, s->log->leaves.len * sizeof *s->wanted);
    for (size_t i = 0; i < goals->len; i++)
        pf_slicer_leaves(s, goals->at[i].label, &leaves);
    (void)add(s, &leaves);
    while (more) {
        more = false;
        for (size_t i = 0; i < n; i++)
            more |= connected(s, i) && add(s, &s->leaves[i]);
    }
    pf_vec_clear(out);
    for (size_t i = 0; i < n; i++)
        if (connected(s, i))
            pf_vec_push(out, (struct pf_wanted){s->log->conditions.at[i].label,
                                                s->log->conditions.at[i].holds});
    for (size_t i = 0; i < goals->len; i++)
        pf_vec_push(out, goals->at[i]);
    pf_vec_release(&leaves);
}
