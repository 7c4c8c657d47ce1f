/*
 * wrap_filelock.c - locks of files: flock, and fcntl's locks of open file descriptions. Who takes one knows what
 * was done before the file was unlocked or its descriptor closed.
 *
 * Model:   one clock for each file, by inode. Readers' and writers' locks, and parts of a file, are not told apart,
 *          nor is it seen that threads with one descriptor do not keep each other out: more order than there
 *          is. The locks of lockf and F_SETLK belong to the process and order no threads.
 * Memory:  none.
 * Threads: any.
 * Errors:  none.
 */
#include "wrap_fd.h"
#include <sys/file.h>
#include <sys/stat.h>

#define FILES 1024u
static char files[FILES * 8]; /* only their addresses */

static const void *object(int fd)
{
    struct stat about;
    if (!pf_fd_look(fd, &about))
        return files;
    return files + (about.st_ino * 31 + about.st_dev) % FILES * 8;
}

void pf_file_unlocks(struct pf_thread *t, int fd) { pf_hb_release(t, object(fd)); }
void pf_file_locked(struct pf_thread *t, int fd)
{
    pf_hb_acquire(t, object(fd));
    pf_fd_keeps_lock(fd);
}

PF_INTERPOSE(int, flock, (int fd, int what))
{
    PF_CALL(c, flock);
    if (!c.t)
        return PF_REAL(flock)(fd, what);
    pf_file_unlocks(c.t, fd); /* one lock may be exchanged for another */
    int r = PF_BLOCKING(c, PF_REAL(flock)(fd, what));
    if (r == 0 && !(what & LOCK_UN))
        pf_file_locked(c.t, fd);
    return r;
}
