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

#define NAME "sums"

static uint32_t crc32_of(const char *bytes, size_t n)
{
    static uint32_t table[256];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; bit++)
                c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
            table[i] = c;
        }
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++)
        crc = table[(crc ^ (unsigned char)bytes[i]) & 255] ^ crc >> 8;
    return ~crc;
}

static pf_status add_file(FILE *out, const char *folder, const char *path, struct pf_error *e)
{
    char *text, *whole = pf_mem_format("%s/%s", folder, path);
    size_t n;
    pf_status s = pf_file_read(whole, &text, &n, e);
    if (s == PF_OK) {
        fprintf(out, "%08" PRIx32 " %zu %s", crc32_of(text, n), n, path);
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
    uint32_t crc;
    size_t size, n;
    int at = 0;
    char *text = NULL;
    struct pf_error none;
    if (sscanf(record, "%8" SCNx32 " %zu %n", &crc, &size, &at) != 2 || !at)
        return pf_fail(e, PF_BAD, "%s/" NAME ": expected a sum, a size and a path", folder);
    char *path = pf_mem_format("%s/%s", folder, record + at);
    bool same =
        pf_file_read(path, &text, &n, &none) == PF_OK && n == size && crc32_of(text, n) == crc;
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
