/*
 * slice.h - which conditions of a path matter for a question about some leaves.
 *
 * Model:   two conditions are connected if they depend on a common leaf. The slice of a question
 *          has the conditions that are connected with it, directly or through others. A number and
 *          the bytes of its text count as one leaf. All other conditions keep their values when
 *          the leaves of the slice change.
 * Memory:  the leaves of each condition are computed once per log; release frees them.
 * Cost:    a slice costs O(conditions before the question * their leaves), times the number of
 *          passes until nothing is added, usually two.
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

struct pf_slicer {
    const struct pf_expression_log *log;
    pf_vec_u32 group; /* by leaf: the first leaf of those that count as one */
    pf_vec_u32 *leaves; /* by condition: its groups; `at` is NULL until it is computed */
    size_t conditions;
    uint32_t *seen, now; /* by label: visited in the current search */
    size_t nodes;
    bool *wanted; /* by group: in the slice */
    pf_vec_u32 stack;
};

void pf_slicer_init(struct pf_slicer *s, const struct pf_expression_log *log);
void pf_slicer_release(struct pf_slicer *s);
/* Sets `out` to the conditions among the first n of the path that are connected with the goals, as
 * they hold in the run, followed by the goals. */
void pf_slice(struct pf_slicer *s, size_t n, const pf_wanted_list *goals, pf_wanted_list *out);
/* Appends the groups of leaves that the node depends on. */
void pf_slicer_leaves(struct pf_slicer *s, uint32_t label, pf_vec_u32 *out);

#endif
