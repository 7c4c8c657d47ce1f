/*
 * solver.h - a CDCL solver with an order theory: clauses over variables, some of which mean "node x
 * comes before node y".
 *
 * Model:   an assignment is a model when every clause holds and the edges of true order variables,
 *          with the fixed edges, form no cycle. A false order variable means nothing.
 * Method:  two watched literals, first-UIP learning, activity with the order of creation breaking
 *          ties, phases kept. The theory keeps a topological order of all edges (Pearce and Kelly);
 *          an edge that closes a cycle is a conflict, explained by the edges of the cycle.
 * Memory:  one solver serves many problems: pf_solver_start forgets the last one.
 */
#ifndef PF_ENGINE_SOLVER_H
#define PF_ENGINE_SOLVER_H

#include "vec.h"
#include <stdbool.h>

typedef uint32_t pf_lit; /* 2 * variable, + 1 for "not" */
#define PF_LIT_TRUE UINT32_MAX
#define PF_LIT_FALSE (UINT32_MAX - 1)
static inline pf_lit pf_lit_not(pf_lit l)
{
    return l == PF_LIT_TRUE ? PF_LIT_FALSE : l == PF_LIT_FALSE ? PF_LIT_TRUE : l ^ 1;
}

struct pf_solver_var {
    int8_t value;      /* 1 true, -1 false, 0 open */
    bool phase;        /* tried first */
    bool seen;
    uint32_t level, reason;
    uint32_t from, to; /* order variables: the edge; else from == to */
    uint32_t heap;     /* place in the heap, UINT32_MAX if not in it */
    double activity;
};

struct pf_solver_edge {
    uint32_t from, to, next_out, next_in;
    pf_lit why; /* PF_LIT_TRUE: fixed */
};

struct pf_solver {
    PF_VEC(struct pf_solver_var) vars;
    pf_vec_u32 clauses; /* length, literals ... */
    PF_VEC(pf_vec_u32) watches;
    pf_vec_u32 trail, levels, heap, learnt, path, stack, reach[2];
    PF_VEC(struct pf_solver_edge) edges;
    uint32_t *out, *in, *rank, *mark, *parent; /* per node */
    uint32_t nodes, cap, tick;
    size_t head; /* of the trail: literals up to here are propagated */
    double bump;
    uint64_t conflicts;
    uint64_t work; /* edges and watched clauses looked at, and what the caller adds */
    bool failed; /* contradiction without any decision */
};

void pf_solver_release(struct pf_solver *s);
/* Nodes 0 .. n - 1, at first ranked in that order. */
void pf_solver_start(struct pf_solver *s, uint32_t nodes);
pf_lit pf_solver_var(struct pf_solver *s, bool phase);
pf_lit pf_solver_order(struct pf_solver *s, uint32_t from, uint32_t to, bool phase);
/* False: this closes a cycle of fixed edges. */
bool pf_solver_fix(struct pf_solver *s, uint32_t from, uint32_t to);
/* Undoes all decisions first. PF_LIT_TRUE and PF_LIT_FALSE may appear. */
void pf_solver_clause(struct pf_solver *s, const pf_lit *lits, uint32_t n);
/* 1 model found, -1 none exists, 0 more than `conflicts` conflicts, or the work that so many may take, in
 * all. */
int pf_solver_run(struct pf_solver *s, uint64_t conflicts);
static inline bool pf_solver_true(const struct pf_solver *s, pf_lit l)
{
    if (l >= PF_LIT_FALSE)
        return l == PF_LIT_TRUE;
    return s->vars.at[l / 2].value == (l & 1 ? -1 : 1);
}

#endif
