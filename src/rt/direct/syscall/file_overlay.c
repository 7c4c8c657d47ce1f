/*
 * file_overlay.c - see file_overlay.h. A mount namespace with an overlay file system was rejected:
 * it needs privileges that containers do not give, and making one takes longer than running most
 * schedules. Buffers are static because the threads of the target may have small stacks; this is
 * safe because no function here lets another thread run.
 */
#define _GNU_SOURCE
#include "file_overlay.h"
#include "syscalls.h"
#include "textbuf.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define ENTRIES 256 /* paths that a run may change */
#define PATH_SIZE 4096 /* PATH_MAX: the kernel accepts no longer path, and names no longer one */
#define COPY_MAX (256ll << 20)

enum overlay_kind { OVERLAY_FILE, OVERLAY_FOLDER, OVERLAY_GONE };
struct overlay_entry {
    char path[PATH_SIZE];
    int fd; /* of a file */
    uint8_t kind;
    /* inode of the private file (memfd) that this one was copied from in pf_overlay_begin; 0:
     * none */
    uint64_t before;
};
static struct overlay_entry entries[ENTRIES];
static uint32_t nentries;

/* Ends the run: the overlay cannot give the call the result that the file system would give. */
static _Noreturn void refuse(const char *what) { pf_diverged_private(what); }

/* --- paths --- */

/* A path that is too long ends the run: its file could not be private. */
static void copy_text(char *to, size_t at, const char *from, size_t n)
{
    if (at + n >= PATH_SIZE)
        refuse("the use of a path of 4096 bytes or more");
    pf_copy(to + at, from, n);
    to[at + n] = 0;
}

/* Reads a link of /proc that names a file. */
static bool named_by(const char *link, char *to)
{
    long n = pf_sys(SYS_readlink, link, to, PATH_SIZE - 1);
    if (n == -ENAMETOOLONG || n == PATH_SIZE - 1)
        refuse("the use of a path of 4096 bytes or more");
    to[n < 0 ? 0 : n] = 0;
    return n > 0 && to[0] == '/';
}

/* The path of the file behind a descriptor. */
static bool path_of(int fd, char *to) { return named_by(pf_fd_link(fd).path, to); }

static struct overlay_entry *find(const char *path)
{
    for (uint32_t i = 0; i < nentries; i++)
        if (pf_str_same(entries[i].path, path))
            return &entries[i];
    return NULL;
}

/* The absolute path of (folder, path) as text: neither links nor ".." are resolved. */
static bool absolute_path(int folder, const char *path, char *to)
{
    size_t n = 0, length = pf_str_len(path);
    if (length >= PATH_SIZE)
        return false; /* the kernel returns the error */
    if (path[0] != '/') {
        if (!(folder == AT_FDCWD ? named_by("/proc/self/cwd", to) : path_of(folder, to)))
            return false;
        n = pf_str_len(to);
        copy_text(to, n++, "/", 1);
    }
    copy_text(to, n, path, length);
    return true;
}

/* Opens the path to learn its real name; false: it cannot be opened. */
static bool real_path(int folder, const char *path, char *to)
{
    long fd = pf_sys(SYS_openat, folder, path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = path_of((int)fd, to);
    pf_sys(SYS_close, fd);
    return ok;
}

/* The real name of (folder, path), which need not exist, but its folder must. follow: a link at its
 * end is followed. False: the overlay does not handle this path, and the call goes to the kernel:
 * the path is bad, or it is "/" or ends with "." or "..": an existing folder. */
static bool resolve(int folder, const char *path, bool follow, char *to)
{
    static char parent[PATH_SIZE], last[PATH_SIZE], target[PATH_SIZE];
    if (!path || !*path || !absolute_path(folder, path, parent))
        return false;
    size_t n = pf_str_len(parent);
    while (n > 1 && parent[n - 1] == '/')
        n--;
    size_t base = n;
    while (base && parent[base - 1] != '/')
        base--;
    const char *name = parent + base;
    size_t length = n - base;
    if (!length || (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.'))))
        return false; /* a folder that is not being created */
    copy_text(last, 0, name, length);
    parent[base > 1 ? base - 1 : 1] = 0;
    if (!real_path(AT_FDCWD, parent, to)) {
        const struct overlay_entry *e = find(parent);
        if (!e || e->kind != OVERLAY_FOLDER)
            return false;
        copy_text(to, 0, parent, pf_str_len(parent));
    }
    size_t at = pf_str_len(to);
    if (at > 1)
        copy_text(to, at++, "/", 1);
    copy_text(to, at, last, length);
    if (follow && !find(to) && real_path(AT_FDCWD, to, target))
        copy_text(to, 0, target, pf_str_len(target));
    return true;
}

/* --- entries --- */

long pf_overlay_copy(const char *path)
{
    long copy = pf_sys(SYS_memfd_create, "overlay", 0);
    long from = path ? pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC) : -1;
    long done = 0;
    while (copy >= 0 && from >= 0 && done < COPY_MAX &&
           pf_sys(SYS_sendfile, copy, from, &done, COPY_MAX - done) > 0)
        ;
    if (from >= 0)
        pf_sys(SYS_close, from);
    if (done >= COPY_MAX)
        refuse("a change of a file of 256 MB or more");
    return pf_sys_move_fd(copy);
}

/* Sets what the path is. fd: of a file; the entry owns it. */
static void set(const char *path, enum overlay_kind kind, int fd)
{
    struct overlay_entry *e = find(path);
    if ((!e && nentries == ENTRIES) || (kind == OVERLAY_FILE && fd < 0))
        refuse("a change of too many files");
    if (!e) {
        e = &entries[nentries++];
        copy_text(e->path, 0, path, pf_str_len(path));
    } else if (e->kind == OVERLAY_FILE) {
        pf_sys(SYS_close, e->fd);
    }
    e->kind = kind;
    e->fd = fd;
    e->before = 0;
}

void pf_overlay_begin(void)
{
    struct stat st;
    for (uint32_t i = 0; i < nentries; i++) {
        struct overlay_entry *e = &entries[i];
        if (e->kind != OVERLAY_FILE || pf_sys(SYS_fstat, e->fd, &st))
            continue;
        e->before = st.st_ino;
        int copy = (int)pf_overlay_copy(pf_fd_link(e->fd).path);
        pf_sys(SYS_close, e->fd);
        e->fd = copy;
    }
    pf_direct.isolated = true;
}

long pf_overlay_reopen(int fd, long flags)
{
    struct stat st;
    for (uint32_t i = 0; pf_sys(SYS_fstat, fd, &st) == 0 && i < nentries; i++)
        if (entries[i].kind == OVERLAY_FILE && entries[i].before == st.st_ino)
            return pf_sys(SYS_open, pf_fd_link(entries[i].fd).path,
                          flags & ~(long)(O_CREAT | O_EXCL | O_TRUNC));
    return -1;
}

bool pf_overlay_owns(int fd)
{
    for (uint32_t i = 0; i < nentries; i++)
        if (entries[i].kind == OVERLAY_FILE && entries[i].fd == fd)
            return true;
    return false;
}

void pf_overlay_serve(const char *path, const void *bytes, uint64_t n)
{
    static char name[PATH_SIZE];
    int fd = (int)pf_overlay_copy(NULL);
    if (fd < 0 || !resolve(AT_FDCWD, path, true, name))
        pf_diverged_words("an input that cannot be served", "none", path);
    for (uint64_t done = 0; done < n;) {
        long k = pf_sys(SYS_pwrite64, fd, (const char *)bytes + done, n - done, done);
        if (k <= 0)
            pf_diverged_words("an input that cannot be served", "none", path);
        done += (uint64_t)k;
    }
    set(name, OVERLAY_FILE, fd);
}

void pf_overlay_hide(const char *path)
{
    static char name[PATH_SIZE];
    if (resolve(AT_FDCWD, path, false, name))
        set(name, OVERLAY_GONE, -1);
}

void pf_overlay_add_open(int fd, int copy)
{
    static char path[PATH_SIZE];
    struct stat st;
    /* a file whose last name was removed cannot be opened again */
    if (path_of(fd, path) && pf_sys(SYS_fstat, fd, &st) == 0 && st.st_nlink && !find(path))
        set(path, OVERLAY_FILE, (int)pf_sys(SYS_fcntl, copy, F_DUPFD_CLOEXEC, PF_OWN_FDS));
}

/* What is at the path: its mode, or 0 if there is nothing. */
static uint32_t mode_at(const char *path)
{
    const struct overlay_entry *e = find(path);
    struct stat st;
    if (e)
        return e->kind == OVERLAY_FILE ? S_IFREG : e->kind == OVERLAY_FOLDER ? S_IFDIR : 0;
    return pf_sys(SYS_lstat, path, &st) == 0 ? st.st_mode : 0;
}

/* True if the kernel would let the target change the entries of the folder that contains `path`. */
static bool folder_is_writable(const char *path)
{
    static char folder[PATH_SIZE];
    size_t n = pf_str_len(path);
    while (n > 1 && path[n - 1] != '/')
        n--;
    copy_text(folder, 0, path, n > 1 ? n - 1 : 1);
    const struct overlay_entry *e = find(folder);
    return e ? e->kind == OVERLAY_FOLDER : pf_sys(SYS_access, folder, W_OK) == 0;
}

int pf_overlay_take(const char *path)
{
    static char name[PATH_SIZE];
    if (!resolve(AT_FDCWD, path, true, name) || !S_ISREG(mode_at(name)))
        return -1;
    if (!find(name))
        set(name, OVERLAY_FILE, (int)pf_overlay_copy(name));
    return find(name)->fd;
}

/* --- calls that change something --- */

static bool call_open(int folder, const char *path, long flags, long *r)
{
    static char name[PATH_SIZE];
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_TRUNC | O_CREAT);
    if (flags & O_PATH || (!writes && !nentries) ||
        !resolve(folder, path, !(flags & O_NOFOLLOW), name))
        return false;
    struct overlay_entry *e = find(name);
    uint32_t mode = mode_at(name);
    if (!e && (!writes || (mode && !S_ISREG(mode))))
        return false;
    bool is_file = S_ISREG(mode);
    if (!e && (is_file ? pf_sys(SYS_access, name, W_OK) != 0
                       : !(flags & O_CREAT) || !folder_is_writable(name)))
        return false; /* the kernel returns the error */
    if (S_ISDIR(mode) && !writes)
        refuse("opening a folder that only this run has made");
    if (S_ISDIR(mode))
        *r = -EISDIR;
    else if (!is_file && !(flags & O_CREAT))
        *r = -ENOENT;
    else if (is_file && flags & O_CREAT && flags & O_EXCL)
        *r = -EEXIST;
    else {
        if (!e || e->kind == OVERLAY_GONE)
            set(name, OVERLAY_FILE,
                (int)pf_overlay_copy(is_file && !(flags & O_TRUNC) ? name : NULL));
        int fd = find(name)->fd;
        if (flags & O_TRUNC)
            pf_sys(SYS_ftruncate, fd, 0);
        *r = pf_sys(SYS_open, pf_fd_link(fd).path,
                    flags & ~(long)(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW));
    }
    return true;
}

static bool call_remove(int folder, const char *path, bool is_folder, long *r)
{
    static char name[PATH_SIZE];
    if (!resolve(folder, path, false, name))
        return false;
    uint32_t mode = mode_at(name);
    if (!find(name) && (!mode || !folder_is_writable(name)))
        return false;
    if (!mode)
        *r = -ENOENT;
    else if (is_folder != S_ISDIR(mode))
        *r = is_folder ? -ENOTDIR : -EISDIR;
    else {
        if (is_folder && !find(name))
            refuse("removing a folder");
        set(name, OVERLAY_GONE, -1);
        *r = 0;
    }
    return true;
}

static bool call_rename(int from_folder, const char *from, int to_folder, const char *to,
                        unsigned flags, long *r)
{
    static char old[PATH_SIZE], new[PATH_SIZE];
    if (!resolve(from_folder, from, false, old) || !resolve(to_folder, to, false, new))
        return false;
    uint32_t mode = mode_at(old), there = mode_at(new);
    if (!find(old) && (!mode || !folder_is_writable(old) || !folder_is_writable(new)))
        return false;
    const struct overlay_entry *e = find(old);
    if (!mode)
        *r = -ENOENT;
    else if (there && flags & 1) /* RENAME_NOREPLACE */
        *r = -EEXIST;
    else if (pf_str_same(old, new))
        *r = 0;
    else {
        if (!S_ISREG(mode) || (there && !S_ISREG(there)) || flags & ~1u)
            refuse("renaming something other than a file");
        set(new, OVERLAY_FILE,
            (int)(e ? pf_sys(SYS_fcntl, e->fd, F_DUPFD_CLOEXEC, PF_OWN_FDS)
                    : pf_overlay_copy(old)));
        set(old, OVERLAY_GONE, -1);
        *r = 0;
    }
    return true;
}

static bool call_make_folder(int folder, const char *path, long *r)
{
    static char name[PATH_SIZE];
    if (!resolve(folder, path, false, name))
        return false;
    uint32_t mode = mode_at(name);
    if (!find(name) && (mode || !folder_is_writable(name)))
        return false; /* the kernel returns the error */
    if (!mode)
        set(name, OVERLAY_FOLDER, -1);
    *r = mode ? -EEXIST : 0;
    return true;
}

static bool call_truncate(const char *path, long length, long *r)
{
    if (!call_open(AT_FDCWD, path, O_WRONLY, r))
        return false;
    if (*r >= 0) {
        long fd = *r;
        *r = pf_sys(SYS_ftruncate, fd, length);
        pf_sys(SYS_close, fd);
    }
    return true;
}

/* --- calls that only read --- */

/* The entry of the path; NULL: the call goes to the kernel. */
static struct overlay_entry *entry_at(int folder, const char *path, bool follow)
{
    static char name[PATH_SIZE];
    return nentries && resolve(folder, path, follow, name) ? find(name) : NULL;
}

static bool call_stat(const struct overlay_entry *e, void *to, long *r)
{
    if (e)
        *r = e->kind == OVERLAY_GONE   ? -ENOENT
             : e->kind == OVERLAY_FILE ? pf_sys(SYS_fstat, e->fd, to)
                                       : pf_sys(SYS_stat, "/", to);
    return e != NULL;
}

static bool call_statx(const struct overlay_entry *e, const long a[6], long *r)
{
    if (e)
        *r = e->kind == OVERLAY_GONE ? -ENOENT
             : e->kind == OVERLAY_FILE
                 ? pf_sys(SYS_statx, e->fd, "", a[2] | AT_EMPTY_PATH, a[3], a[4])
                 : pf_sys(SYS_statx, AT_FDCWD, "/", a[2], a[3], a[4]);
    return e != NULL;
}

/* A call that fails with ENOENT if the path is gone, and returns `result` if it exists. */
static bool call_exists(const struct overlay_entry *e, long result, long *r)
{
    if (e)
        *r = e->kind == OVERLAY_GONE ? -ENOENT : result;
    return e != NULL;
}

/* A call that enters a folder. */
static bool call_folder(const struct overlay_entry *e, long *r)
{
    if (e && e->kind == OVERLAY_FOLDER)
        refuse("entering a folder that only this run has made");
    return call_exists(e, -ENOTDIR, r);
}

/* Attributes are not changed, but the call succeeds if the file exists. No path, or an empty one
 * with AT_EMPTY_PATH: the file of the descriptor. */
static bool call_attributes(int folder, const char *path, long flags, long *r)
{
    static char name[PATH_SIZE];
    if (!path || (!*path && flags & AT_EMPTY_PATH))
        *r = 0;
    else if (resolve(folder, path, true, name))
        *r = mode_at(name) ? 0 : -ENOENT;
    else if (real_path(folder, path, name)) /* such as "." */
        *r = 0;
    else
        return false;
    return true;
}

#define PATH(n) ((const char *)a[n])

static bool look(long number, const long a[6], long *r)
{
    switch (number) {
    case SYS_stat:
        return call_stat(entry_at(AT_FDCWD, PATH(0), true), (void *)a[1], r);
    case SYS_lstat:
        return call_stat(entry_at(AT_FDCWD, PATH(0), false), (void *)a[1], r);
    case SYS_newfstatat:
        return call_stat(entry_at((int)a[0], PATH(1), !(a[3] & AT_SYMLINK_NOFOLLOW)), (void *)a[2],
                         r);
    case SYS_statx:
        return call_statx(entry_at((int)a[0], PATH(1), !(a[2] & AT_SYMLINK_NOFOLLOW)), a, r);
    case SYS_access:
        return call_exists(entry_at(AT_FDCWD, PATH(0), true), 0, r);
    case SYS_faccessat:
    case SYS_faccessat2:
        return call_exists(entry_at((int)a[0], PATH(1), true), 0, r);
    case SYS_readlink:
        return call_exists(entry_at(AT_FDCWD, PATH(0), false), -EINVAL, r);
    case SYS_readlinkat:
        return call_exists(entry_at((int)a[0], PATH(1), false), -EINVAL, r);
    case SYS_chdir:
        return call_folder(entry_at(AT_FDCWD, PATH(0), true), r);
    default:
        return false;
    }
}

static bool change_attributes(long number, const long a[6], long *r)
{
    switch (number) {
    case SYS_chmod:
    case SYS_chown:
    case SYS_lchown:
    case SYS_utime:
    case SYS_utimes:
    case SYS_setxattr:
    case SYS_lsetxattr:
    case SYS_removexattr:
    case SYS_lremovexattr:
        return call_attributes(AT_FDCWD, PATH(0), 0, r);
    case SYS_fchmodat:
    case SYS_futimesat:
        return call_attributes((int)a[0], PATH(1), 0, r);
    case 452: /* fchmodat2 */
    case SYS_utimensat:
        return call_attributes((int)a[0], PATH(1), a[3], r);
    case SYS_fchownat:
        return call_attributes((int)a[0], PATH(1), a[4], r);
    case SYS_fchmod:
    case SYS_fchown:
    case SYS_fsetxattr:
    case SYS_fremovexattr:
        return call_attributes((int)a[0], NULL, 0, r);
    default:
        return false;
    }
}

static bool binds_name(const struct sockaddr_un *at, uint64_t length)
{
    return at && length > sizeof at->sun_family && at->sun_family == AF_UNIX && at->sun_path[0];
}

bool pf_overlay_call(long number, const long a[6], long *r)
{
    switch (number) {
    case SYS_open:
        return call_open(AT_FDCWD, PATH(0), a[1], r);
    case SYS_openat:
        return call_open((int)a[0], PATH(1), a[2], r);
    case SYS_openat2:
        return call_open((int)a[0], PATH(1), (long)((const struct open_how *)a[2])->flags, r);
    case SYS_creat:
        return call_open(AT_FDCWD, PATH(0), O_CREAT | O_WRONLY | O_TRUNC, r);
    case SYS_truncate:
        return call_truncate(PATH(0), a[1], r);
    case SYS_unlink:
        return call_remove(AT_FDCWD, PATH(0), false, r);
    case SYS_unlinkat:
        return call_remove((int)a[0], PATH(1), a[2] & AT_REMOVEDIR, r);
    case SYS_rmdir:
        return call_remove(AT_FDCWD, PATH(0), true, r);
    case SYS_rename:
        return call_rename(AT_FDCWD, PATH(0), AT_FDCWD, PATH(1), 0, r);
    case SYS_renameat:
        return call_rename((int)a[0], PATH(1), (int)a[2], PATH(3), 0, r);
    case SYS_renameat2:
        return call_rename((int)a[0], PATH(1), (int)a[2], PATH(3), (unsigned)a[4], r);
    case SYS_mkdir:
        return call_make_folder(AT_FDCWD, PATH(0), r);
    case SYS_mkdirat:
        return call_make_folder((int)a[0], PATH(1), r);
    case SYS_bind:
        if (binds_name((const struct sockaddr_un *)a[1], (uint64_t)a[2]))
            refuse("binding a socket to a name in the file system");
        return false;
    case SYS_link:
    case SYS_linkat:
    case SYS_symlink:
    case SYS_symlinkat:
    case SYS_mknod:
    case SYS_mknodat:
        refuse("making a link or special file");
    default:
        return change_attributes(number, a, r) || look(number, a, r);
    }
}
