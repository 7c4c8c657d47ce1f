/*
 * z3_host.h - pf's side of the worker pf-z3: starts it, asks it, and kills it at its limit.
 *
 * Model:   one worker at a time, started at the first question, and again after it was killed. The
 *          host kills the worker when it has used its CPU time for a question: on a busy machine,
 *          elapsed time says little. There is a much longer limit of elapsed time, which Z3 knows,
 *          too.
 * Memory:  the host owns the process and the socket until release.
 * Threads: one.
 * Errors:  a worker that cannot be started, or that dies, is an outcome.
 */
#ifndef PF_SOLVE_Z3_HOST_H
#define PF_SOLVE_Z3_HOST_H

#include "apply_values.h"
#include "slice.h"
#include <sys/types.h>

enum pf_solve_outcome {
    PF_SOLVE_YES,   /* a solution was found */
    PF_SOLVE_NO,    /* there is none */
    PF_SOLVE_LIMIT, /* not found within the time limit */
    PF_SOLVE_FAILED /* the worker failed, or its answer was wrong */
};

struct pf_z3_host {
    const char *program; /* path of pf-z3 */
    uint64_t limit_ms; /* CPU time for each question */
    pid_t pid; /* 0: no worker runs */
    int fd;
    uint64_t ended_us; /* CPU time of workers that have ended */
};

void pf_z3_host_init(struct pf_z3_host *h, const char *program, uint64_t limit_ms);
void pf_z3_host_release(struct pf_z3_host *h);
/* CPU time in microseconds: of the worker that runs now, and of all workers so far. */
uint64_t pf_z3_host_now_us(const struct pf_z3_host *h);
uint64_t pf_z3_host_cpu_us(const struct pf_z3_host *h);
/* Looks for values of leaves that give every node of `wanted` its value. Sets `out` to the values
 * of the leaves that matter. */
enum pf_solve_outcome pf_z3_host_ask(struct pf_z3_host *h, const struct pf_expression_log *log,
                                     const pf_wanted_list *wanted, pf_leaf_values *out);

#endif
