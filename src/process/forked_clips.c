/* forked_clips.c - see forked_clips.h. A parent's entry precedes those of its children, so the clip
 * of the parent exists when that of a child is made. */
#define _GNU_SOURCE
#include "forked_clips.h"
#include "allocation.h"
#include "vector.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool pf_forked_path_read(const char *text, uint32_t path[PF_FORKED_DEPTH], uint32_t *n)
{
    for (*n = 0; *n < PF_FORKED_DEPTH && isdigit((unsigned char)*text);) {
        char *end;
        path[(*n)++] = (uint32_t)strtoul(text, &end, 10);
        if (!*end)
            return true;
        if (*end != '.')
            return false;
        text = end + 1;
    }
    return false;
}

uint32_t pf_forked_path_length(const char *text)
{
    uint32_t path[PF_FORKED_DEPTH], n = 0;
    return text && pf_forked_path_read(text, path, &n) ? n : 0;
}

/* --- the files of a recording --- */

typedef PF_VEC(char *) names;

static int by_path(const void *a, const void *b)
{
    uint32_t x[PF_FORKED_DEPTH], y[PF_FORKED_DEPTH], nx, ny, i = 0;
    pf_forked_path_read(strrchr(*(char *const *)a, '-') + 1, x, &nx);
    pf_forked_path_read(strrchr(*(char *const *)b, '-') + 1, y, &ny);
    while (i < nx && i < ny && x[i] == y[i])
        i++;
    if (i == nx || i == ny)
        return nx < ny ? -1 : nx > ny;
    return x[i] < y[i] ? -1 : 1;
}

/* The names of the files next to `file` that consist of its base name, `suffix` and the path of a
 * forked child. */
static names list(const char *file, const char *suffix)
{
    names found = {0};
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    char *folder = slash ? pf_mem_format("%.*s/", (int)(slash - file), file) : pf_mem_format("./");
    char *prefix = pf_mem_format("%s%s", base, suffix);
    DIR *d = opendir(folder);
    uint32_t path[PF_FORKED_DEPTH], n;
    for (struct dirent *e; d && (e = readdir(d));)
        if (!strncmp(e->d_name, prefix, strlen(prefix)) &&
            pf_forked_path_read(e->d_name + strlen(prefix), path, &n))
            pf_vec_push(&found, pf_mem_format("%.*s%s", slash ? (int)(slash + 1 - file) : 0, file,
                                              e->d_name));
    if (d)
        closedir(d);
    free(folder);
    free(prefix);
    return found;
}

char **pf_forked_clips_list(const char *file)
{
    names found = list(file, PF_FORKED_SUFFIX);
    if (found.len)
        qsort(found.at, found.len, sizeof *found.at, by_path);
    pf_vec_push(&found, NULL);
    return found.at;
}

void pf_forked_clips_remove(const char *file)
{
    const char *const suffixes[] = {PF_FORKED_SUFFIX, PF_FORKED_PIECES};
    for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++) {
        names found = list(file, suffixes[k]);
        for (size_t i = 0; i < found.len; i++) {
            unlink(found.at[i]);
            free(found.at[i]);
        }
        pf_vec_release(&found);
    }
}

/* --- after the run --- */

void pf_forked_clips_reaped(struct pf_channel *c, pid_t pid, int wait)
{
    uint32_t n = c->nforked < PF_FORKED_MAX ? c->nforked : PF_FORKED_MAX;
    while (n-- > 0) /* the newest first: the kernel reuses process ids */
        if (c->forked[n].pid == (uint32_t)pid) {
            c->forked[n].wait = wait;
            c->forked[n].ended = 1;
            return;
        }
}

static const struct pf_forked *parent_of(const struct pf_channel *c, const struct pf_forked *k)
{
    bool valid = k->parent && k->parent <= (uint32_t)(k - c->forked);
    return valid ? &c->forked[k->parent - 1] : NULL;
}

static char *path_of(const struct pf_channel *c, const struct pf_forked *k)
{
    char *path = pf_mem_format("%u", k->number);
    while ((k = parent_of(c, k))) {
        char *longer = pf_mem_format("%u.%s", k->number, path);
        free(path);
        path = longer;
    }
    return path;
}

static char *clip_of(const struct pf_channel *c, const struct pf_forked *k, const char *file)
{
    if (!k)
        return pf_mem_format("%s", file);
    char *path = path_of(c, k), *clip = pf_mem_format("%s" PF_FORKED_SUFFIX "%s", file, path);
    free(path);
    return clip;
}

static pf_status write_one(struct pf_forked_clip *out, const struct pf_channel *c,
                           const struct pf_forked *k, const char *file,
                           const struct pf_clip_end *program, struct pf_error *e)
{
    struct pf_clip before;
    char *parent = clip_of(c, parent_of(c, k), file);
    char *pieces = pf_mem_format("%s" PF_FORKED_PIECES "%zu", file, (size_t)(k - c->forked));
    *out = (struct pf_forked_clip){
        .path = path_of(c, k),
        .file = clip_of(c, k, file),
        .ended = k->ended,
        .end = {.wait = k->wait, .errors = k->errors, .created = k->threads}};
    out->end.succeeded = WIFEXITED(program->wait) && WEXITSTATUS(program->wait) == 0 &&
                         program->outcome != PF_OUTCOME_DEADLOCK &&
                         program->outcome != PF_OUTCOME_HANG;
    pf_status s = pf_clip_open(&before, parent, e);
    if (s == PF_OK) {
        struct pf_clip_meta meta = before.meta;
        meta.process = out->path;
        s = pf_clip_join(&before, pieces, out->file, &meta, k->ended ? &out->end : NULL, e);
        pf_clip_release(&before);
    }
    unlink(pieces);
    free(pieces);
    free(parent);
    return s;
}

pf_status pf_forked_clips_write(struct pf_forked_clips *out, const struct pf_channel *c,
                                const char *file, const struct pf_clip_end *program,
                                struct pf_error *e)
{
    uint32_t n = c->nforked < PF_FORKED_MAX ? c->nforked : PF_FORKED_MAX;
    PF_VEC(struct pf_forked_clip) made = {0};
    names executed = {0};
    pf_status s = PF_OK;
    for (uint32_t i = 0; s == PF_OK && i < n; i++) {
        struct pf_forked_clip one;
        if (!c->forked[i].attached)
            continue;
        s = write_one(&one, c, &c->forked[i], file, program, e);
        if (c->forked[i].executed) {
            pf_vec_push(&executed, one.file); /* its own children still need the clip */
            free(one.path);
        } else {
            pf_vec_push(&made, one);
        }
    }
    for (size_t i = 0; i < executed.len; i++) {
        unlink(executed.at[i]);
        free(executed.at[i]);
    }
    pf_vec_release(&executed);
    *out = (struct pf_forked_clips){made.at, made.len};
    return s;
}

bool pf_forked_clip_is_settled(const struct pf_clip *c)
{
    const struct pf_clip_end *end = &c->end;
    bool failed = end->errors || end->outcome == PF_OUTCOME_DEADLOCK ||
                  end->outcome == PF_OUTCOME_HANG || (WIFSIGNALED(end->wait) && !end->succeeded);
    return c->ended && !end->created && !failed;
}

void pf_forked_clips_release(struct pf_forked_clips *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->at[i].path);
        free(f->at[i].file);
    }
    free(f->at);
    *f = (struct pf_forked_clips){0};
}
