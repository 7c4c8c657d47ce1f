/* shell_word.c - see shell_word.h. */
#define _GNU_SOURCE
#include "shell_word.h"
#include "allocation.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

char *pf_shell_word(const char *word)
{
    bool plain = *word, printable = true;
    size_t length = strlen(word);
    for (const char *p = word; *p; p++) {
        plain &= (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                 strchr("_-+=./,:@%", *p);
        printable &= *p >= ' ' && *p <= '~';
    }
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
