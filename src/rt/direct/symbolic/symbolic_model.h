/*
 * symbolic_model.h - what the models of library functions share. Each model gets the call after it
 * has returned and gives the label of its result.
 */
#ifndef PF_RT_SYMBOLIC_MODEL_H
#define PF_RT_SYMBOLIC_MODEL_H

#include "symbolic.h"
#include <stdio.h>

static inline struct pf_expression_operand pf_model_constant(uint64_t v)
{
    return (struct pf_expression_operand){0, v};
}
/* A byte of memory with its label. */
struct pf_expression_operand pf_model_byte(const void *at);
/* The value of `c ? a : b`; c has one bit, a and b have `bits` bits. */
struct pf_expression_operand pf_model_select(struct pf_expression_operand c, unsigned bits,
                                             struct pf_expression_operand a,
                                             struct pf_expression_operand b);
/* A character of `bits` bits: if it is one of the 26 letters from `first` on, moved by `by`. */
struct pf_expression_operand pf_model_letter(struct pf_expression_operand v, unsigned bits,
                                             char first, int by);
/* Records whether the comparison of two operands holds, as a condition of the call. */
void pf_model_condition(const struct pf_symbolic_call *c, enum pf_symbolic_op op, unsigned bits,
                        struct pf_expression_operand a, struct pf_expression_operand b);
/* The same for a condition under which the model is valid; the function does not branch on it. */
void pf_model_assume(const struct pf_symbolic_call *c, enum pf_symbolic_op op, unsigned bits,
                     struct pf_expression_operand a, struct pf_expression_operand b);
/* Records whether a byte ends a string: as a condition in words, whose length may change, else as
 * an assumption, because inputs with a 0 inside a text are rarely useful. */
void pf_model_end(const struct pf_symbolic_call *c, struct pf_expression_operand b);
/* The length of a string of at most `most` bytes. Records the conditions on its bytes that give it
 * this length. */
size_t pf_model_length(const struct pf_symbolic_call *c, const char *s, size_t most);

/* model_compare.c: comparisons of strings and memory; searches, whose results have no label; the
 * options that getopt compares the arguments with. */
uint32_t pf_model_compare(const struct pf_symbolic_call *c);
void pf_model_search(const struct pf_symbolic_call *c);
void pf_model_options(const struct pf_symbolic_call *c);

/* model_token.c: strsep, strtok, strspn and similar. */
uint32_t pf_model_token(const struct pf_symbolic_call *c);
/* The two strings differ. If one is a piece of a source and the other a constant text of another
 * length, records the text as a replacement for the piece. */
void pf_model_other_text(const struct pf_symbolic_call *c, const char *a, const char *b);
/* The first n bytes of the two differ. If one is the beginning of a piece of a source, and the
 * other a constant text, records the text as a replacement for the word that begins there. */
void pf_model_other_word(const struct pf_symbolic_call *c, const char *a, const char *b, size_t n);

/* True for the constants and initialised variables of the executable. */
bool pf_model_is_constant(const char *s);
/* How many bytes of the executable are mapped and readable from s on; 0: s is not in it. */
size_t pf_model_readable(const char *s);
/* Records the constant words among the arguments, once each: the input may have to contain them. */
void pf_model_words(const struct pf_symbolic_call *c);

/* model_number.c: the strtol family. */
uint32_t pf_model_number(const struct pf_symbolic_call *c);
/* The length of the text of a number: spaces, sign, prefix, digits; 0: no number. base: as passed
 * to strtol; 0: the prefix of the text chooses it. */
size_t pf_number_extent(const uint8_t *s, unsigned base);
/* The condition whether a number begins at s; n: its length, or 0. */
void pf_number_begins(const struct pf_symbolic_call *c, const uint8_t *s, size_t n);
/* The label of a number that was parsed from the n bytes at s. base: the same. */
uint32_t pf_number_leaf(const struct pf_symbolic_call *c, const uint8_t *s, size_t n, unsigned base,
                        unsigned bits, uint64_t value);
/* model_scan.c: sscanf. False: not all that it stored is modelled. */
bool pf_model_scan(const struct pf_symbolic_call *c);
/* model_print.c: sprintf and snprintf with room for `room` bytes; the format is argument number
 * format_at. False: a label was dropped. */
bool pf_model_print(const struct pf_symbolic_call *c, char *to, size_t room, uint32_t format_at);
/* model_output.c: functions that print. False: what they print could not be written to the log. */
bool pf_model_output(const struct pf_symbolic_call *c);
/* model_stream.c: read and stdio. */
uint32_t pf_model_stream(const struct pf_symbolic_call *c);
/* True if, since the last call, a source has delivered bytes, or bytes were read from the buffer of
 * stdin. All models of such reads call it, so then a function without a model has read. */
bool pf_stream_was_read(void);
/* The position of a FILE in its source. False: it has none. */
bool pf_stream_position(FILE *f, uint32_t *source, uint64_t *offset);
/* model_cxx.c: streams and strings of C++. False: a label was dropped. */
bool pf_model_cxx(const struct pf_symbolic_call *c);

#endif
