/*
 * path_replace.h - replaces a path in a text file: results contain paths of files on the node.
 */
#ifndef PF_FLEET_PATH_REPLACE_H
#define PF_FLEET_PATH_REPLACE_H

#include "status.h"

/* Replaces every occurrence of `here` in the file by `there`. */
PF_MUST_USE pf_status pf_path_replace(const char *file, const char *here, const char *there,
                                      struct pf_error *e);

#endif
