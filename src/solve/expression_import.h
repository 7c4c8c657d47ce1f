/*
 * expression_import.h - copies the expressions of one run into the log of another one, so that one
 * question to the solver can use both.
 *
 * Model:   a leaf is the same in both logs if it is the same part of the source of the same name.
 * Memory:  map has a label of `to` for each label of `from`; the caller releases it.
 * Errors:  false: a source of `from` is not in `to`, or an expression does not fit.
 */
#ifndef PF_SOLVE_EXPRESSION_IMPORT_H
#define PF_SOLVE_EXPRESSION_IMPORT_H

#include "expression_log.h"

bool pf_expression_import(struct pf_expression_log *to, const struct pf_expression_log *from,
                          pf_vec_u32 *map);

#endif
