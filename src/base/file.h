/*
 * file.h - whole files in and out.
 *
 * Memory:  what is read is malloced and the caller's to free.
 * Errors:  PF_IO with the path and the system's reason; PF_NOMEM.
 */
#ifndef PF_BASE_FILE_H
#define PF_BASE_FILE_H

#include "status.h"
#include <stddef.h>

/* The bytes of the file with a 0 behind them. */
PF_MUST_USE pf_status pf_file_read(const char *path, char **out, size_t *n, struct pf_error *e);
/* All or nothing: a temporary file beside it, synced, renamed. "-" is standard output. */
PF_MUST_USE pf_status pf_file_write(const char *path, const char *data, size_t n,
                                    struct pf_error *e);
/* Could pf_file_write do it? Better asked before an hour's work than after. */
PF_MUST_USE pf_status pf_file_check(const char *path, struct pf_error *e);
/* The folder and those above it; fine when it is there already. */
PF_MUST_USE pf_status pf_folder_make(const char *path, struct pf_error *e);
/* Removes a folder of plain files; what cannot be removed stays. */
void pf_folder_remove(const char *path);

#endif
