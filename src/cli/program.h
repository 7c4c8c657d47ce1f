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
#include <stddef.h>

/* The file that running `name` would run: by PATH when it has no slash. */
PF_MUST_USE pf_status pf_program_find(const char *name, char **path, struct pf_error *e);
/* PF_OK when it is instrumented. */
PF_MUST_USE pf_status pf_program_check(const char *path, struct pf_error *e);
/* The same about bytes in memory; `path` is for messages. */
PF_MUST_USE pf_status pf_program_check_bytes(const char *path, const unsigned char *data, size_t n,
                                             struct pf_error *e);

#endif
