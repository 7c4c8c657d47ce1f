/*
 * input_bytes.h - one input of a program: the bytes of each of its sources.
 *
 * Model:   a source has the name that `pf record --input` uses ("argv[1]", "stdin", "file:in.txt").
 *          Sources are sorted by name, so equal inputs have equal hashes.
 * Memory:  an input owns its sources until release.
 */
#ifndef PF_SOLVE_INPUT_BYTES_H
#define PF_SOLVE_INPUT_BYTES_H

#include "vector.h"
#include <stdbool.h>

struct pf_input_source {
    char *name;
    unsigned char *bytes;
    size_t n;
};

struct pf_input_bytes {
    PF_VEC(struct pf_input_source) sources;
};

/* Renames a source from `actual`, its name in a run, to `name`. Used if a run read a changed copy
 * of a file: the source keeps the name of the original. */
struct pf_source_alias {
    char *actual;
    const char *name;
};
typedef PF_VEC(struct pf_source_alias) pf_source_aliases;

void pf_input_bytes_release(struct pf_input_bytes *in);
/* Sets the bytes of a source, which is added if it is new. */
void pf_input_bytes_set(struct pf_input_bytes *in, const char *name, const void *bytes, size_t n);
/* NULL: the input has no such source. */
const struct pf_input_source *pf_input_bytes_find(const struct pf_input_bytes *in,
                                                  const char *name);
void pf_input_bytes_copy(struct pf_input_bytes *to, const struct pf_input_bytes *from);
uint64_t pf_input_bytes_hash(const struct pf_input_bytes *in);
/* True for an argument or a variable of the environment: it ends with a 0, and a change of its
 * length moves nothing else. */
bool pf_input_is_word(const char *name);
/* True for a source whose bytes are known only after a run: a socket, or random bytes. */
bool pf_input_is_late(const char *name);

#define PF_OPTIONS_ADDED 8 /* arguments that are added to those of a command */
/* Adds an option as a further argument; `first`: the number of the first one that may be added.
 * False: the option is there already, or there are too many. */
bool pf_input_bytes_add_option(struct pf_input_bytes *in, uint32_t first, const unsigned char *text,
                               size_t n);

#endif
