/*
 * apply_values.h - turns values that a solver chose into bytes of an input.
 *
 * Model:   a byte is written at its offset. A length cuts the source or appends letters. A number
 *          is printed as text in place of the old text. An argument, and a variable of the
 *          environment, ends before its first 0.
 * Memory:  the new input belongs to the caller.
 */
#ifndef PF_SOLVE_APPLY_VALUES_H
#define PF_SOLVE_APPLY_VALUES_H

#include "expression_log.h"
#include "input_bytes.h"

/* A value that was chosen for a leaf of a log. */
struct pf_leaf_value {
    uint32_t leaf;
    uint64_t value;
};
typedef PF_VEC(struct pf_leaf_value) pf_leaf_values;

/* Makes the input `to` from `from`, the input of the run of the log, and the chosen values. */
void pf_input_bytes_apply(struct pf_input_bytes *to, const struct pf_input_bytes *from,
                          const struct pf_expression_log *log, const pf_leaf_values *values);

/* Replaces `old` bytes of a source of the input by others. */
void pf_input_bytes_replace(struct pf_input_bytes *in, const char *name, size_t at, size_t old,
                            const void *bytes, size_t n);
/* The text of a number that replaces the text of the leaf. Returns its length, which is below
 * PF_NUMBER_TEXT. With `keep_length`, the text is as long as the old one, if it can be. */
#define PF_NUMBER_TEXT 72
size_t pf_number_text(char *to, const struct pf_leaf *leaf, uint64_t value, bool keep_length);
#endif
