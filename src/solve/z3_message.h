/*
 * z3_message.h - what pf and its worker pf-z3 send to each other, on one socket.
 *
 * Model:   a request has a header, the nodes of the question and the values that they must get.
 *          The nodes are numbered from 1 and refer to lower numbers; leaves are free variables. The
 *          reply has a header and, if there is a solution, a value for each leaf that matters. Pf
 *          kills a worker that does not reply in time, and starts another one.
 */
#ifndef PF_SOLVE_Z3_MESSAGE_H
#define PF_SOLVE_Z3_MESSAGE_H

#include "pf_symbolic.h"

#define PF_LENGTH_MAX 65536 /* lengths that are asked for are at most this */

enum pf_z3_outcome { PF_Z3_SOLVED = 1, PF_Z3_IMPOSSIBLE, PF_Z3_UNKNOWN };

struct pf_z3_request {
    uint32_t nodes, wanted; /* their numbers; struct pf_symbolic_record and pf_z3_wanted follow */
    uint32_t limit_ms;
    uint32_t reserved;
};

struct pf_z3_wanted {
    uint32_t node, holds;
};

struct pf_z3_reply {
    uint32_t outcome; /* enum pf_z3_outcome */
    uint32_t values; /* their number; struct pf_z3_value follow */
};

struct pf_z3_value {
    uint32_t node, reserved;
    uint64_t value;
};

#endif
