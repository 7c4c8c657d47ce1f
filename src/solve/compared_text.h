/*
 * compared_text.h - texts that code compares with a piece of the input without a library function.
 *
 * Compilers turn strcmp(word, "/status") == 0 into one comparison of 8 bytes. If the word has
 * another length, no change of its bytes makes the two equal, as with library functions
 * (PF_SYMBOLIC_TEXT).
 */
#ifndef PF_COMPARED_TEXT_H
#define PF_COMPARED_TEXT_H

#include "expression_log.h"

/* Adds to the texts of the log those of its conditions. */
void pf_compared_texts(struct pf_expression_log *log);

#endif
