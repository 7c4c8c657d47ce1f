/*
 * brute.h - the definition itself: enumerates all reorderings of a small trace.
 *
 * Model:   docs/analysis/model.md. A state says how many events each thread has executed, which
 *          event wrote each cell last, and which threads have seen wrong values. Every reachable
 *          state is visited once. a and b race if some state has both as next steps.
 * Cost:    exponential; for traces of about twenty events.
 */
#ifndef PF_TEST_BRUTE_H
#define PF_TEST_BRUTE_H

#include "trace.h"

enum pf_brute_missing { PF_BRUTE_IGNORE, PF_BRUTE_RDIT, PF_BRUTE_SB };

/* Sets race[a * n + b], a < b, for all conflicting pairs. Returns false if there are too many
 * states. */
bool pf_brute(const struct pf_trace *t, enum pf_brute_missing missing, bool *race);

/* True if this schedule is a reordering after which a and b are both next. */
bool pf_brute_run(const struct pf_trace *t, enum pf_brute_missing missing, const uint32_t *order,
                  uint32_t n, uint32_t a, uint32_t b);

#endif
