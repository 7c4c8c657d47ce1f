/*
 * ignore_line.h - parses one line of an ignore list: `fun:GLOB`, `src:GLOB`, a comment, or blank.
 *
 * The plugin uses it to read the list; pf cc uses it to reject a bad list before it starts the
 * compiler.
 */
#ifndef PF_IGNORE_LINE_H
#define PF_IGNORE_LINE_H

#include <string.h>

enum pf_ignore_kind { PF_IGNORE_BLANK, PF_IGNORE_FUN, PF_IGNORE_SRC, PF_IGNORE_BAD };

/* Trims `line` in place. *glob points into it. */
static inline enum pf_ignore_kind pf_ignore_line(char *line, char **glob)
{
    line += strspn(line, " \t");
    size_t n = strlen(line);
    while (n && strchr(" \t\r\n", line[n - 1]))
        line[--n] = 0;
    *glob = line + 4;
    if (!n || *line == '#')
        return PF_IGNORE_BLANK;
    if (n > 4 && !strncmp(line, "fun:", 4))
        return PF_IGNORE_FUN;
    if (n > 4 && !strncmp(line, "src:", 4))
        return PF_IGNORE_SRC;
    return PF_IGNORE_BAD;
}

#endif
