/* hunt_input.c - inputs as files, arguments and commands; see hunt.h. */
#define _GNU_SOURCE
#include "clip.h"
#include "file.h"
#include "hunt.h"
#include "shell_word.h"
#include "supervisor.h"
#include "symbolic_inputs.h"
#include "text_format.h"
#include "textbuf.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_PREFIX "file:" /* of the names of sources that are files */
#define ENV_PREFIX "env:"
#define FILE_MAX (1 << 20)  /* larger files are not changed */
#define COMMAND_MS 10000 /* a command that still runs after this time counts as started */

static bool is_file_source(const char *name)
{
    return !strncmp(name, FILE_PREFIX, strlen(FILE_PREFIX));
}

/* The number of the argument that the source is; 0: it is not an argument. */
static unsigned argument_of(const char *name)
{
    unsigned n = 0;
    int end = 0;
    return sscanf(name, "argv[%u]%n", &n, &end) == 1 && !name[end] ? n : 0;
}

/* True if the SPEC (n bytes, without :BYTES) is the word `all`, such as argv, and the name of the
 * source is that word with an index, such as argv[1]. */
static bool names_all(const char *spec, size_t n, const char *all, const char *name)
{
    size_t length = strlen(all);
    n = n > length && spec[length] == ':' ? length : n;
    return n == length && !strncmp(spec, all, n) && !strncmp(name, all, n) && name[n] == '[';
}

bool pf_hunt_may_change(const struct pf_hunt *h, const char *name)
{
    const char *p = h->settings.inputs;
    if (!p)
        return true;
    while (*p) { /* SPEC or SPEC:BYTES; argv is all arguments */
        size_t n = strcspn(p, ","), length = strlen(name);
        if (n >= length && !strncmp(p, name, length) && strchr(",:", p[length]))
            return true;
        if (names_all(p, n, "argv", name) || names_all(p, n, "socket", name))
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

/* --- reading --- */

static pf_status read_standard_input(struct pf_input_bytes *out, struct pf_error *e)
{
    PF_VEC(char) all = {0};
    char part[65536];
    ssize_t n;
    if (isatty(0))
        return PF_OK;
    while ((n = read(0, part, sizeof part)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        pf_vec_reserve(&all, (size_t)n);
        memcpy(all.at + all.len, part, (size_t)n);
        all.len += (size_t)n;
    }
    pf_status s =
        n < 0 && errno != EBADF ? pf_fail(e, PF_IO, "standard input: %s", strerror(errno)) : PF_OK;
    if (s == PF_OK)
        pf_input_bytes_set(out, "stdin", all.at, all.len);
    pf_vec_release(&all);
    /* from now on, runs get their standard input from pf, not from this file */
    int null = open("/dev/null", O_RDONLY);
    if (s == PF_OK && (null < 0 || (null && dup2(null, 0) < 0)))
        s = pf_fail(e, PF_IO, "/dev/null: %s", strerror(errno));
    if (null > 0)
        close(null);
    return s;
}

/* Adds the file as a source, if the argument is the path of one. */
static bool add_file(struct pf_input_bytes *out, const char *path)
{
    struct stat st;
    struct pf_error e;
    char *bytes = NULL;
    size_t n = 0;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX || strpbrk(path, ",\n") ||
        pf_file_read(path, &bytes, &n, &e) != PF_OK)
        return false;
    char *name = pf_mem_format("%s%s", FILE_PREFIX, path);
    pf_input_bytes_set(out, name, bytes, n);
    free(name);
    free(bytes);
    return true;
}

/* Adds the sources that --input names, except arguments and standard input. */
static pf_status add_named(const struct pf_hunt *h, struct pf_input_bytes *out, struct pf_error *e)
{
    pf_status s = PF_OK;
    char *copy = pf_mem_copy(h->settings.inputs);
    for (char *rest = copy, *spec; rest && s == PF_OK && (spec = strsep(&rest, ","));) {
        char *colon = strrchr(spec, ':');
        if (colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")] &&
            strchr(spec, ':') != colon)
            *colon = 0; /* :BYTES */
        const char *value = !strncmp(spec, ENV_PREFIX, strlen(ENV_PREFIX))
                                ? getenv(spec + strlen(ENV_PREFIX))
                                : NULL;
        if (value)
            pf_input_bytes_set(out, spec, value, strlen(value));
        else if (is_file_source(spec) && !add_file(out, spec + strlen(FILE_PREFIX)))
            s = pf_fail(e, PF_BAD, "--input=%s: cannot read it, or it has more than %d bytes",
                        h->settings.inputs, FILE_MAX);
    }
    free(copy);
    return s;
}

pf_status pf_hunt_seed(const struct pf_hunt *h, struct pf_input_bytes *out, struct pf_error *e)
{
    char name[32];
    memset(out, 0, sizeof *out);
    for (uint32_t i = 1; h->settings.argv[i]; i++) {
        if (add_file(out, h->settings.argv[i]))
            continue;
        snprintf(name, sizeof name, "argv[%u]", i);
        pf_input_bytes_set(out, name, h->settings.argv[i], strlen(h->settings.argv[i]));
    }
    pf_status s = add_named(h, out, e);
    return s == PF_OK ? read_standard_input(out, e) : s;
}

char *pf_hunt_specs(const struct pf_hunt *h, const struct pf_input_bytes *in)
{
    char *list = pf_mem_copy(h->settings.inputs);
    for (size_t i = 0; !h->settings.inputs && i < in->sources.len; i++) {
        char *longer =
            pf_mem_format("%s%s%s", list ? list : "", list ? "," : "", in->sources.at[i].name);
        free(list);
        list = longer;
    }
    return list ? list : pf_mem_copy("stdin");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the folder's entries, sorted; the caller frees them. */
static pf_status list_folder(const char *folder, char ***names, size_t *n, struct pf_error *e)
{
    PF_VEC(char *) all = {0};
    DIR *d = opendir(folder);
    if (!d)
        return pf_fail(e, PF_IO, "%s: %s", folder, strerror(errno));
    for (struct dirent *x; (x = readdir(d));)
        if (x->d_name[0] != '.')
            pf_vec_push(&all, pf_mem_copy(x->d_name));
    closedir(d);
    if (all.len)
        qsort(all.at, all.len, sizeof *all.at, by_name);
    *names = all.at;
    *n = all.len;
    return PF_OK;
}

/* The name of the file that holds a source in a folder of an input. */
static char *file_name(const char *source)
{
    char *name = pf_mem_copy(source);
    for (char *p = name; *p; p++)
        if (*p == '/')
            *p = '_';
    return name;
}

static const struct pf_input_source *source_in_file(const struct pf_input_bytes *in,
                                                    const char *file)
{
    for (size_t i = 0; i < in->sources.len; i++) {
        char *name = file_name(in->sources.at[i].name);
        bool same = !strcmp(name, file);
        free(name);
        if (same)
            return &in->sources.at[i];
    }
    return NULL;
}

/* Reads the files of a folder that pf_hunt_write_input wrote. */
static pf_status read_input(const struct pf_input_bytes *seed, const char *folder,
                            struct pf_input_bytes *out, struct pf_error *e)
{
    char **names = NULL;
    size_t n = 0;
    pf_status s = list_folder(folder, &names, &n, e);
    pf_input_bytes_copy(out, seed);
    for (size_t i = 0; i < n; i++) {
        const struct pf_input_source *old = source_in_file(seed, names[i]);
        bool added = pf_input_is_late(names[i]) || argument_of(names[i]);
        const char *name = old ? old->name : added ? names[i] : NULL;
        char *path = pf_mem_format("%s/%s", folder, names[i]), *bytes = NULL;
        size_t length = 0;
        if (s == PF_OK && name && (s = pf_file_read(path, &bytes, &length, e)) == PF_OK)
            pf_input_bytes_set(out, name, bytes, length);
        free(bytes);
        free(path);
        free(names[i]);
    }
    free(names);
    return s;
}

pf_status pf_hunt_read_corpus(const char *folder, const struct pf_input_bytes *seed,
                              pf_hunt_inputs *out, struct pf_error *e)
{
    char **names = NULL;
    size_t n = 0;
    pf_status s = list_folder(folder, &names, &n, e);
    for (size_t i = 0; i < n; i++) {
        char *path = pf_mem_format("%s/%s", folder, names[i]), *bytes = NULL;
        size_t length = 0;
        struct pf_input_bytes in = {0};
        DIR *d = opendir(path);
        if (s == PF_OK && d) {
            s = read_input(seed, path, &in, e);
        } else if (s == PF_OK && (s = pf_file_read(path, &bytes, &length, e)) == PF_OK) {
            /* a plain file, as other fuzzers keep them, is standard input */
            pf_input_bytes_copy(&in, seed);
            pf_input_bytes_set(&in, "stdin", bytes, length);
        }
        if (d)
            closedir(d);
        if (s == PF_OK)
            pf_vec_push(out, in);
        else
            pf_input_bytes_release(&in);
        free(bytes);
        free(path);
        free(names[i]);
    }
    free(names);
    return s;
}

/* --- writing --- */

pf_status pf_hunt_write_file(const char *path, const void *bytes, size_t n, struct pf_error *e)
{
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(bytes, 1, n, f) == n;
    good &= f && !fclose(f);
    return good ? PF_OK : pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
}

/* Writes the changed contents of a file into the state folder; returns the path. */
static pf_status write_copy(const struct pf_hunt *h, const struct pf_input_source *s, char **path,
                            struct pf_error *e)
{
    const char *slash = strrchr(s->name, '/');
    char *folder =
        pf_mem_format("%s/files/%016" PRIx64, h->settings.state, pf_clip_hash(s->bytes, s->n));
    *path = pf_mem_format("%s/%s", folder, slash ? slash + 1 : s->name + strlen(FILE_PREFIX));
    pf_status status = pf_folder_make(folder, e);
    if (status == PF_OK && access(*path, R_OK))
        status = pf_hunt_write_file(*path, s->bytes, s->n, e);
    free(folder);
    return status;
}

static bool is_changed(const struct pf_hunt *h, const struct pf_input_source *s)
{
    const struct pf_input_source *old = pf_input_bytes_find(&h->seed, s->name);
    return !old || old->n != s->n || memcmp(old->bytes, s->bytes, s->n) != 0;
}

/* True if an argument is the path of this source. */
static bool is_named_file(const struct pf_hunt *h, const char *name)
{
    for (size_t k = 1; h->settings.argv[0] && h->settings.argv[k]; k++)
        if (is_file_source(name) && !strcmp(h->settings.argv[k], name + strlen(FILE_PREFIX)))
            return true;
    return false;
}

char **pf_hunt_run_arguments(const struct pf_hunt *h, const struct pf_input_bytes *in)
{
    size_t n = 0, own = 0;
    char name[32];
    while (h->settings.argv[own])
        own++;
    do /* arguments that the hunt has added */
        snprintf(name, sizeof name, "argv[%zu]", own + n);
    while (pf_input_bytes_find(in, name) && ++n);
    n += own;
    char **out = pf_mem_zero(n + 1, sizeof *out);
    for (size_t i = 0; i < own; i++)
        out[i] = pf_mem_copy(h->settings.argv[i]);
    for (size_t i = 0; i < in->sources.len; i++) {
        const struct pf_input_source *s = &in->sources.at[i];
        unsigned k = argument_of(s->name);
        if (!k || k >= n)
            continue;
        free(out[k]);
        out[k] = pf_mem_copy_n((char *)s->bytes, s->n);
    }
    return out;
}

/* Writes the text of pf_hunt_write_patch. False: there are no sources to write. */
static bool patch_text(struct pf_text *t, const struct pf_hunt *h, const struct pf_input_bytes *in,
                       bool all)
{
    bool any = false;
    for (size_t i = 0; i < in->sources.len; i++) {
        const struct pf_input_source *s = &in->sources.at[i];
        bool variable = !strncmp(s->name, ENV_PREFIX, strlen(ENV_PREFIX));
        if (!is_changed(h, s) || !strcmp(s->name, "stdin") || argument_of(s->name) ||
            (!all && (variable || is_named_file(h, s->name))))
            continue;
        pf_patch_line(t, s->name, s->bytes, s->n);
        any = true;
    }
    return any;
}

pf_status pf_hunt_write_patch(const struct pf_hunt *h, const struct pf_input_bytes *in, bool all,
                              const char *path, bool *any, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    *any = patch_text(&t, h, in, all);
    pf_status s = *any ? pf_hunt_write_file(path, t.at, t.n, e) : PF_OK;
    pf_pool_release(&pool);
    return s;
}

pf_status pf_hunt_arguments(const struct pf_hunt *h, const struct pf_input_bytes *in, char ***argv,
                            pf_source_aliases *aliases, struct pf_error *e)
{
    char **out = pf_hunt_run_arguments(h, in);
    pf_status status = PF_OK;
    for (size_t i = 0; status == PF_OK && i < in->sources.len; i++) {
        const struct pf_input_source *s = &in->sources.at[i];
        char *path = NULL;
        if (!is_named_file(h, s->name) || !is_changed(h, s))
            continue;
        status = write_copy(h, s, &path, e);
        for (size_t k = 1; path && h->settings.argv[k]; k++)
            if (!strcmp(h->settings.argv[k], s->name + strlen(FILE_PREFIX))) {
                free(out[k]);
                out[k] = pf_mem_copy(path);
            }
        if (path && aliases)
            pf_vec_push(aliases, (struct pf_source_alias){pf_mem_format("%s%s", FILE_PREFIX, path),
                                                          s->name});
        free(path);
    }
    *argv = out;
    return status;
}

void pf_hunt_arguments_free(char **argv)
{
    for (size_t i = 0; argv && argv[i]; i++)
        free(argv[i]);
    free(argv);
}

/* Adds "env NAME=VALUE..." for the variables that have changed. */
static void add_variables(struct pf_text *t, const struct pf_hunt *h,
                          const struct pf_input_bytes *in)
{
    bool any = false;
    for (size_t i = 0; i < in->sources.len; i++) {
        const struct pf_input_source *s = &in->sources.at[i];
        if (strncmp(s->name, ENV_PREFIX, strlen(ENV_PREFIX)) || !is_changed(h, s))
            continue;
        char *word = pf_mem_format("%s=%s", s->name + strlen(ENV_PREFIX), (char *)s->bytes);
        pf_text_add(t, any ? "" : "env ");
        pf_text_shell_word(t, word);
        pf_text_char(t, ' ');
        free(word);
        any = true;
    }
}

/* The command that runs the program with the input that is in the folder. Sockets, random bytes and
 * files that no argument names need pf. */
static pf_status command_of(const struct pf_hunt *h, const struct pf_input_bytes *in,
                            const char *folder, char **out, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    bool served = false;
    char *patch = pf_mem_format("%s/patch", folder);
    char **argv = NULL;
    pf_status s = pf_hunt_arguments(h, in, &argv, NULL, e);
    if (s == PF_OK)
        s = pf_hunt_write_patch(h, in, false, patch, &served, e);
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    char *here = h->settings.cwd ? pf_mem_copy(h->settings.cwd) : getcwd(NULL, 0),
         *self = realpath("/proc/self/exe", NULL);
    if (here) { /* the command works in every folder */
        pf_text_add(&t, "cd ");
        pf_text_shell_word(&t, here);
        pf_text_add(&t, " && ");
    }
    add_variables(&t, h, in);
    if (served) {
        pf_text_shell_word(&t, self ? self : "pf");
        pf_text_add(&t, " record -o /dev/null --patch ");
        pf_text_shell_word(&t, patch);
        pf_text_add(&t, " -- ");
    }
    for (size_t i = 0; argv[i]; i++) {
        if (i)
            pf_text_char(&t, ' ');
        pf_text_shell_word(&t, argv[i]);
    }
    pf_hunt_arguments_free(argv);
    if (pf_input_bytes_find(in, "stdin")) {
        char *path = pf_mem_format("%s/stdin", folder);
        pf_text_add(&t, " < ");
        pf_text_shell_word(&t, path);
        free(path);
    }
    *out = pf_mem_copy_n(t.at, t.n);
    pf_pool_release(&pool);
    free(here);
    free(self);
    free(patch);
    return s;
}

pf_status pf_hunt_write_input(const struct pf_hunt *h, const struct pf_input_bytes *in,
                              const char *folder, char **command, struct pf_error *e)
{
    pf_status s = pf_folder_make(folder, e);
    for (size_t i = 0; s == PF_OK && i < in->sources.len; i++) {
        char *name = file_name(in->sources.at[i].name);
        char *path = pf_mem_format("%s/%s", folder, name);
        free(name);
        s = pf_hunt_write_file(path, in->sources.at[i].bytes, in->sources.at[i].n, e);
        free(path);
    }
    if (s == PF_OK)
        s = command_of(h, in, folder, command, e);
    if (s != PF_OK)
        return s;
    char *path = pf_mem_format("%s/command", folder), *line = pf_mem_format("%s\n", *command);
    s = pf_hunt_write_file(path, line, strlen(line), e);
    free(path);
    free(line);
    return s;
}

bool pf_hunt_try_command(const char *command)
{
    struct pf_supervisor_result result;
    struct pf_error e;
    struct pf_command c = {.path = "/bin/sh",
                           .argv = (char *[]){"sh", "-c", (char *)command, NULL},
                           .output = PF_OUTPUT_NULL,
                           .limit_ms = COMMAND_MS,
                           .grace_ms = PF_GRACE_TEST_MS};
    if (pf_supervisor_run(&c, NULL, NULL, &result, &e) != PF_OK)
        return false;
    bool missing = WIFEXITED(result.wait) &&
                   (WEXITSTATUS(result.wait) == 126 || WEXITSTATUS(result.wait) == 127);
    return result.how != PF_SUPERVISED_UNSTARTED && (result.how != PF_SUPERVISED_ENDED || !missing);
}
