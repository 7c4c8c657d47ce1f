/* shell_word.c - see shell_word.h. */
#define _GNU_SOURCE
#include "shell_word.h"
#include "allocation.h"
#include "textbuf.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The length of the printable character at s: ASCII, or UTF-8 that is not a control character. 0:
 * it is another byte. */
static size_t printable_length(const char *s)
{
    unsigned char c = (unsigned char)*s;
    size_t n = c >= ' ' && c <= '~' ? 1 : c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : 2;
    if (n > 1 && (c < 0xc2 || c >= 0xf5 || (c == 0xc2 && (unsigned char)s[1] < 0xa0)))
        return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

char *pf_shell_word(const char *word)
{
    bool plain = *word, printable = true;
    size_t length = strlen(word);
    for (const char *p = word; *p; p++)
        plain &= (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                 strchr("_-+=./,:@%", *p);
    for (size_t n, at = 0; word[at] && printable; at += n)
        printable = (n = printable_length(word + at));
    if (plain)
        return pf_mem_copy(word);
    char *text = NULL;
    size_t n = 0;
    FILE *out = pf_mem_checked(open_memstream(&text, &n));
    fputs(printable ? "'" : "\"$(printf '", out);
    while (!printable && length && word[length - 1] == '\n')
        length--; /* a command substitution removes newlines at its end, so they follow it */
    for (const char *p = word; p < word + length; p++) {
        if (printable && *p == '\'')
            fputs("'\\''", out);
        else if (printable || (*p >= ' ' && *p <= '~' && !strchr("-'\\%\"$`", *p)))
            fputc(*p, out);
        else
            fprintf(out, "\\%03o", (unsigned char)*p);
    }
    if (printable)
        fputc('\'', out);
    else
        fprintf(out, "')%s\"", word + length);
    fclose(out);
    return text;
}

void pf_text_shell_word(struct pf_text *t, const char *word)
{
    char *quoted = pf_shell_word(word);
    pf_text_add(t, quoted);
    free(quoted);
}
