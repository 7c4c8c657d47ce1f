/* result_sums.c - see result_sums.h. */
#define _GNU_SOURCE
#include "result_sums.h"
#include "allocation.h"
#include "file.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define NAME "sums"

static pf_status add_file(FILE *out, const char *folder, const char *path, struct pf_error *e)
{
    char *text, *whole = pf_mem_format("%s/%s", folder, path);
    size_t n;
    pf_status s = pf_file_read(whole, &text, &n, e);
    if (s == PF_OK) {
        fprintf(out, "%016" PRIx64 " %zu %s", XXH3_64bits(text, n), n, path);
        fputc(0, out);
        free(text);
    }
    free(whole);
    return s;
}

/* Adds the files of the folder `below` of the result; "": of the result itself. */
static pf_status add_folder(FILE *out, const char *folder, const char *below, struct pf_error *e)
{
    char *whole = pf_mem_format("%s/%s", folder, below);
    DIR *d = opendir(whole);
    pf_status s = d ? PF_OK : pf_fail(e, PF_IO, "%s: %s", whole, strerror(errno));
    for (struct dirent *f; s == PF_OK && (f = readdir(d));) {
        struct stat info;
        char *path = pf_mem_format("%s%s%s", below, *below ? "/" : "", f->d_name);
        char *file = pf_mem_format("%s/%s", folder, path);
        bool own = !strcmp(f->d_name, ".") || !strcmp(f->d_name, "..") || !strcmp(path, NAME);
        if (!own && lstat(file, &info) == 0)
            s = S_ISDIR(info.st_mode)   ? add_folder(out, folder, path, e)
                : S_ISREG(info.st_mode) ? add_file(out, folder, path, e)
                                        : PF_OK;
        free(path);
        free(file);
    }
    if (d)
        closedir(d);
    free(whole);
    return s;
}

pf_status pf_result_sums_write(const char *folder, struct pf_error *e)
{
    char *path = pf_mem_format("%s/" NAME, folder), *text = NULL;
    size_t n = 0;
    FILE *out = pf_mem_checked(open_memstream(&text, &n));
    pf_status s = add_folder(out, folder, "", e);
    fclose(out);
    if (s == PF_OK)
        s = pf_file_write(path, text, n, e);
    free(text);
    free(path);
    return s;
}

static pf_status check_file(const char *folder, const char *record, struct pf_error *e)
{
    uint64_t sum;
    size_t size, n;
    int at = 0;
    char *text = NULL;
    struct pf_error none;
    if (sscanf(record, "%16" SCNx64 " %zu %n", &sum, &size, &at) != 2 || !at)
        return pf_fail(e, PF_BAD, "%s/" NAME ": expected a sum, a size and a path", folder);
    char *path = pf_mem_format("%s/%s", folder, record + at);
    bool same =
        pf_file_read(path, &text, &n, &none) == PF_OK && n == size && XXH3_64bits(text, n) == sum;
    pf_status s = same ? PF_OK : pf_fail(e, PF_BAD, "%s: damaged after its task wrote it", path);
    free(text);
    free(path);
    return s;
}

pf_status pf_result_sums_check(const char *folder, struct pf_error *e)
{
    char *path = pf_mem_format("%s/" NAME, folder), *text = NULL;
    size_t n = 0;
    struct pf_error none;
    pf_status s = pf_file_read(path, &text, &n, &none);
    if (s != PF_OK || !n || text[n - 1])
        s = pf_fail(e, PF_BAD, "%s: missing or damaged", path);
    for (size_t at = 0; s == PF_OK && at < n; at += strlen(text + at) + 1)
        s = check_file(folder, text + at, e);
    free(text);
    free(path);
    return s;
}
