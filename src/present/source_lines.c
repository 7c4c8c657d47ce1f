/* source_lines.c - see source_lines.h. */
#define _GNU_SOURCE
#include "source_lines.h"
#include "allocation.h"
#include "file.h"
#include "text_format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SIZE (16 << 20)

struct pf_source_file {
    const char *name, *module;
    char *text; /* NULL: not found */
    const char **lines; /* start of each line, and the end */
    size_t nlines;
    struct pf_source_file *next;
};

void pf_sources_init(struct pf_sources *s, const char *folder)
{
    *s = (struct pf_sources){.folder = folder};
    pf_pool_init_malloc(&s->pool);
}

void pf_sources_release(struct pf_sources *s)
{
    for (struct pf_source_file *f = s->files; f; f = f->next) {
        free(f->text);
        free(f->lines);
    }
    pf_pool_release(&s->pool);
    *s = (struct pf_sources){0};
}

static char *read_plain(const char *path, size_t *n)
{
    struct stat st;
    struct pf_error ignored;
    char *text;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_SIZE)
        return NULL;
    return pf_file_read(path, &text, n, &ignored) == PF_OK ? text : NULL;
}

static char *read_in(const char *folder, size_t len, const char *name, size_t *n)
{
    char *path = pf_mem_format("%.*s/%s", (int)len, folder, name);
    char *text = read_plain(path, n);
    free(path);
    return text;
}

static char *find_text(const struct pf_sources *s, const char *name, const char *module, size_t *n)
{
    char *text = read_plain(name, n);
    const char *slash = module ? strrchr(module, '/') : NULL;
    if (!text && s->folder)
        text = read_in(s->folder, strlen(s->folder), name, n);
    if (!text && name[0] != '/' && slash)
        text = read_in(module, (size_t)(slash - module), name, n);
    return text;
}

static void split(struct pf_source_file *f, size_t n)
{
    size_t lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += f->text[i] == '\n';
    f->lines = pf_mem_resize(NULL, lines + 1, sizeof *f->lines);
    f->lines[0] = f->text;
    f->nlines = 1;
    for (size_t i = 0; i < n; i++)
        if (f->text[i] == '\n')
            f->lines[f->nlines++] = f->text + i + 1;
    f->lines[f->nlines] = f->text + n + 1;
    if (n && f->text[n - 1] == '\n')
        f->nlines--; /* there is no line after the last newline */
}

static int same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static struct pf_source_file *open_file(struct pf_sources *s, const char *name, const char *module)
{
    struct pf_source_file **at = &s->files, *f;
    for (; *at; at = &(*at)->next)
        if (!strcmp((*at)->name, name) && same((*at)->module, module)) {
            f = *at; /* move to the front: the next query is mostly about the same file */
            *at = f->next;
            f->next = s->files;
            return s->files = f;
        }
    f = pf_pool_get(&s->pool, sizeof *f);
    size_t n = 0;
    f->name = pf_pool_text(&s->pool, name, strlen(name));
    f->module = module ? pf_pool_text(&s->pool, module, strlen(module)) : NULL;
    f->text = find_text(s, name, module, &n);
    if (f->text)
        split(f, n);
    f->next = s->files;
    return s->files = f;
}

const char *pf_sources_line(struct pf_sources *s, const char *file, const char *module,
                            uint32_t line, size_t *n)
{
    struct pf_source_file *f = file ? open_file(s, file, module) : NULL;
    if (!f || line == 0 || line > f->nlines)
        return NULL;
    const char *at = f->lines[line - 1];
    *n = (size_t)(f->lines[line] - at) - 1;
    if (*n && at[*n - 1] == '\r')
        --*n;
    return at;
}
