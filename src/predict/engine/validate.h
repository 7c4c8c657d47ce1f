/*
 * validate.h - checks witnesses. Shares nothing with the engine: it knows the trace and the rules
 * of docs/analysis/model.md, and runs each schedule step by step.
 *
 * Model:   a witness says: run the trace up to `start`, then the events of `order`; now a and b are
 *          the next events of their threads (a == b: that one is). Every step must be possible
 *          when it is taken.
 * Cost:    one pass over the trace for all witnesses, and their lengths.
 */
#ifndef PF_ENGINE_VALIDATE_H
#define PF_ENGINE_VALIDATE_H

#include "analysis.h"

enum pf_missing_rule { PF_RULE_NONE, PF_RULE_RDIT, PF_RULE_SB };

/* ok[i]: the witness of races[i] holds. When one does not, `why` (may be NULL) says what is wrong
 * with the last such one. */
void pf_validate(const struct pf_trace *t, enum pf_missing_rule rule, const struct pf_race *races,
                 size_t n, bool *ok, struct pf_trace_error *why);
/* The races whose witness holds stay in `out`; the others are counted as invalid. */
void pf_validate_result(const struct pf_trace *t, enum pf_missing_rule rule, struct pf_result *out);

#endif
