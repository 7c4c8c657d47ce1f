/*
 * symbolic_output.h - compares the outputs of two symbolic runs with the same input, as formulas
 * over the input (section 4.3.1 of the paper that judge.h names).
 *
 * Model:   both runs print the same bytes with their own input. Values in their outputs depend on
 *          the input. With any input that satisfies the conditions of both paths, the runs print
 *          the same if these values are equal. The solver searches for such an input under which
 *          one of the values differs. The address of a printed value may depend on the input, but
 *          the run read the value at one concrete address. So one of the conditions is that this
 *          address stays the same.
 *          The conditions of the two paths may differ as well, because one of them tests a value
 *          that the order has changed. Then the solver searches for an input that satisfies all
 *          conditions of one path and violates one of the other.
 * Memory:  the caller releases the input.
 * Threads: one.
 * Errors:  PF_OUTPUTS_UNKNOWN with the reason: a damaged log, a part of a run that is not modelled,
 *          a limit of the solver.
 */
#ifndef PF_JUDGE_SYMBOLIC_OUTPUT_H
#define PF_JUDGE_SYMBOLIC_OUTPUT_H

#include "input_bytes.h"
#include "status.h"
#include <stdbool.h>
#include <stdint.h>

enum pf_outputs { PF_OUTPUTS_UNKNOWN, PF_OUTPUTS_EQUAL, PF_OUTPUTS_DIFFER };

struct pf_symbolic_outputs {
    const char *clip[2]; /* of the two symbolic runs */
    const pf_source_aliases *aliases[2];
    const struct pf_input_bytes *input; /* of both */
    const char *worker; /* path of pf-z3 */
    uint64_t solver_ms; /* for each question */

    /* filled in: */
    uint64_t limit, failed; /* questions to the solver without an answer, as in solve.h */
    bool has_other;
    /* an input under which they should differ (of DIFFER), or under which only one of the orders
     * takes its path, so that its output is not known yet (of EQUAL) */
    struct pf_input_bytes other;
    char text[400]; /* of EQUAL: for which inputs; of UNKNOWN: why */
};

enum pf_outputs pf_symbolic_outputs_compare(struct pf_symbolic_outputs *q);

#endif
