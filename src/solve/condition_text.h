/*
 * condition_text.h - a condition of a path as a person would write it: argv[1] >= 0.
 *
 * Model:   a number that the program parses has the name of its source; its value is that of the
 *          integer type that the program uses. A byte is written as argv[1][0]. The operators are
 *          those of C.
 * Errors:  false: the text does not fit, or the condition is not simple enough to be read.
 */
#ifndef PF_SOLVE_CONDITION_TEXT_H
#define PF_SOLVE_CONDITION_TEXT_H

#include "expression_log.h"

/* Writes the condition that the 1-bit node has this value. */
bool pf_condition_text(const struct pf_expression_log *log, uint32_t label, bool holds, char *to,
                       size_t room);

#endif
