/*
 * validate.h - checks witnesses. Shares no code with the engine: it knows only the trace and the
 * rules of docs/analysis/model.md, and executes each schedule step by step.
 *
 * Model:   a witness claims: run the trace unchanged up to `start`, then the events of `order`;
 *          then a and b are the next events of their threads (if a == b: that one event is). Every
 *          step must be possible in the state in which it is taken.
 * Cost:    one pass over the trace for all witnesses, plus their lengths.
 */
#ifndef PF_ENGINE_VALIDATE_H
#define PF_ENGINE_VALIDATE_H

#include "analysis.h"

enum pf_missing_rule { PF_RULE_NONE, PF_RULE_RDIT, PF_RULE_SB };

/* Sets ok[i] to whether the witness of races[i] is valid. If any is not, `why` (may be NULL)
 * describes the error of the last invalid one. */
void pf_validate(const struct pf_trace *t, enum pf_missing_rule rule, const struct pf_race *races,
                 size_t n, bool *ok, struct pf_trace_error *why);
/* Keeps the races of `out` whose witness is valid; counts the others as invalid. */
void pf_validate_result(const struct pf_trace *t, enum pf_missing_rule rule, struct pf_result *out);

#endif
