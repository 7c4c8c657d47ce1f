/*
 * solve.h - finds inputs that make a run take another path.
 *
 * Model:   a question is a run, a number of conditions of its path that must stay as they are, and
 *          goals: nodes that must get given values. Only the conditions that share leaves with the
 *          goals are considered (slice.h). Then, in this order: answers to the same question
 *          (cache), all values of a single input byte, operators undone one by one (inverse.h), and
 *          Z3 in a worker process (z3_host.h). Every solution is checked by the evaluator
 *          (expression_value.h) on the bytes that the program will read.
 * Memory:  a solver owns its cache and its worker; a run owns what is computed about its log.
 * Threads: one.
 * Errors:  none; what could not be answered is an outcome, and all outcomes are counted.
 */
#ifndef PF_SOLVE_H
#define PF_SOLVE_H

#include "expression_value.h"
#include "z3_host.h"

struct pf_solve_counts {
    uint64_t questions;
    uint64_t cached, bytes, inverted; /* answered by the cache, by all byte values, by inverses */
    uint64_t z3; /* asked Z3 */
    uint64_t solved, impossible, limit, failed; /* outcomes */
    uint64_t wrong; /* solutions that the evaluator rejected */
    uint64_t cpu_us; /* for all questions, with the time of Z3 */
    uint64_t below_20_ms; /* questions that needed less CPU time */
};

struct pf_path_solver_cache_value {
    uint64_t leaf; /* its structural hash */
    uint64_t value;
};

struct pf_path_solver_cache_entry {
    uint64_t second; /* a second hash of the question */
    enum pf_solve_outcome outcome;
    size_t first, n; /* range of `cached_values` */
};

struct pf_path_solver {
    struct pf_z3_host z3;
    struct pf_hash_map by_question; /* indices of `cached` */
    PF_VEC(struct pf_path_solver_cache_entry) cached;
    PF_VEC(struct pf_path_solver_cache_value) cached_values;
    struct pf_solve_counts counts;
};

/* What is computed about the log of one run, once for all its questions. */
struct pf_path_run {
    const struct pf_expression_log *log;
    struct pf_slicer slicer;
    struct pf_evaluation values;
    struct pf_input_bytes input; /* of the run */
};

/* `program`: the path of pf-z3, which must outlive the solver. */
void pf_path_solver_init(struct pf_path_solver *s, const char *program, uint64_t limit_ms);
void pf_path_solver_release(struct pf_path_solver *s);

void pf_path_run_init(struct pf_path_run *r, const struct pf_expression_log *log);
void pf_path_run_release(struct pf_path_run *r);

/* Finds an input under which the first n conditions of the path stay as they are and the goals get
 * their values. Sets `out` to the values of leaves that change. */
enum pf_solve_outcome pf_solve(struct pf_path_solver *s, struct pf_path_run *r, size_t n,
                               const pf_wanted_list *goals, pf_leaf_values *out);
/* The same for one goal: condition n of the path gets the other value. */
enum pf_solve_outcome pf_solve_flip(struct pf_path_solver *s, struct pf_path_run *r, size_t n,
                                    pf_leaf_values *out);
/* True if, with the bytes that these values give, the first n conditions of the path and all
 * addresses before condition n keep their values, and the goal is met. If not, the new run may take
 * another path: a byte that ends a word changes its length, a longer number moves what follows it,
 * and the run may find something else at another address. */
bool pf_solution_keeps_path(struct pf_path_run *r, size_t n, struct pf_wanted goal,
                            const pf_leaf_values *values);

#endif
