/* message.c - see message.h. */
#include "message.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char last_complaint[1024];

int pf_complain(const char *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_complaint, sizeof last_complaint, format, args);
    va_end(args);
    fprintf(stderr, verb ? "pf %s: " : "pf%s: ", verb ? verb : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return PF_EXIT_USAGE;
}

const char *pf_last_complaint(void) { return last_complaint; }

bool pf_color_wanted(int fd)
{
    const char *no = getenv("NO_COLOR");
    return !(no && *no) && isatty(fd);
}
