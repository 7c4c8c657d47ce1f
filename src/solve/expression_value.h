/*
 * expression_value.h - evaluates expressions of a log under given values of the leaves.
 *
 * Model:   bit vectors, as in SMT-LIB: division by 0 gives all ones, the remainder of a division by
 *          0 is the dividend, and a shift by the width or more gives 0 or copies of the sign. It
 *          shares no code with the solver, whose answers it checks.
 * Memory:  an evaluation owns two arrays, as long as the log has nodes; release frees them.
 * Cost:    O(nodes that the expression depends on); each is evaluated once per set of leaf values.
 */
#ifndef PF_SOLVE_EXPRESSION_VALUE_H
#define PF_SOLVE_EXPRESSION_VALUE_H

#include "expression_log.h"

struct pf_evaluation {
    const struct pf_expression_log *log;
    uint64_t *leaf; /* value of each leaf of the log */
    uint64_t *value; /* of each node, valid if `known` has the current number */
    uint32_t *known, now;
    size_t nodes; /* how many the arrays have room for */
    pf_vec_u32 stack;
};

/* Starts with the leaf values of the run itself. */
void pf_evaluation_init(struct pf_evaluation *v, const struct pf_expression_log *log);
void pf_evaluation_release(struct pf_evaluation *v);
/* Sets the value of a leaf, cut to its width. Forgets what was evaluated. */
void pf_evaluation_set(struct pf_evaluation *v, uint32_t leaf, uint64_t value);
/* Sets all leaves to their values in the run. */
void pf_evaluation_reset(struct pf_evaluation *v);
/* The value of a node, zero-extended. */
uint64_t pf_evaluate(struct pf_evaluation *v, uint32_t label);

/* The value of one operator, given those of its operands; `chosen` is the condition of a select. */
uint64_t pf_evaluate_op(const struct pf_symbolic_record *node, uint64_t a, uint64_t b, bool chosen);

#endif
