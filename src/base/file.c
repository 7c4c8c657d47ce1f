/* file.c - see file.h. */
#define _GNU_SOURCE
#include "file.h"
#include "vector.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pf_status pf_file_read(const char *path, char **out, size_t *n, struct pf_error *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    PF_VEC(char) data = {0};
    ssize_t r;
    do {
        pf_vec_reserve(&data, 64 << 10);
        r = read(fd, data.at + data.len, data.cap - data.len - 1);
        if (r > 0)
            data.len += (size_t)r;
    } while (r > 0 || (r < 0 && errno == EINTR));
    int reason = errno;
    close(fd);
    if (r < 0) {
        pf_vec_release(&data);
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(reason));
    }
    data.at[data.len] = 0;
    *out = data.at;
    *n = data.len;
    return PF_OK;
}

static int write_all(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t r = write(fd, data, n);
        if (r < 0 && errno != EINTR)
            return -1;
        if (r > 0) {
            data += r;
            n -= (size_t)r;
        }
    }
    return 0;
}

/* Syncs the folder of `path`: a rename survives a crash only once the folder is on disk. */
static void sync_folder(const char *path)
{
    char *folder = pf_mem_copy(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

/* True for a regular file, or none. Devices and pipes are written directly: renaming over them
 * would destroy them. */
static int is_plain(const char *path)
{
    struct stat s;
    return stat(path, &s) != 0 || S_ISREG(s.st_mode);
}

pf_status pf_file_write(const char *path, const char *data, size_t n, struct pf_error *e)
{
    bool standard = !strcmp(path, "-");
    if (standard || !is_plain(path)) {
        int fd = standard ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
        int bad = fd < 0 || write_all(fd, data, n);
        int reason = errno;
        if (fd >= 0)
            close(fd);
        return bad ? pf_fail(e, PF_IO, "%s: %s", standard ? "standard output" : path,
                             strerror(reason))
                   : PF_OK;
    }
    char *temporary = pf_mem_format("%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    int bad = fd < 0;
    if (!bad) {
        mode_t mask = umask(0);
        umask(mask);
        bad = write_all(fd, data, n) || fchmod(fd, 0666 & ~mask) || fsync(fd);
        bad |= close(fd) != 0;
        bad = bad || rename(temporary, path);
    }
    int reason = errno;
    if (bad && fd >= 0)
        unlink(temporary);
    free(temporary);
    if (bad)
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(reason));
    sync_folder(path);
    return PF_OK;
}

pf_status pf_file_check(const char *path, struct pf_error *e)
{
    char *copy = pf_mem_copy(path), *slash = strrchr(copy, '/');
    if (slash)
        slash[slash == copy] = 0;
    struct stat st;
    bool wanted = strcmp(path, "-") != 0,
         folder = wanted && !stat(path, &st) && S_ISDIR(st.st_mode);
    if (folder)
        errno = EISDIR;
    bool bad = folder || (wanted && access(slash ? copy : ".", W_OK | X_OK) && access(path, W_OK));
    pf_status s =
        bad ? pf_fail(e, PF_IO, "%s: cannot be written: %s", path, strerror(errno)) : PF_OK;
    free(copy);
    return s;
}

bool pf_file_same(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

pf_status pf_folder_make(const char *path, struct pf_error *e)
{
    char *part = pf_mem_copy(path);
    int above = 0; /* why the outermost folder that is missing cannot be made */
    for (char *p = part + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            if (mkdir(part, 0777) && errno != EEXIST && !above)
                above = errno;
            *p = '/';
        }
    struct stat s;
    int bad = mkdir(part, 0777) && (errno != EEXIST || stat(part, &s) || !S_ISDIR(s.st_mode));
    int reason = errno == ENOENT && above ? above : errno;
    free(part);
    return bad ? pf_fail(e, PF_IO, "%s: %s", path, strerror(reason == EEXIST ? ENOTDIR : reason))
               : PF_OK;
}

void pf_folder_remove(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *f; d && (f = readdir(d));)
        if (strcmp(f->d_name, ".") && strcmp(f->d_name, ".."))
            unlinkat(dirfd(d), f->d_name, 0);
    if (d)
        closedir(d);
    rmdir(path);
}
