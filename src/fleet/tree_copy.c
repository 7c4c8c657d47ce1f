/* tree_copy.c - see tree_copy.h. */
#define _GNU_SOURCE
#include "tree_copy.h"
#include "allocation.h"
#include "file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies the bytes of one descriptor to another and flushes them to disk. */
static bool copy_bytes(int in, int out)
{
    char buffer[1 << 16];
    ssize_t n;
    while ((n = read(in, buffer, sizeof buffer)) > 0)
        for (ssize_t done = 0, w; done < n; done += w)
            if ((w = write(out, buffer + done, (size_t)(n - done))) <= 0)
                return false;
    return n == 0 && fsync(out) == 0;
}

pf_status pf_tree_copy_file(const char *from, const char *to, struct pf_error *e)
{
    struct stat info;
    char *part = pf_mem_format("%s.part-%d", to, (int)getpid());
    int in = open(from, O_RDONLY | O_CLOEXEC);
    pf_status s =
        in < 0 || fstat(in, &info) ? pf_fail(e, PF_IO, "%s: %s", from, strerror(errno)) : PF_OK;
    int out =
        s == PF_OK ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, info.st_mode & 0777) : -1;
    if (s == PF_OK && (out < 0 || !copy_bytes(in, out)))
        s = pf_fail(e, PF_IO, "%s: %s", part, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) && s == PF_OK)
        s = pf_fail(e, PF_IO, "%s: %s", part, strerror(errno));
    if (s == PF_OK && rename(part, to))
        s = pf_fail(e, PF_IO, "%s: %s", to, strerror(errno));
    if (s != PF_OK && out >= 0)
        unlink(part);
    free(part);
    return s;
}

pf_status pf_tree_copy(const char *from, const char *to, struct pf_error *e)
{
    DIR *d = opendir(from);
    if (!d)
        return errno == ENOENT ? PF_OK : pf_fail(e, PF_IO, "%s: %s", from, strerror(errno));
    pf_status s = pf_folder_make(to, e);
    for (struct dirent *f; s == PF_OK && (f = readdir(d));) {
        struct stat info;
        if (!strcmp(f->d_name, ".") || !strcmp(f->d_name, ".."))
            continue;
        char *a = pf_mem_format("%s/%s", from, f->d_name);
        char *b = pf_mem_format("%s/%s", to, f->d_name);
        if (lstat(a, &info))
            s = pf_fail(e, PF_IO, "%s: %s", a, strerror(errno));
        else if (S_ISDIR(info.st_mode))
            s = pf_tree_copy(a, b, e);
        else if (S_ISREG(info.st_mode))
            s = pf_tree_copy_file(a, b, e);
        free(a);
        free(b);
    }
    closedir(d);
    return s;
}

pf_status pf_tree_copy_parts(const char *from, const char *to, const char *const *names,
                             struct pf_error *e)
{
    pf_status s = pf_folder_make(to, e);
    for (; s == PF_OK && *names; names++) {
        struct stat info;
        char *a = pf_mem_format("%s/%s", from, *names), *b = pf_mem_format("%s/%s", to, *names);
        if (stat(a, &info) == 0)
            s = S_ISDIR(info.st_mode) ? pf_tree_copy(a, b, e) : pf_tree_copy_file(a, b, e);
        else if (errno != ENOENT)
            s = pf_fail(e, PF_IO, "%s: %s", a, strerror(errno));
        free(a);
        free(b);
    }
    return s;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void pf_tree_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }
