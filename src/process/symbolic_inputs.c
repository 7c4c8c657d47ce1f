/*
 * symbolic_inputs.c - see symbolic_inputs.h.
 */
#define _GNU_SOURCE
#include "symbolic_inputs.h"
#include "allocation.h"
#include "file.h"
#include "text_format.h"
#include "vector.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_number(const char *s) { return *s && s[strspn(s, "0123456789")] == 0; }

/* Cuts ":BYTES" off the SPEC. The colon of env: and file: is not that of a limit. */
static void cut_limit(char *spec)
{
    bool named = !strncmp(spec, "env:", 4) || !strncmp(spec, "file:", 5);
    char *colon = strrchr(spec, ':');
    if (colon && is_number(colon + 1) && colon > spec && !(named && colon == strchr(spec, ':')))
        *colon = 0;
}

/* socket[N], N from 1. */
static bool is_socket(const char *source)
{
    unsigned n = 0;
    int end = 0;
    return sscanf(source, "socket[%u]%n", &n, &end) == 1 && n && end && !source[end];
}

static pf_status check_spec(const char *text, char **argv, struct pf_error *e)
{
    char *spec = pf_mem_format("%s", text);
    size_t argc = 0;
    struct stat st;
    pf_status s = PF_OK;
    while (argv[argc])
        argc++;
    cut_limit(spec);
    if (!strncmp(spec, "argv[", 5)) {
        char *end;
        unsigned long n = strtoul(spec + 5, &end, 10);
        if (end == spec + 5 || strcmp(end, "]"))
            s = pf_fail(e, PF_BAD, "--input=%s: expected argv[N]", text);
        else if (n >= argc)
            s = pf_fail(e, PF_BAD, "--input=%s: the program has %zu arguments", text, argc - 1);
    } else if (!strncmp(spec, "env:", 4)) {
        if (!getenv(spec + 4))
            s = pf_fail(e, PF_BAD, "--input=%s: there is no variable %s", text, spec + 4);
    } else if (!strncmp(spec, "file:", 5)) {
        if (stat(spec + 5, &st))
            s = pf_fail(e, PF_BAD, "--input=%s: %s: %s", text, spec + 5, strerror(errno));
        else if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
            s = pf_fail(e, PF_BAD, "--input=%s: %s: not a file", text, spec + 5);
    } else if (strcmp(spec, "argv") && strcmp(spec, "stdin") && strcmp(spec, "socket") &&
               strcmp(spec, "random") && !is_socket(spec)) {
        s = pf_fail(e, PF_BAD,
                    "--input=%s: expected argv, argv[N], stdin, env:NAME, file:PATH, socket, "
                    "socket[N] or random, each with an optional :BYTES",
                    text);
    }
    free(spec);
    return s;
}

static char *standard_inputs(char **argv)
{
    char *list = pf_mem_format("argv\nstdin");
    for (char **a = argv; *a && *++a;) {
        struct stat st;
        if (stat(*a, &st) || !S_ISREG(st.st_mode) || strchr(*a, '\n'))
            continue;
        char *longer = pf_mem_format("%s\nfile:%s", list, *a);
        free(list);
        list = longer;
    }
    return list;
}

pf_status pf_symbolic_inputs(const char *text, char **argv, char **out, struct pf_error *e)
{
    pf_status s = PF_OK;
    if (!text) {
        *out = standard_inputs(argv);
        return PF_OK;
    }
    char *list = pf_mem_format("%s", text), *copy = pf_mem_format("%s", text);
    for (char *at = list; *at; at++)
        *at = *at == ',' ? '\n' : *at;
    for (char *rest = copy, *spec; s == PF_OK && (spec = strsep(&rest, ","));)
        s = check_spec(spec, argv, e);
    free(copy);
    if (s == PF_OK)
        *out = list;
    else
        free(list);
    return s;
}

/* --- patches --- */

static int digit(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10
                                        : -1;
}

static pf_status read_line(struct pf_patch *p, const char *path, unsigned number, char *line,
                           struct pf_error *e)
{
    char *eq = strrchr(line, '=');
    line[strcspn(line, "\r\n")] = 0;
    if (!*line || *line == '#')
        return PF_OK;
    size_t digits = eq ? strlen(eq + 1) : 0;
    if (!eq || digits % 2 || strspn(eq ? eq + 1 : "", "0123456789abcdefABCDEF") != digits)
        return pf_fail(e, PF_BAD, "%s:%u: expected SOURCE=HEX, found \"%s\"", path, number, line);
    *eq = 0;
    struct pf_patch_part part = {pf_mem_format("%s", line), pf_mem_resize(NULL, digits / 2 + 1, 1),
                                 digits / 2};
    for (size_t i = 0; i < part.n; i++)
        part.bytes[i] = (unsigned char)(digit(eq[1 + 2 * i]) << 4 | digit(eq[2 + 2 * i]));
    part.bytes[part.n] = 0;
    pf_vec_push(p, part);
    return PF_OK;
}

pf_status pf_patch_read(struct pf_patch *p, const char *path, struct pf_error *e)
{
    char *text;
    size_t n;
    unsigned number = 0;
    *p = (struct pf_patch){0};
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    for (char *rest = text, *line; s == PF_OK && (line = strsep(&rest, "\n"));)
        s = read_line(p, path, ++number, line, e);
    free(text);
    if (s != PF_OK)
        pf_patch_release(p);
    return s;
}

static pf_status patch_stdin(const struct pf_patch_part *part, struct pf_error *e)
{
    int fd = memfd_create("stdin", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < part->n) {
        ssize_t n = write(fd, part->bytes + done, part->n - done);
        if (n < 0)
            break;
        done += (size_t)n;
    }
    bool ok = fd >= 0 && done == part->n && lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, 0) == 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    return ok ? PF_OK
              : pf_fail(e, PF_IO, "cannot make the new standard input: %s", strerror(error));
}

void pf_patch_line(struct pf_text *t, const char *source, const unsigned char *bytes, size_t n)
{
    pf_text_add(t, source);
    pf_text_char(t, '=');
    for (size_t i = 0; i < n; i++) {
        pf_text_char(t, "0123456789abcdef"[bytes[i] >> 4]);
        pf_text_char(t, "0123456789abcdef"[bytes[i] & 15]);
    }
    pf_text_char(t, '\n');
}

static void add_served(struct pf_patch *p, const struct pf_patch_part *part)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    if (p->served)
        pf_text_add(&t, p->served);
    pf_patch_line(&t, part->source, part->bytes, part->n);
    free(p->served);
    p->served = pf_mem_copy_n(t.at, t.n);
    pf_pool_release(&pool);
}

static pf_status apply_part(struct pf_patch *p, const struct pf_patch_part *part, size_t argc,
                            struct pf_error *e)
{
    char *end;
    if (!strcmp(part->source, "stdin"))
        return patch_stdin(part, e);
    if (!strncmp(part->source, "env:", 4)) {
        setenv(part->source + 4, (char *)part->bytes, 1);
        return PF_OK;
    }
    if (!strncmp(part->source, "argv[", 5)) {
        unsigned long n = strtoul(part->source + 5, &end, 10);
        if (end != part->source + 5 && !strcmp(end, "]") && n < argc) {
            p->argv[n] = (char *)part->bytes;
            return PF_OK;
        }
    }
    if (!strncmp(part->source, "file:", 5) || !strncmp(part->source, "absent:", 7) ||
        is_socket(part->source) || !strcmp(part->source, "random")) {
        add_served(p, part);
        return PF_OK;
    }
    return pf_fail(e, PF_BAD,
                   "%s: cannot be patched; expected argv[N] of an argument that the command has, "
                   "stdin, env:NAME, file:PATH, absent:PATH, socket[N] or random",
                   part->source);
}

pf_status pf_patch_apply(struct pf_patch *p, char **argv, struct pf_error *e)
{
    size_t argc = 0;
    while (argv[argc])
        argc++;
    p->argv = pf_mem_resize(NULL, argc + 1, sizeof *p->argv);
    memcpy(p->argv, argv, (argc + 1) * sizeof *p->argv);
    for (size_t i = 0; i < p->len; i++) {
        pf_status s = apply_part(p, &p->at[i], argc, e);
        if (s != PF_OK)
            return s;
    }
    return PF_OK;
}

void pf_patch_release(struct pf_patch *p)
{
    for (size_t i = 0; i < p->len; i++) {
        free(p->at[i].source);
        free(p->at[i].bytes);
    }
    free(p->argv);
    free(p->served);
    p->served = NULL;
    p->argv = NULL;
    pf_vec_release(p);
}
