/*
 * program.h - is this a program that photofinish can watch?
 *
 * Model:   an ELF executable for x86-64 with the note that pf cc leaves in every object, of the ABI
 *          this build knows.
 * Memory:  `path` is malloced.
 * Errors:  PF_BAD with a message for the user; PF_IO when the file cannot be found, read or run.
 */
#ifndef PF_CLI_PROGRAM_H
#define PF_CLI_PROGRAM_H

#include "status.h"
#include <stdbool.h>
#include <stddef.h>

/* The file that running `name` would run: by PATH when it has no slash. */
PF_MUST_USE pf_status pf_program_find(const char *name, char **path, struct pf_error *e);
/* PF_OK when it is instrumented. */
PF_MUST_USE pf_status pf_program_check(const char *path, struct pf_error *e);
/* PF_OK when directed mode can run it: instrumented, or (*bare) a dynamically linked program that the
 * runtime can be preloaded into. */
PF_MUST_USE pf_status pf_program_check_directed(const char *path, bool *bare, struct pf_error *e);
/* Both about bytes in memory, without what only the file tells; `path` is for messages. */
PF_MUST_USE pf_status pf_program_check_bare(const char *path, const unsigned char *data, size_t n,
                                            bool *bare, struct pf_error *e);
PF_MUST_USE pf_status pf_program_check_bytes(const char *path, const unsigned char *data, size_t n,
                                             struct pf_error *e);

#endif
