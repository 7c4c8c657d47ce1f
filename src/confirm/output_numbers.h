/*
 * output_numbers.h - numbers in the output of a run that show something else than the race, such as
 * how long the program took.
 *
 * Model:   a number is a row of digits (or #), named by its descriptor, its line, and how many
 *          numbers come before it in the line. Only descriptors whose bytes are kept have such
 *          numbers.
 * Memory:  plain data.
 */
#ifndef PF_CONFIRM_OUTPUT_NUMBERS_H
#define PF_CONFIRM_OUTPUT_NUMBERS_H

#include "run_output.h"

#define PF_OUTPUT_NUMBERS 32

struct pf_output_number {
    int fd;
    uint32_t line, number; /* from 0 */
};

struct pf_output_numbers {
    struct pf_output_number at[PF_OUTPUT_NUMBERS];
    unsigned n;
};

/* Adds the numbers in which the two outputs differ. False, and adds nothing: they differ in
 * something else as well, or in too many numbers. */
bool pf_output_numbers_add(struct pf_output_numbers *m, const struct pf_run_output *a,
                           const struct pf_run_output *b);
/* Replaces these numbers by '#' in the bytes of the output. */
void pf_output_numbers_hide(const struct pf_output_numbers *m, struct pf_run_output *o);

#endif
