/*
 * wrap_filelock.c - file locks: flock, and fcntl's locks of open file descriptions. Taking a lock
 * acquires what was done before the file was unlocked or its descriptor closed.
 *
 * Model:   one clock for each file, by inode. Shared and exclusive locks and parts of a file are
 *          not distinguished. Threads that use one descriptor do not exclude each other, but are
 *          ordered here as if they did. Both add order. The locks of lockf and F_SETLK belong to
 *          the process and do not order threads.
 * Memory:  none.
 * Threads: any.
 * Errors:  none.
 */
#include "wrap_fd.h"
#include <sys/file.h>
#include <sys/stat.h>

#define FILES 1024u /* clocks; files with the same hash share one */
static char files[FILES * 8]; /* only their addresses are used */

static const void *object(int fd)
{
    struct stat about;
    if (!pf_fd_stat(fd, &about))
        return files;
    return files + (about.st_ino * 31 + about.st_dev) % FILES * 8;
}

void pf_file_unlocking(struct pf_thread *t, int fd) { pf_hb_release(t, object(fd)); }
void pf_file_locked(struct pf_thread *t, int fd)
{
    pf_hb_acquire(t, object(fd));
    pf_fd_set_holds_file_lock(fd);
}

PF_INTERPOSE(int, flock, (int fd, int what))
{
    PF_CALL(c, flock);
    if (!c.t)
        return PF_REAL(flock)(fd, what);
    pf_file_unlocking(c.t, fd); /* one lock may be converted to another */
    int r = PF_BLOCKING(c, PF_REAL(flock)(fd, what));
    if (r == 0 && !(what & LOCK_UN))
        pf_file_locked(c.t, fd);
    return r;
}
