/*
 * foreign_file.h - the option --from of `pf report` and `pf judge`.
 */
#ifndef PF_CLI_FOREIGN_FILE_H
#define PF_CLI_FOREIGN_FILE_H

#include "findings.h"

/* Adds the findings of a file: a JSON document of pf (its name ends in .json), ThreadSanitizer's
 * text or Helgrind's XML. Prints how many candidates another tool's report has. */
PF_MUST_USE pf_status pf_foreign_file_read(const char *verb, struct pf_findings *f,
                                           const char *path, struct pf_error *e);
/* True if pf_foreign_file_read takes the file for a JSON document of pf. */
bool pf_foreign_file_is_document(const char *path);

#endif
