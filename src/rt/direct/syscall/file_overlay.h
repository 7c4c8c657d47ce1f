/*
 * file_overlay.h - the private view that a run has of the files: no other process sees its changes.
 * Continuations have one, and runs with served inputs (served_input.h).
 *
 * Model:   a map from absolute paths to files in memory, folders that exist only here, or "gone". A
 *          call that would change the user's files changes the map; a call that reads a path in the
 *          map is answered from the map; all other calls go to the kernel. Only regular files are
 *          private: devices and named pipes are the real ones. Changes of attributes (mode, owner,
 *          times) are ignored.
 * Memory:  the files are in the kernel (memfd_create), the map is a table of fixed size.
 * Threads: only the runner.
 * Errors:  a call that cannot be represented (links, special files, renamed folders, a large file,
 *          a path of 4096 bytes or more, a full map) ends the run as a divergence: it shows
 *          nothing about the program.
 */
#ifndef PF_RT_FILE_OVERLAY_H
#define PF_RT_FILE_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>

/* From now on changes are private. In a continuation of a run whose changes are private already:
 * the continuation gets copies of its private files. */
void pf_overlay_begin(void);
/* Gives the file these contents in this run. */
void pf_overlay_serve(const char *path, const void *bytes, uint64_t n);
/* In this run there is no such file. */
void pf_overlay_hide(const char *path);
/* Serves a private copy of the file from now on, and makes it if there is none yet. Returns its
 * descriptor; -1: the file cannot be read. */
int pf_overlay_take(const char *path);
/* After pf_overlay_begin in a continuation: a descriptor that refers to the continuation's own copy
 * of the private file behind `fd`; -1: fd is not open on a private file. */
long pf_overlay_reopen(int fd, long flags);
/* A new file in memory with the contents of the file at this path; NULL: an empty one. Returns a
 * descriptor with which it can be read and written; a negative errno: there is no memory. A file
 * that is too large to be copied ends the run. */
long pf_overlay_copy(const char *path);
/* True if the number is the overlay's own descriptor of a private file. */
bool pf_overlay_owns(int fd);
/* The file behind `fd`, which the continuation has open for writing, is private: its copy in memory
 * is `copy`. Call before fd is replaced by the copy. */
void pf_overlay_add_open(int fd, int copy);
/* True: the call was handled here, with this result. Only after pf_overlay_begin. */
bool pf_overlay_call(long number, const long argument[6], long *result);

#endif
