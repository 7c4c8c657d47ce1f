/*
 * inverse.h - solves one condition without a search, if its operators can be undone.
 *
 * Model:   a comparison with a constant demands one value of its other operand (or a value near
 *          it). The demand is passed down through operators that have one unknown operand and an
 *          inverse, and through concatenations, until it reaches leaves.
 * Errors:  false: there is no such chain, or it demands two values of one leaf. That does not mean
 *          that the condition has no solution. The caller must check the values: other conditions
 *          may contradict them.
 */
#ifndef PF_SOLVE_INVERSE_H
#define PF_SOLVE_INVERSE_H

#include "apply_values.h"

#define PF_INVERSE_WAYS 3 /* for inequalities: the bound, and its neighbours */

/* Demands that the node `label` (1 bit) gets the value `holds`. `way` is below PF_INVERSE_WAYS.
 * Sets `out` to the values of leaves. */
bool pf_inverse(const struct pf_expression_log *log, uint32_t label, bool holds, unsigned way,
                pf_leaf_values *out);

#endif
