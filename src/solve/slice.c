/* slice.c - see slice.h. Walking the expression of each condition was rejected: where each
 * condition contains most of the run so far, as in compressors, this takes minutes. */
#include "slice.h"
#include "hash_mix.h"
#include <stdlib.h>
#include <string.h>

#define NO_LEAVES 0
#define ALL_LEAVES 1
#define LEAVES_MAX 1024 /* of a set */
#define MEMBERS_MAX ((size_t)1 << 26) /* of all sets */

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
    s->wanted = pf_mem_zero(log->leaves.len + 1, sizeof *s->wanted);
    for (uint32_t i = 0; i < log->leaves.len; i++)
        pf_vec_push(&s->members, i);
    pf_vec_push(&s->sets, (struct pf_leaf_set){0});
    pf_vec_push(&s->sets, (struct pf_leaf_set){.n = (uint32_t)log->leaves.len, .has_length = true});
}

void pf_slicer_release(struct pf_slicer *s)
{
    free(s->wanted);
    pf_vec_release(&s->group);
    pf_vec_release(&s->set_of);
    pf_vec_release(&s->sets);
    pf_vec_release(&s->members);
    pf_vec_release(&s->checked);
    pf_hash_map_release(&s->unions);
    pf_hash_map_release(&s->by_members);
    memset(s, 0, sizeof *s);
}

/* --- sets --- */

/* The set whose members were just appended from `first` on. If an equal set exists, they are
 * removed again and that set is returned. */
static uint32_t intern(struct pf_slicer *s, size_t first, bool has_length)
{
    uint32_t n = (uint32_t)(s->members.len - first);
    uint64_t hash = n;
    for (size_t i = first; i < s->members.len; i++)
        hash = pf_hash_mix(hash, s->members.at[i]);
    struct pf_hash_walk w = pf_hash_map_walk(&s->by_members, hash);
    while (pf_hash_map_next(&s->by_members, &w)) {
        const struct pf_leaf_set *old = &s->sets.at[w.value];
        if (old->n == n &&
            !memcmp(s->members.at + old->first, s->members.at + first, n * sizeof *s->members.at)) {
            s->members.len = first;
            return w.value;
        }
    }
    pf_hash_map_add(&s->by_members, hash, (uint32_t)s->sets.len);
    pf_vec_push(&s->sets, (struct pf_leaf_set){.first = first, .n = n, .has_length = has_length});
    return (uint32_t)s->sets.len - 1;
}

static uint32_t merge(struct pf_slicer *s, uint32_t x, uint32_t y)
{
    struct pf_leaf_set a = s->sets.at[x], b = s->sets.at[y];
    size_t first = s->members.len, i = 0, k = 0;
    pf_vec_reserve(&s->members, (size_t)a.n + b.n);
    const uint32_t *m = s->members.at;
    while (i < a.n || k < b.n) {
        uint32_t p = i < a.n ? m[a.first + i] : UINT32_MAX,
                 q = k < b.n ? m[b.first + k] : UINT32_MAX;
        s->members.at[s->members.len++] = p < q ? p : q;
        i += p <= q;
        k += q <= p;
    }
    if (s->members.len - first > LEAVES_MAX || s->members.len > MEMBERS_MAX) {
        s->members.len = first;
        return ALL_LEAVES;
    }
    return intern(s, first, a.has_length || b.has_length);
}

static uint32_t unite(struct pf_slicer *s, uint32_t x, uint32_t y)
{
    if (x == y || y == NO_LEAVES)
        return x;
    if (x == NO_LEAVES)
        return y;
    if (x == ALL_LEAVES || y == ALL_LEAVES)
        return ALL_LEAVES;
    uint64_t pair = x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
    uint32_t known = pf_hash_map_find(&s->unions, pair);
    if (known != PF_HASH_NONE)
        return known;
    uint32_t both = merge(s, x, y);
    pf_hash_map_add(&s->unions, pair, both);
    return both;
}

static uint32_t set_of_leaf(struct pf_slicer *s, uint32_t leaf)
{
    size_t first = s->members.len;
    pf_vec_push(&s->members, s->group.at[leaf]);
    return intern(s, first, s->log->leaves.at[leaf].op == PF_EXPR_LENGTH);
}

/* The set of a node, whose operands have lower labels. Computes the sets of new nodes first. */
static uint32_t set_of(struct pf_slicer *s, uint32_t label)
{
    const struct pf_expression_log *log = s->log;
    for (size_t at = s->set_of.len; at < log->nodes.len; at++) {
        const struct pf_symbolic_record *n = &log->nodes.at[at];
        uint32_t set = NO_LEAVES;
        if (log->leaf_of.at[at] != PF_NO_LEAF)
            set = set_of_leaf(s, log->leaf_of.at[at]);
        if (at && pf_op_has_first(n->op) && n->a)
            set = unite(s, set, s->set_of.at[n->a]);
        if (at && pf_op_has_second(n->op) && n->b)
            set = unite(s, set, s->set_of.at[n->b]);
        if (at && n->op == PF_EXPR_SELECT && n->c)
            set = unite(s, set, s->set_of.at[n->c]);
        pf_vec_push(&s->set_of, set);
    }
    return s->set_of.at[label];
}

const uint32_t *pf_slicer_leaves(struct pf_slicer *s, uint32_t label, size_t *n)
{
    const struct pf_leaf_set *set = &s->sets.at[set_of(s, label)];
    *n = set->n;
    return s->members.at + set->first;
}

bool pf_slicer_has_length(struct pf_slicer *s, uint32_t label)
{
    return s->sets.at[set_of(s, label)].has_length;
}

/* --- slices --- */

/* Marks the leaves of the set as wanted, and the set as part of the slice. True: a leaf is new. */
static bool add(struct pf_slicer *s, uint32_t set)
{
    const struct pf_leaf_set *x = &s->sets.at[set];
    bool any = false;
    for (size_t i = x->first; i < x->first + x->n; i++) {
        any |= !s->wanted[s->members.at[i]];
        s->wanted[s->members.at[i]] = true;
    }
    s->checked.at[set] = PF_HASH_NONE;
    return any;
}

static bool connected(const struct pf_slicer *s, uint32_t set)
{
    const struct pf_leaf_set *x = &s->sets.at[set];
    for (size_t i = x->first; i < x->first + x->n; i++)
        if (s->wanted[s->members.at[i]])
            return true;
    return false;
}

void pf_slice(struct pf_slicer *s, size_t n, const pf_wanted_list *goals, pf_wanted_list *out)
{
    const struct pf_log_condition *path = s->log->conditions.at;
    memset(s->wanted, 0, s->log->leaves.len * sizeof *s->wanted);
    (void)set_of(s, 0); /* computes the sets of all nodes: none is added below */
    pf_vec_clear(&s->checked);
    for (size_t i = 0; i < s->sets.len; i++)
        pf_vec_push(&s->checked, 0);
    for (size_t i = 0; i < goals->len; i++)
        (void)add(s, set_of(s, goals->at[i].label));
    bool more = true;
    for (uint32_t pass = 1; more; pass++) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            uint32_t set = set_of(s, path[i].label);
            if (s->checked.at[set] == PF_HASH_NONE || s->checked.at[set] == pass)
                continue;
            s->checked.at[set] = pass;
            if (connected(s, set))
                more |= add(s, set);
        }
    }
    pf_vec_clear(out);
    for (size_t i = 0; i < n; i++)
        if (s->checked.at[set_of(s, path[i].label)] == PF_HASH_NONE)
            pf_vec_push(out, (struct pf_wanted){path[i].label, path[i].holds});
    for (size_t i = 0; i < goals->len; i++)
        pf_vec_push(out, goals->at[i]);
}
