/* fleet_pairs.c - see fleet_pairs.h. */
#define _GNU_SOURCE
#include "fleet_pairs.h"
#include "allocation.h"
#include "file.h"
#include "tree_copy.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NEWEST 64 /* executions of a program that a node gets */
#define SUFFIX ".pairs"

static int is_execution(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n == 31 && !strcmp(d->d_name + n - strlen(SUFFIX), SUFFIX);
}

static int is_program(const struct dirent *d) { return d->d_name[0] != '.'; }

typedef pf_status program_fn(const char *from, const char *to, const char *sent,
                             struct pf_error *e);

/* Calls fn for the folder of each program. */
static pf_status each_program(const char *from, const char *to, const char *sent, program_fn *fn,
                              struct pf_error *e)
{
    struct dirent **found;
    char *base = pf_mem_format("%s/pairs", from);
    int n = scandir(base, &found, is_program, alphasort);
    pf_status s = PF_OK;
    for (int i = 0; i < n; i++) {
        char *a = pf_mem_format("%s/%s", base, found[i]->d_name);
        char *b = pf_mem_format("%s/pairs/%s", to, found[i]->d_name);
        char *c = sent ? pf_mem_format("%s/pairs/%s", sent, found[i]->d_name) : NULL;
        if (s == PF_OK)
            s = fn(a, b, c, e);
        free(a);
        free(b);
        free(c);
        free(found[i]);
    }
    if (n >= 0)
        free(found);
    free(base);
    return s;
}

/* Copies the newest executions, at most `most`, without those that `sent` has (NULL: none). */
static pf_status copy_executions(const char *from, const char *to, const char *sent, int most,
                                 struct pf_error *e)
{
    struct dirent **found;
    int n = scandir(from, &found, is_execution, alphasort); /* names sort by time */
    pf_status s = n > 0 ? pf_folder_make(to, e) : PF_OK;
    for (int i = 0; i < n; i++) {
        char *a = pf_mem_format("%s/%s", from, found[i]->d_name);
        char *b = pf_mem_format("%s/%s", to, found[i]->d_name);
        char *c = sent ? pf_mem_format("%s/%s", sent, found[i]->d_name) : NULL;
        bool known = c && access(c, F_OK) == 0;
        if (s == PF_OK && !known && i >= n - most)
            s = pf_tree_copy_file(a, b, e);
        free(a);
        free(b);
        free(c);
        free(found[i]);
    }
    if (n >= 0)
        free(found);
    return s;
}

static pf_status copy_out(const char *from, const char *to, const char *sent, struct pf_error *e)
{
    (void)sent;
    pf_status s = pf_folder_make(to, e);
    char *a = pf_mem_format("%s/base", from), *b = pf_mem_format("%s/base", to);
    if (s == PF_OK && access(a, R_OK) == 0)
        s = pf_tree_copy_file(a, b, e);
    free(a);
    free(b);
    return s == PF_OK ? copy_executions(from, to, NULL, NEWEST, e) : s;
}

static pf_status copy_back(const char *from, const char *to, const char *sent, struct pf_error *e)
{
    return copy_executions(from, to, sent, INT_MAX, e);
}

pf_status pf_fleet_pairs_copy(const char *from, const char *to, struct pf_error *e)
{
    return each_program(from, to, NULL, copy_out, e);
}

pf_status pf_fleet_pairs_return(const char *sent, const char *from, const char *to,
                                struct pf_error *e)
{
    return each_program(from, to, sent, copy_back, e);
}

pf_status pf_fleet_pairs_lock(const char *state, const char *program, pf_vec_u32 *locks,
                              struct pf_error *e)
{
    char *path = realpath(program, NULL);
    uint64_t hash = 0xcbf29ce484222325ull;
    if (!path)
        return PF_OK; /* the command reports that the program is missing */
    for (const char *c = path; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
    const char *base = strrchr(path, '/');
    char *folder =
        pf_mem_format("%s/pairs/%.100s-%016" PRIx64, state, base ? base + 1 : path, hash);
    char *lock = pf_mem_format("%s/lock", folder);
    pf_status s = pf_folder_make(folder, e);
    int fd = s == PF_OK ? open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (s == PF_OK && (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)))
        s = pf_fail(e, PF_IO, "%s: %s", lock, strerror(errno));
    if (s == PF_OK)
        pf_vec_push(locks, (uint32_t)fd);
    free(lock);
    free(folder);
    free(path);
    return s;
}
