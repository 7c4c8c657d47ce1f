/*
 * symbolic_inputs.h - the inputs of a symbolic run: which sources become leaves, and new contents
 * for them (docs/format/symbolic.md).
 *
 * Model:   a SPEC is argv, argv[N], stdin, env:NAME, file:PATH, socket, socket[N] or random, each
 *          with an optional :BYTES. A patch gives some sources new contents: arguments, variables
 *          and standard input before the program starts; the runtime serves the others when the
 *          program reads them (served_input.h). No file of the user is changed. A patch may also
 *          hide a file from the program: absent:PATH, with an absolute path.
 * Memory:  the caller frees *out, and releases the patch.
 * Errors:  PF_BAD names the SPEC, or the file and line, and what was expected.
 */
#ifndef PF_PROCESS_SYMBOLIC_INPUTS_H
#define PF_PROCESS_SYMBOLIC_INPUTS_H

#include "status.h"
#include "textbuf.h"
#include <stddef.h>

/* The list for struct pf_directed, one SPEC per line, from the text of --input: SPECs separated by
 * commas. Without it: the arguments, standard input, and the files that arguments name. */
PF_MUST_USE pf_status pf_symbolic_inputs(const char *text, char **argv, char **out,
                                         struct pf_error *e);

/* The new contents of one source. */
struct pf_patch_part {
    char *source; /* its SPEC */
    unsigned char *bytes;
    size_t n;
};
struct pf_patch {
    struct pf_patch_part *at;
    size_t len, cap;
    char **argv; /* with the new arguments; ends with NULL */
    char *served; /* lines SOURCE=HEX of the sources that the runtime serves; NULL: none */
};
/* Reads a patch file: lines SOURCE=HEX, where HEX is two digits for each byte. Empty lines and
 * lines that begin with # are skipped. */
PF_MUST_USE pf_status pf_patch_read(struct pf_patch *p, const char *path, struct pf_error *e);
/* Puts the patch into effect for a program that this process starts: its arguments (p->argv), its
 * environment, and its standard input, from an unnamed file. */
PF_MUST_USE pf_status pf_patch_apply(struct pf_patch *p, char **argv, struct pf_error *e);
void pf_patch_release(struct pf_patch *p);
/* Adds a line of a patch file. */
void pf_patch_line(struct pf_text *t, const char *source, const unsigned char *bytes, size_t n);

#endif
