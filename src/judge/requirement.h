/*
 * requirement.h - a condition on a global variable that every run must satisfy: VAR OP CONST.
 *
 * Model:   the value of the variable follows from the reads and writes of a trace. The condition is
 *          tested at every synchronisation of any thread (locks, condition variables, barriers,
 *          thread creation and end), at every call of an output function of libc that reads memory
 *          of the program, and at the end, once a value is known. In between it may be violated.
 *          Values are signed integers.
 * Memory:  plain data.
 * Errors:  parse returns false for a text that is not a condition.
 */
#ifndef PF_JUDGE_REQUIREMENT_H
#define PF_JUDGE_REQUIREMENT_H

#include "trace.h"

enum pf_requirement_op {
    PF_REQUIRE_LT,
    PF_REQUIRE_LE,
    PF_REQUIRE_EQ,
    PF_REQUIRE_NE,
    PF_REQUIRE_GE,
    PF_REQUIRE_GT
};

struct pf_requirement {
    char variable[80];
    enum pf_requirement_op op;
    int64_t value;
};

/* Parses at most `room` conditions, separated by semicolons. Returns the text of the first one that
 * is wrong; NULL: none. */
const char *pf_requirements_parse(struct pf_requirement *list, size_t room, const char *text,
                                  size_t *n);
bool pf_requirement_parse(struct pf_requirement *r, const char *text);
/* True if the run satisfies the condition. Otherwise `why` names the event that violates it. *known
 * is set to false if the trace has no such variable. */
bool pf_requirement_holds(const struct pf_requirement *r, const struct pf_trace *t, bool *known,
                          char *why, size_t room);

#endif
