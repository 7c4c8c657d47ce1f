/*
 * slice.h - which conditions of a path matter for a question about some leaves.
 *
 * Model:   two conditions are connected if they depend on a common leaf. The slice of a question
 *          has the conditions that are connected with it, directly or through others. A number and
 *          the bytes of its text count as one leaf. All other conditions keep their values when
 *          the leaves of the slice change.
 * Memory:  equal sets of leaves are stored once per log; release frees them. A set of more than
 *          1,024 leaves counts as the set of all leaves, so a slice may have more conditions than
 *          needed, never fewer.
 * Cost:    the first slice computes the sets of all nodes: one union for each pair of sets that are
 *          operands of a node. A slice costs O(conditions before the question + members of their
 *          sets), times the number of passes until nothing is added, usually two.
 */
#ifndef PF_SOLVE_SLICE_H
#define PF_SOLVE_SLICE_H

#include "expression_log.h"

/* A node, and the value that it must get. */
struct pf_wanted {
    uint32_t label;
    bool holds;
};
typedef PF_VEC(struct pf_wanted) pf_wanted_list;

/* A set of leaves. */
struct pf_leaf_set {
    size_t first; /* its members: members.at[first .. first + n), in ascending order */
    uint32_t n;
    bool has_length; /* a member is the length of a source */
};

struct pf_slicer {
    const struct pf_expression_log *log;
    pf_vec_u32 group; /* by leaf: the first leaf of those that count as one */
    pf_vec_u32 set_of; /* by label: its set */
    PF_VEC(struct pf_leaf_set) sets; /* the first two: no leaf, all leaves */
    pf_vec_u32 members;
    struct pf_hash_map unions; /* pair of sets: their union */
    struct pf_hash_map by_members; /* hash of the members: set */
    bool *wanted; /* by group: in the slice */
    pf_vec_u32 checked; /* by set: the pass that looked at it last; PF_HASH_NONE: in the slice */
};

void pf_slicer_init(struct pf_slicer *s, const struct pf_expression_log *log);
void pf_slicer_release(struct pf_slicer *s);
/* Sets `out` to the conditions among the first n of the path that are connected with the goals, as
 * they hold in the run, followed by the goals. */
void pf_slice(struct pf_slicer *s, size_t n, const pf_wanted_list *goals, pf_wanted_list *out);
/* The groups of leaves that the node depends on. The pointer is valid until the next call. */
const uint32_t *pf_slicer_leaves(struct pf_slicer *s, uint32_t label, size_t *n);
/* True if the node depends on the length of a source. */
bool pf_slicer_has_length(struct pf_slicer *s, uint32_t label);

#endif
