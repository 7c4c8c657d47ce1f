/*
 * tree_copy.h - copies and removes folders with everything in them.
 *
 * Model:   regular files and folders only; other kinds of files are left out. A file that exists at
 *          the destination is replaced by a rename, so a reader never sees a part of it.
 * Errors:  PF_IO with the path.
 */
#ifndef PF_FLEET_TREE_COPY_H
#define PF_FLEET_TREE_COPY_H

#include "status.h"

/* Copies a file. A reader sees the whole destination, or none. */
PF_MUST_USE pf_status pf_tree_copy_file(const char *from, const char *to, struct pf_error *e);
/* Copies the contents of `from` into the folder `to`, creating it. No error if `from` does not
 * exist. */
PF_MUST_USE pf_status pf_tree_copy(const char *from, const char *to, struct pf_error *e);
/* Copies the files and folders with these names, if they exist. The list ends with NULL. */
PF_MUST_USE pf_status pf_tree_copy_parts(const char *from, const char *to, const char *const *names,
                                         struct pf_error *e);
/* Removes the folder. Files that cannot be removed stay; that is not an error. */
void pf_tree_remove(const char *path);

#endif
