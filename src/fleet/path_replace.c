/* path_replace.c - see path_replace.h. */
#define _GNU_SOURCE
#include "path_replace.h"
#include "allocation.h"
#include "file.h"
#include "json_field.h"
#include "shell_word.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "\ncommand: "

struct replacement {
    const char *here, *there;
};

/* --- one text --- */

static void put_plain(FILE *to, const char *text, const struct replacement *r)
{
    for (const char *hit; (hit = strstr(text, r->here)); text = hit + strlen(r->here)) {
        fwrite(text, 1, (size_t)(hit - text), to);
        fputs(r->there, to);
    }
    fputs(text, to);
}

/* Writes a path inside single quotes. */
static void put_quoted(FILE *to, const char *path)
{
    for (; *path; path++)
        if (*path == '\'')
            fputs("'\\''", to);
        else
            fputc(*path, to);
}

static char *quoted(const char *path)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = pf_mem_checked(open_memstream(&text, &n));
    put_quoted(to, path);
    fclose(to);
    return text;
}

/* Writes `there` and the rest of the word, which begins at `rest`. Returns the end of the word. */
static const char *put_word(FILE *to, const char *there, const char *rest)
{
    size_t n = strcspn(rest, " \t\n;<>|&()'\"");
    char *path = pf_mem_format("%s%.*s", there, (int)n, rest), *word = pf_shell_word(path);
    fputs(word, to);
    free(word);
    free(path);
    return rest + n;
}

static void put_shell(FILE *to, const char *text, const struct replacement *r)
{
    char *inside = quoted(r->here);
    bool in_quotes = false;
    while (*text) {
        const char *path = in_quotes ? inside : r->here;
        size_t n = strlen(path);
        if (strncmp(text, path, n) != 0) {
            in_quotes ^= *text == '\'';
            if (*text == '\\' && !in_quotes && text[1])
                fputc(*text++, to);
            fputc(*text++, to);
        } else if (in_quotes) {
            put_quoted(to, r->there);
            text += n;
        } else {
            text = put_word(to, r->there, text + n);
        }
    }
    free(inside);
}

/* --- files --- */

pf_status pf_path_replace_shell(const char *file, const char *here, const char *there,
                                struct pf_error *e)
{
    char *text, *out = NULL;
    size_t n, size = 0;
    pf_status s = pf_file_read(file, &text, &n, e);
    if (s != PF_OK)
        return s;
    FILE *to = pf_mem_checked(open_memstream(&out, &size));
    put_shell(to, text, &(struct replacement){here, there});
    fclose(to);
    s = pf_file_write(file, out, size, e);
    free(out);
    free(text);
    return s;
}

static void replace_text(json_t *value, const char *key, const struct replacement *r)
{
    const char *text = json_string_value(value), *command = strstr(text, COMMAND);
    char *out = NULL;
    size_t size = 0;
    FILE *to = pf_mem_checked(open_memstream(&out, &size));
    if (key && !strcmp(key, "command"))
        command = text;
    char *before = command ? pf_mem_format("%.*s", (int)(command - text), text) : NULL;
    put_plain(to, before ? before : text, r);
    if (command)
        put_shell(to, command, r);
    fclose(to);
    if (json_string_setn(value, out, size))
        pf_out_of_memory(size);
    free(before);
    free(out);
}

/* key: that of the value; NULL: it has none. */
static void replace_texts(json_t *value, const char *key, const struct replacement *r)
{
    const char *name;
    json_t *one;
    size_t i;
    if (json_is_string(value))
        replace_text(value, key, r);
    json_object_foreach(value, name, one) replace_texts(one, name, r);
    json_array_foreach(value, i, one) replace_texts(one, NULL, r);
}

pf_status pf_path_replace_json(const char *file, const char *here, const char *there,
                               struct pf_error *e)
{
    json_t *document;
    pf_status s = pf_json_file_read(file, &document, e);
    if (s != PF_OK)
        return s;
    replace_texts(document, NULL, &(struct replacement){here, there});
    char *text = pf_mem_checked(json_dumps(document, JSON_COMPACT));
    s = pf_file_write(file, text, strlen(text), e);
    free(text);
    json_decref(document);
    return s;
}
