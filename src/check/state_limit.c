/* state_limit.c - see state_limit.h. */
#define _GNU_SOURCE
#include "state_limit.h"
#include "allocation.h"
#include "vector.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef PF_VEC(char *) names;

static void release_names(names *v)
{
    for (size_t i = 0; i < v->len; i++)
        free(v->at[i]);
    pf_vec_release(v);
}

/* --- sizes --- */

static uint64_t size_so_far; /* nftw passes no argument */

static int add_size(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    (void)at;
    if (type == FTW_F || type == FTW_D)
        size_so_far += (uint64_t)st->st_blocks * 512;
    return 0;
}

static uint64_t size_of(const char *folder)
{
    size_so_far = 0;
    nftw(folder, add_size, 16, FTW_PHYS);
    return size_so_far;
}

bool pf_state_limit_parse(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (errno || n > UINT64_MAX >> shift || *(unit ? end + 1 : end))
        return false;
    *bytes = n << shift;
    return true;
}

/* --- recordings in use --- */

/* Adds what the findings of one document refer to: paths relative to the check's folder. */
static void add_used(names *used, const char *document)
{
    json_t *o = json_load_file(document, JSON_ALLOW_NUL, NULL), *f;
    size_t i;
    json_array_foreach(json_object_get(o, "findings"), i, f)
    {
        const char *of[] = {json_string_value(json_object_get(f, "clip")),
                            json_string_value(json_object_get(f, "recording"))};
        for (size_t k = 0; k < 2; k++)
            if (of[k])
                pf_vec_push(used, pf_mem_copy(of[k]));
    }
    json_decref(o);
}

static void find_used(names *used, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/found", folder);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char document[PATH_MAX];
        if (e->d_name[0] == '.')
            continue;
        snprintf(document, sizeof document, "%.2000s/%s", path, e->d_name);
        add_used(used, document);
    }
    if (d)
        closedir(d);
}

static bool is_used(const names *used, const char *name)
{
    for (size_t i = 0; i < used->len; i++)
        if (used->at[i] && !strcmp(used->at[i], name))
            return true;
    return false;
}

/* --- one check --- */

static int is_recording(const struct dirent *d)
{
    const char *end = d->d_name + strspn(d->d_name, "0123456789");
    return end > d->d_name && !strncmp(end, ".clip", 5); /* also N.clip.child-P */
}

/* True if another process works on the check. */
static bool is_locked(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lock", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;
    if (fd >= 0)
        close(fd);
    return locked;
}

/* Removes recordings of steps before `from` until *size is at most `most`. */
static void remove_some(const char *folder, uint64_t from, uint64_t most, uint64_t *size)
{
    names used = {0};
    struct dirent **clips;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/clips", folder);
    int n = scandir(path, &clips, is_recording, versionsort);
    if (n > 0)
        find_used(&used, folder);
    for (int i = 0; i < n; i++) {
        char name[300];
        struct stat st;
        snprintf(name, sizeof name, "clips/%s", clips[i]->d_name);
        snprintf(path, sizeof path, "%.3000s/%s", folder, name);
        if (*size > most && strtoull(clips[i]->d_name, NULL, 10) < from && !is_used(&used, name) &&
            stat(path, &st) == 0 && unlink(path) == 0) {
            uint64_t bytes = (uint64_t)st.st_blocks * 512;
            *size -= bytes < *size ? bytes : *size;
        }
        free(clips[i]);
    }
    if (n >= 0)
        free(clips);
    release_names(&used);
}

void pf_state_limit(const struct pf_check_folder *own, uint64_t from, uint64_t most)
{
    char state[PATH_MAX], folder[PATH_MAX];
    snprintf(state, sizeof state, "%s", own->absolute); /* STATE/check/NAME */
    for (int i = 0; i < 2 && strrchr(state, '/'); i++)
        *strrchr(state, '/') = 0;
    snprintf(folder, sizeof folder, "%.3000s/" PF_CHECK_FOLDER, state);
    uint64_t size = size_of(folder);
    char **all = size > most ? pf_check_folder_list(state) : NULL;
    for (size_t i = 0; all && all[i]; i++) { /* the oldest first */
        snprintf(folder, sizeof folder, "%.3000s/" PF_CHECK_FOLDER "/%s", state, all[i]);
        bool is_own = !strcmp(folder, own->absolute);
        if (is_own || !is_locked(folder))
            remove_some(folder, is_own ? from : UINT64_MAX, most, &size);
        free(all[i]);
    }
    free(all);
}
