/*
 * continuation.c - separates a continuation, a copy of the process, from the process it was copied
 * from. The two would share file offsets, and the files they write to: the continuation gets
 * offsets of its own, and writes to in-memory copies of the files. Files that it opens for writing,
 * renames or removes later are private, too (file_overlay.h). It shows nothing on standard output
 * and standard error.
 */
#define _GNU_SOURCE
#include "mappings.h"
#include "open_descriptors.h"
#include "syscalls.h"
#include <fcntl.h>
#include <sys/stat.h>

#define FDS PF_OPEN_DESCRIPTORS

/* Opens the file of a descriptor again, through its link in /proc. */
static long reopen(int fd, long flags)
{
    struct pf_fd_link link = pf_fd_link(fd);
    return pf_sys(SYS_open, link.path, flags & ~(long)(O_CREAT | O_EXCL | O_TRUNC));
}

static bool shared[FDS]; /* regular files, other than standard output and error */

void pf_continuation_prepare(void)
{
    struct stat st;
    pf_open_descriptors(shared);
    for (int fd = 0; fd < FDS; fd++)
        shared[fd] = shared[fd] && !pf_output_standard(fd) && pf_sys(SYS_fstat, fd, &st) == 0 &&
                     S_ISREG(st.st_mode);
    pf_outside_prepare();
}

/* True if a file of this name is mapped with MAP_SHARED: the mapping would not show what the run
 * writes to its private copy. */
static bool is_mapped(int fd)
{
    struct pf_fd_link link = pf_fd_link(fd);
    char path[4096];
    long n = pf_sys(SYS_readlink, link.path, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    const char *name = path;
    for (const char *p = path; *p; p++)
        name = *p == '/' ? p + 1 : name;
    for (const struct pf_mapping *m = pf_mapping_above(0); m; m = pf_mapping_above(m->hi)) {
        size_t i = 0;
        while (i < sizeof m->name - 1 && name[i] && name[i] == m->name[i])
            i++;
        if (m->shared && m->file && i && (i == sizeof m->name - 1 || name[i] == m->name[i]))
            return true;
    }
    return false;
}

static void separate(int fd)
{
    struct stat st;
    if (pf_overlay_owns(fd) || pf_sys(SYS_fstat, fd, &st) != 0)
        return;
    long flags = pf_sys(SYS_fcntl, fd, F_GETFL), closes = pf_sys(SYS_fcntl, fd, F_GETFD);
    long offset = pf_sys(SYS_lseek, fd, 0, SEEK_CUR);
    if ((flags & O_ACCMODE) != O_RDONLY && is_mapped(fd))
        pf_diverged_private("the use of a file that is both mapped and open for writing");
    long now = pf_overlay_reopen(fd, flags);
    bool is_private = now >= 0;
    if (!is_private)
        now = (flags & O_ACCMODE) == O_RDONLY ? reopen(fd, flags)
                                              : pf_overlay_copy(pf_fd_link(fd).path);
    if (now < 0 && (flags & O_ACCMODE) != O_RDONLY)
        pf_diverged_private("the use of a file that cannot be copied");
    if (now < 0)
        return;
    if ((flags & O_ACCMODE) != O_RDONLY && !is_private)
        pf_overlay_add_open(fd, (int)now);
    pf_sys(SYS_lseek, now, offset, SEEK_SET);
    pf_sys(SYS_dup3, now, fd, closes & FD_CLOEXEC ? O_CLOEXEC : 0);
    pf_sys(SYS_close, now);
}

void pf_continuation_isolate(void)
{
    pf_overlay_begin();
    for (int fd = 0; fd < FDS; fd++)
        if (shared[fd])
            separate(fd);
    pf_output_hide();
}

bool pf_continuation_shares_descriptor(int fd)
{
    struct stat st;
    return !pf_output_standard(fd) && pf_sys(SYS_fstat, fd, &st) == 0 && !S_ISREG(st.st_mode) &&
           !S_ISCHR(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool shares(bool inside)
{
    bool open[FDS];
    pf_open_descriptors(open);
    for (int fd = 3; fd < PF_OWN_FDS; fd++)
        if (open[fd] && pf_continuation_shares_descriptor(fd) &&
            !(inside && pf_outside_descriptor(fd)))
            return true;
    for (const struct pf_mapping *m = pf_mapping_above(0); m; m = pf_mapping_above(m->hi))
        if (m->shared && m->writable)
            return true;
    return false;
}

bool pf_continuation_shares(void) { return shares(false); }
bool pf_continuation_shares_inside(void) { return shares(true); }
