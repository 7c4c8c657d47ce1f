/* message.c - see message.h. */
#include "message.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int pf_complain(const char *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, verb ? "pf %s: " : "pf%s: ", verb ? verb : "");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return PF_EXIT_USAGE;
}

bool pf_color_wanted(int fd)
{
    const char *no = getenv("NO_COLOR");
    return !(no && *no) && isatty(fd);
}
