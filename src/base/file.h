/*
 * file.h - reads and writes whole files.
 *
 * Memory:  the bytes read are malloced; the caller frees them.
 * Errors:  PF_IO with the path and the system's reason.
 */
#ifndef PF_BASE_FILE_H
#define PF_BASE_FILE_H

#include "status.h"
#include <stdbool.h>
#include <stddef.h>

/* Reads the whole file. The bytes are followed by a terminating 0, which *n does not count. */
PF_MUST_USE pf_status pf_file_read(const char *path, char **out, size_t *n, struct pf_error *e);
/* Writes the file atomically: into a temporary file in the same folder, which is synced and
 * renamed. "-" is standard output; devices and pipes are written directly. */
PF_MUST_USE pf_status pf_file_write(const char *path, const char *data, size_t n,
                                    struct pf_error *e);
/* Checks that pf_file_write could write `path`. Call it before long work, so that the work is
 * not lost. */
PF_MUST_USE pf_status pf_file_check(const char *path, struct pf_error *e);
/* True if both paths name the same existing file. */
bool pf_file_same(const char *a, const char *b);

/* Creates the folder and its missing parents. An existing folder is not an error. */
PF_MUST_USE pf_status pf_folder_make(const char *path, struct pf_error *e);
/* Removes a folder that holds only plain files. Files that cannot be removed stay. */
void pf_folder_remove(const char *path);

#endif
