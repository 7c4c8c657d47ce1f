/*
 * reads_from_solve.h - the last tier of reads_from.h, and what the three tiers share.
 */
#ifndef PF_ENGINE_READS_FROM_SOLVE_H
#define PF_ENGINE_READS_FROM_SOLVE_H

#include "reads_from.h"

/* to := the pointwise maximum. Returns true if `to` has grown. */
static inline bool pf_rf_clock_join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    bool grew = false;
    for (uint32_t u = 0; u < n; u++)
        if (from[u] > to[u]) {
            to[u] = from[u];
            grew = true;
        }
    return grew;
}
static inline bool pf_rf_is_node(uint32_t source) { return source < PF_SOURCE_INITIAL; }
/* The source of an access in the question. */
uint32_t pf_rf_query_source(const struct pf_rf_query *q, uint32_t access);
bool pf_rf_query_writes(const struct pf_rf_query *q, uint32_t access);
/* True if a must come before b, or is b, as far as saturation knows. */
bool pf_rf_query_before(const struct pf_rf_query *q, uint32_t a, uint32_t b);
/* Only after saturation, without a contradiction. */
enum pf_answer pf_rf_query_solve(struct pf_rf_query *q, uint32_t conflicts);

#endif
