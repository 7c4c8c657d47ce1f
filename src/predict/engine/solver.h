/*
 * solver.h - a CDCL solver with an order theory: clauses over boolean variables, some of which mean
 * "node x comes before node y".
 *
 * Model:   an assignment is a model if every clause is satisfied and the edges of all true order
 *          variables, together with the fixed edges, are acyclic. A false order variable implies
 *          nothing about the order.
 * Method:  two watched literals, first-UIP learning, variable activities (ties are broken by
 *          creation order), phase saving. The theory maintains a topological order of all edges
 *          (Pearce and Kelly). An edge that closes a cycle is a conflict, explained by the edges of
 *          the cycle.
 * Memory:  one solver serves many problems; pf_solver_start discards the previous one.
 */
#ifndef PF_ENGINE_SOLVER_H
#define PF_ENGINE_SOLVER_H

#include "vector.h"
#include <stdbool.h>

typedef uint32_t pf_lit; /* 2 * variable, + 1 if negated */
#define PF_LIT_TRUE UINT32_MAX
#define PF_LIT_FALSE (UINT32_MAX - 1)
static inline pf_lit pf_lit_not(pf_lit l)
{
    return l == PF_LIT_TRUE ? PF_LIT_FALSE : l == PF_LIT_FALSE ? PF_LIT_TRUE : l ^ 1;
}

struct pf_solver_var {
    int8_t value;      /* 1 true, -1 false, 0 unassigned */
    bool phase;        /* the value to try first */
    bool seen;
    uint32_t level, reason;
    uint32_t from, to; /* order variables: the edge; otherwise from == to */
    uint32_t heap;     /* position in the heap, UINT32_MAX if not in it */
    double activity;
};

struct pf_solver_edge {
    uint32_t from, to, next_out, next_in;
    pf_lit why; /* the literal that implies the edge; PF_LIT_TRUE: fixed */
};

struct pf_solver {
    PF_VEC(struct pf_solver_var) vars;
    pf_vec_u32 clauses; /* length, then the literals, for each clause */
    PF_VEC(pf_vec_u32) watches;
    pf_vec_u32 trail, levels, heap, learnt, path, stack, reach[2];
    PF_VEC(struct pf_solver_edge) edges;
    uint32_t *out, *in, *rank, *mark, *parent; /* per node */
    uint32_t nodes, tick;
    size_t cap; /* of the arrays per node */
    size_t head; /* the trail up to here is propagated */
    double bump;
    uint64_t conflicts;
    uint64_t work; /* edges and watched clauses visited, plus what the caller adds */
    bool failed; /* contradiction at decision level 0 */
};

void pf_solver_release(struct pf_solver *s);
/* Starts a problem with nodes 0 .. nodes - 1, initially in this topological order. */
void pf_solver_start(struct pf_solver *s, uint32_t nodes);
/* A new variable; pf_solver_order: one that means "from comes before to". `phase`: the value to
 * try first. */
pf_lit pf_solver_var(struct pf_solver *s, bool phase);
pf_lit pf_solver_order(struct pf_solver *s, uint32_t from, uint32_t to, bool phase);
/* Adds a fixed edge. Returns false if it closes a cycle of fixed edges. */
bool pf_solver_fix(struct pf_solver *s, uint32_t from, uint32_t to);
/* Adds a clause, which may contain PF_LIT_TRUE and PF_LIT_FALSE. Undoes all decisions first. */
void pf_solver_clause(struct pf_solver *s, const pf_lit *lits, uint32_t n);
/* Returns 1 if a model was found, -1 if none exists, 0 if the budget ran out: more than `conflicts`
 * conflicts since pf_solver_start, or the work that this many conflicts may take. */
int pf_solver_run(struct pf_solver *s, uint64_t conflicts);
static inline bool pf_solver_true(const struct pf_solver *s, pf_lit l)
{
    if (l >= PF_LIT_FALSE)
        return l == PF_LIT_TRUE;
    return s->vars.at[l / 2].value == (l & 1 ? -1 : 1);
}

#endif
