/*
 * brute.h - the definition itself: walks through every reordering of a small trace.
 *
 * Model:   docs/analysis/model.md. A state is how far each thread is, who wrote each cell last, who
 *          has seen wrong values. All reachable states are visited once; a and b race when one of
 *          them has both as next steps.
 * Cost:    exponential; for traces of some twenty events.
 */
#ifndef PF_TEST_BRUTE_H
#define PF_TEST_BRUTE_H

#include "trace.h"

enum pf_brute_missing { PF_BRUTE_IGNORE, PF_BRUTE_RDIT, PF_BRUTE_SB };

/* race[a * n + b], a < b, for all conflicting pairs. False: too many states. */
bool pf_brute(const struct pf_trace *t, enum pf_brute_missing missing, bool *race);

/* Is this schedule a reordering after which a and b are both next? */
bool pf_brute_run(const struct pf_trace *t, enum pf_brute_missing missing, const uint32_t *order,
                  uint32_t n, uint32_t a, uint32_t b);

#endif
