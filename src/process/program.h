/*
 * program.h - checks whether photofinish can run a given program.
 *
 * Model:   an ELF executable for x86-64 with the note that pf cc writes into every object, of this
 *          build's ABI version. Directed mode also accepts programs without the note.
 * Memory:  `path` is malloced.
 * Errors:  PF_BAD with a message for the user; PF_IO when the file cannot be found, read or run.
 */
#ifndef PF_PROCESS_PROGRAM_H
#define PF_PROCESS_PROGRAM_H

#include "status.h"
#include <stdbool.h>
#include <stddef.h>

/* Finds the file that executing `name` would run: by PATH if the name has no slash. */
PF_MUST_USE pf_status pf_program_find(const char *name, char **path, struct pf_error *e);
/* PF_OK if the program is instrumented. has_any: the verb has the option --any, which the message
 * then names. */
PF_MUST_USE pf_status pf_program_check(const char *path, bool has_any, struct pf_error *e);
/* The same for pf run. It also accepts a program built with -fsanitize=thread whose runtime is a
 * shared library, and sets *tsan: our runtime replaces that library. */
PF_MUST_USE pf_status pf_program_check_free(const char *path, bool *tsan, struct pf_error *e);
/* PF_OK if directed mode can run it: it is instrumented, or (*bare) it is dynamically linked, so
 * that the runtime can be preloaded. */
PF_MUST_USE pf_status pf_program_check_directed(const char *path, bool *bare, struct pf_error *e);
/* PF_OK if the program is instrumented and has symbolic code. */
PF_MUST_USE pf_status pf_program_check_symbolic(const char *path, struct pf_error *e);
/* pf_program_check_directed and pf_program_check on bytes in memory, without the file's
 * permissions; `path` is for messages. */
PF_MUST_USE pf_status pf_program_check_bare(const char *path, const unsigned char *data, size_t n,
                                            bool *bare, struct pf_error *e);
PF_MUST_USE pf_status pf_program_check_bytes(const char *path, const unsigned char *data, size_t n,
                                             struct pf_error *e);

/* True if its event bodies are compiled on demand (pf cc --on-demand). */
bool pf_program_is_on_demand(const char *path);

#endif
