/*
 * input_bytes.h - one input of a program: the bytes of each of its sources; and how values that a
 * solver chose become bytes.
 *
 * Model:   a source has the name that `pf record --input` uses ("argv[1]", "stdin", "file:in.txt").
 *          Sources are sorted by name, so equal inputs have equal hashes. A byte is written at its
 *          offset. A length cuts the source or appends letters. A number is printed as text in
 *          place of the old text. An argument, and a variable of the environment, ends before its
 *          first 0.
 * Memory:  an input owns its sources until release.
 */
#ifndef PF_SOLVE_INPUT_BYTES_H
#define PF_SOLVE_INPUT_BYTES_H

#include "expression_log.h"

struct pf_input_source {
    char *name;
    uint8_t type; /* enum pf_symbolic_source */
    uint32_t index; /* of an argument or a variable of the environment */
    unsigned char *bytes;
    size_t n;
};

struct pf_input_bytes {
    PF_VEC(struct pf_input_source) sources;
};

/* A value that was chosen for a leaf of a log. */
struct pf_leaf_value {
    uint32_t leaf;
    uint64_t value;
};
typedef PF_VEC(struct pf_leaf_value) pf_leaf_values;

void pf_input_bytes_release(struct pf_input_bytes *in);
/* Sets the bytes of a source, which is added if it is new. */
void pf_input_bytes_set(struct pf_input_bytes *in, const char *name, uint8_t type, uint32_t index,
                        const void *bytes, size_t n);
/* NULL: the input has no such source. */
const struct pf_input_source *pf_input_bytes_find(const struct pf_input_bytes *in,
                                                  const char *name);
void pf_input_bytes_copy(struct pf_input_bytes *to, const struct pf_input_bytes *from);
uint64_t pf_input_bytes_hash(const struct pf_input_bytes *in);

/* Makes the input `to` from `from`, the input of the run of the log, and the chosen values. */
void pf_input_bytes_apply(struct pf_input_bytes *to, const struct pf_input_bytes *from,
                          const struct pf_expression_log *log, const pf_leaf_values *values);

/* The text of a number that replaces the text of the leaf. Returns its length, which is below
 * PF_NUMBER_TEXT. With `keep_length`, the text is as long as the old one, if it can be. */
#define PF_NUMBER_TEXT 72
size_t pf_number_text(char *to, const struct pf_leaf *leaf, uint64_t value, bool keep_length);
/* True if a change of the length of one text leaves the offsets of all others unchanged: each
 * argument and variable is a source of its own. */
static inline bool pf_source_is_word(uint8_t type)
{
    return type == PF_SOURCE_ARGUMENT || type == PF_SOURCE_ENVIRONMENT;
}

#endif
