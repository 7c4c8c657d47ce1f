/*
 * condition_ranges.h - merges conditions on the same number: "n > 0 and n <= 5 and n != 1" becomes
 * "n >= 2 and n <= 5".
 *
 * Model:   for each name, the least and the largest value, and values in between that are excluded.
 *          Conditions are read and written as text (condition_text.h).
 */
#ifndef PF_SOLVE_CONDITION_RANGES_H
#define PF_SOLVE_CONDITION_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_RANGES 8 /* most names */
#define PF_RANGE_GAPS 16 /* most values that are excluded */

struct pf_condition_range {
    char name[80];
    int64_t least, most;
    int64_t gap[PF_RANGE_GAPS];
    size_t ngaps;
};
struct pf_condition_ranges {
    struct pf_condition_range at[PF_RANGES];
    size_t n;
};

/* Adds a condition "NAME OP NUMBER" or "NUMBER OP NAME". False: it has another form, contradicts
 * the others, or there are too many; nothing is added. */
bool pf_condition_ranges_add(struct pf_condition_ranges *r, const char *text);
/* Writes the conditions of one name, joined by "and". Returns the length; 0: they do not fit. */
size_t pf_condition_range_text(const struct pf_condition_range *x, char *to, size_t room);

#endif
