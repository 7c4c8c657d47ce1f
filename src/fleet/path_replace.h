/*
 * path_replace.h - replaces a path in a file: results contain paths of files on the node.
 *
 * Model:   a path may be written in two forms: as it is, in a text of a JSON document; or as a part
 *          of a word of a shell command (base/shell_word.h). Shell commands are: a file of its own;
 *          in a JSON document, the texts of fields `command`, and in another text everything after
 *          the start of a line "command: ". The new path gets the form of the old one, and quotes
 *          if it needs them.
 * Errors:  PF_IO, PF_BAD with the file.
 */
#ifndef PF_FLEET_PATH_REPLACE_H
#define PF_FLEET_PATH_REPLACE_H

#include "status.h"

/* Replaces every occurrence of `here` in the shell commands of the file by `there`. */
PF_MUST_USE pf_status pf_path_replace_shell(const char *file, const char *here, const char *there,
                                            struct pf_error *e);
/* The same in the texts of a JSON document. */
PF_MUST_USE pf_status pf_path_replace_json(const char *file, const char *here, const char *there,
                                           struct pf_error *e);

#endif
