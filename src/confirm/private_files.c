/* private_files.c - see private_files.h. A file that was created later is known by its time of
 * birth: the clip is created when the recording begins. Where the file system has no such time,
 * nothing is hidden. */
#define _GNU_SOURCE
#include "private_files.h"
#include "allocation.h"
#include "file.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HIDDEN_FILE "hidden"
#define HIDDEN_MAX 100 /* more files than that are not the output of one run */

static void name_of(char *to, const char *folder)
{
    snprintf(to, PATH_MAX, "%s/" HIDDEN_FILE, folder);
}

char *pf_private_files(const struct pf_clip *recording, const char *folder)
{
    const char *own = recording->meta.served ? recording->meta.served : "";
    char path[PATH_MAX], *hidden = NULL;
    struct pf_error ignored;
    size_t n = 0, length = strlen(own);
    name_of(path, folder);
    if (pf_file_read(path, &hidden, &n, &ignored) != PF_OK)
        return pf_mem_copy(own);
    bool line = length && own[length - 1] != '\n';
    char *text = pf_mem_format("%s%s%.*s", own, line ? "\n" : "", (int)n, hidden);
    free(hidden);
    return text;
}

char *pf_private_files_list(const char *folder)
{
    char path[PATH_MAX];
    name_of(path, folder);
    return pf_mem_copy(path);
}

static bool birth_of(int folder, const char *path, struct statx_timestamp *out, uint16_t *mode)
{
    struct statx st;
    if (statx(folder, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_TYPE, &st) ||
        !(st.stx_mask & STATX_BTIME))
        return false;
    *out = st.stx_btime;
    *mode = st.stx_mode;
    return true;
}

static bool is_later(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Writes a line for each file of the folder that was created after `begin`. Returns how many. */
static size_t list_later(FILE *to, const char *folder, const struct statx_timestamp *begin)
{
    DIR *d = opendir(folder);
    size_t n = 0;
    for (struct dirent *x; d && (x = readdir(d));) {
        struct statx_timestamp birth;
        uint16_t mode;
        if (birth_of(dirfd(d), x->d_name, &birth, &mode) && S_ISREG(mode) &&
            is_later(&birth, begin) && !strpbrk(x->d_name, "=\n") && n++ < HIDDEN_MAX)
            fprintf(to, "absent:%s/%s=\n", folder, x->d_name);
    }
    if (d)
        closedir(d);
    return n;
}

bool pf_private_files_hide(const struct pf_clip *recording, const char *folder)
{
    const struct pf_clip_meta *m = &recording->meta;
    struct statx_timestamp begin;
    uint16_t mode;
    char path[PATH_MAX];
    name_of(path, folder);
    if (access(path, F_OK) == 0 || !birth_of(AT_FDCWD, recording->path, &begin, &mode))
        return false;
    FILE *f = fopen(path, "we");
    if (!f)
        return false;
    size_t n = list_later(f, m->cwd, &begin);
    for (unsigned i = 1; m->argv[0] && m->argv[i] && n <= HIDDEN_MAX; i++) {
        const char *slash = strrchr(m->argv[i], '/');
        if (!slash)
            continue;
        int length = (int)(slash - m->argv[i]);
        char *named = *m->argv[i] == '/' ? pf_mem_format("%.*s", length ? length : 1, m->argv[i])
                                         : pf_mem_format("%s/%.*s", m->cwd, length, m->argv[i]);
        n += strcmp(named, m->cwd) ? list_later(f, named, &begin) : 0;
        free(named);
    }
    bool some = fclose(f) == 0 && n && n <= HIDDEN_MAX;
    if (!some)
        unlink(path);
    return some;
}

bool pf_private_files_refused(const struct pf_clip_end *end)
{
    return end->outcome == PF_OUTCOME_DIVERGED && end->divergence.not_private;
}

void pf_private_files_forget(const char *folder)
{
    char path[PATH_MAX];
    name_of(path, folder);
    unlink(path);
}
