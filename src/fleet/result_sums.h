/*
 * result_sums.h - checks that a result has arrived as its task wrote it.
 *
 * Model:   the file `sums` of a result has a record for each other file: its XXH3 hash, its size
 *          and its path below the folder, "%016x %llu PATH", with a byte 0 at the end. A shared
 *          disk that is full or that loses a write may damage files after the result was renamed.
 * Errors:  PF_IO; PF_BAD with the path of the file that is missing or differs.
 */
#ifndef PF_FLEET_RESULT_SUMS_H
#define PF_FLEET_RESULT_SUMS_H

#include "status.h"

/* Writes the file `sums` of a folder. */
PF_MUST_USE pf_status pf_result_sums_write(const char *folder, struct pf_error *e);
/* Compares the files of a folder with its file `sums`. */
PF_MUST_USE pf_status pf_result_sums_check(const char *folder, struct pf_error *e);

#endif
