/* cache_limit.c - see cache_limit.h. */
#define _GNU_SOURCE
#include "cache_limit.h"
#include "allocation.h"
#include "file.h"
#include "vector.h"
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_MB 1024
#define RECENT 60 /* seconds: another process may be about to load the file */
#define LEFT_BEHIND (24 * 3600) /* seconds: no pf-bodies works that long */

struct cached_file {
    char *path;
    uint64_t size;
    struct timespec used;
};

struct cached_files {
    PF_VEC(struct cached_file) all;
    uint64_t size;
};

static int compare_used(const void *a, const void *b)
{
    const struct timespec *x = &((const struct cached_file *)a)->used;
    const struct timespec *y = &((const struct cached_file *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Collects the shared objects of one folder. */
static void collect(const char *folder, time_t now, struct cached_files *f)
{
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        struct stat s;
        char *path = pf_mem_format("%s/%s", folder, entry->d_name);
        bool known = entry->d_name[0] != '.' && !lstat(path, &s);
        if (known && S_ISDIR(s.st_mode) && !strncmp(entry->d_name, "new.", 4) &&
            now - s.st_mtime > LEFT_BEHIND)
            pf_folder_remove(path);
        if (known && S_ISREG(s.st_mode) && !strncmp(entry->d_name, "libpf_", 6)) {
            pf_vec_push(&f->all, (struct cached_file){path, (uint64_t)s.st_size, s.st_mtim});
            f->size += (uint64_t)s.st_size;
        } else {
            free(path);
        }
    }
    if (d)
        closedir(d);
}

static uint64_t limit(void)
{
    const char *text = getenv("PF_CACHE_MB");
    char *end;
    unsigned long long n = text ? strtoull(text, &end, 10) : 0;
    return (text && *text && !*end ? n : DEFAULT_MB) << 20;
}

void pf_cache_trim(const char *folder)
{
    struct cached_files f = {0};
    time_t now = time(NULL);
    const char *slash = strrchr(folder, '/');
    char *all = pf_mem_copy_n(folder, slash ? (size_t)(slash - folder) : 0);
    DIR *d = opendir(all);
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (entry->d_name[0] != '.') {
            char *path = pf_mem_format("%s/%s", all, entry->d_name);
            collect(path, now, &f);
            free(path);
        }
    if (f.all.len)
        qsort(f.all.at, f.all.len, sizeof *f.all.at, compare_used);
    for (size_t i = 0; i < f.all.len; i++) {
        if (f.size > limit() && now - f.all.at[i].used.tv_sec > RECENT &&
            !unlink(f.all.at[i].path)) {
            f.size -= f.all.at[i].size;
            *strrchr(f.all.at[i].path, '/') = 0;
            rmdir(f.all.at[i].path); /* fails unless it is empty */
        }
        free(f.all.at[i].path);
    }
    if (d)
        closedir(d);
    pf_vec_release(&f.all);
    free(all);
}
