/*
 * clip_hash.c - the hash of a program's bytes, by which a clip knows the build that it belongs to.
 * See clip.h.
 */
#define _GNU_SOURCE
#include "clip.h"
#include "file.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

uint64_t pf_clip_hash(const void *bytes, size_t n) { return XXH64(bytes, n, 0); }

/* The hash of the file that this thread hashed last. pf looks for the program of every clip that it
 * opens, and that is nearly always the same one. */
static _Thread_local struct {
    struct stat st;
    uint64_t hash;
} hashed;

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* A file that was changed just now may change again without another time stamp. */
static bool is_old_enough(const struct stat *st)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && st->st_ctim.tv_sec + 2 <= now.tv_sec;
}

pf_status pf_clip_hash_file(const char *path, uint64_t *hash, struct pf_error *e)
{
    char *bytes;
    size_t n;
    struct stat st;
    bool known = stat(path, &st) == 0 && S_ISREG(st.st_mode) && is_old_enough(&st);
    if (known && hashed.st.st_ino && is_unchanged(&st, &hashed.st)) {
        *hash = hashed.hash;
        return PF_OK;
    }
    pf_status s = pf_file_read(path, &bytes, &n, e);
    if (s != PF_OK)
        return s;
    *hash = pf_clip_hash(bytes, n);
    free(bytes);
    if (known) {
        hashed.st = st;
        hashed.hash = *hash;
    }
    return PF_OK;
}
