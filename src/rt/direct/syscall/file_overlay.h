/*
 * file_overlay.h - the private view that a continuation has of the files: no other process sees
 * its changes.
 *
 * Model:   a map from absolute paths to files in memory, folders that exist only here, or "gone". A
 *          call that would change the user's files changes the map; a call that reads a path in the
 *          map is answered from the map; all other calls go to the kernel. Only regular files are
 *          private: devices and named pipes are the real ones. Changes of attributes (mode, owner,
 *          times) are ignored.
 * Memory:  the files are in the kernel (memfd_create), the map is a table of fixed size.
 * Threads: only the runner.
 * Errors:  a call that cannot be represented (links, special files, renamed folders, a full map)
 *          ends the run as a divergence: it shows nothing about the program.
 */
#ifndef PF_RT_FILE_OVERLAY_H
#define PF_RT_FILE_OVERLAY_H

#include <stdbool.h>

/* In a continuation: from now on its changes are private. */
void pf_overlay_begin(void);
/* The file behind `fd`, which the continuation has open for writing, is private: its copy in memory
 * is `copy`. Call before fd is replaced by the copy. */
void pf_overlay_add_open(int fd, int copy);
/* True: the call was handled here, with this result. Only after pf_overlay_begin. */
bool pf_overlay_call(long number, const long argument[6], long *result);

#endif
