/*
 * validate.h - checks witnesses. Shares no code with the engine: it knows only the trace and the
 * rules of docs/analysis/model.md, and executes each schedule step by step.
 *
 * Model:   a witness claims: run the trace unchanged up to `start`, then the events of `order`;
 *          then a and b are the next events of their threads (if a == b: that one event is). Every
 *          step must be possible in the state in which it is taken.
 * Cost:    one pass over the trace for all witnesses, and for each step a comparison with the
 *          earlier events of other threads that the witness leaves out.
 */
#ifndef PF_ENGINE_VALIDATE_H
#define PF_ENGINE_VALIDATE_H

#include "analysis.h"

enum pf_missing_rule { PF_RULE_NONE, PF_RULE_RDIT, PF_RULE_SB };

/* UNCHECKED: the check takes too many comparisons, or `stop` ended it. */
enum pf_validity { PF_INVALID, PF_VALID, PF_UNCHECKED };

/* Sets result[i] to the validity of the witness of races[i]. If any is invalid, `why` (may be NULL)
 * describes the error of the last one. `stop` may be NULL. */
void pf_validate(const struct pf_trace *t, enum pf_missing_rule rule, const struct pf_race *races,
                 size_t n, struct pf_stop *stop, enum pf_validity *result, struct pf_error *why);
/* Keeps the races of `out` whose witness is valid. Counts the others as invalid, or as unknown if
 * they are unchecked. */
void pf_validate_result(const struct pf_trace *t, enum pf_missing_rule rule, struct pf_stop *stop,
                        struct pf_result *out);

#endif
