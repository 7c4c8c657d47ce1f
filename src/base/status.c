/* status.c - see status.h. */
#include "status.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

pf_status pf_fail(struct pf_error *e, pf_status s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    if (n >= (int)sizeof e->text)
        memcpy(e->text + sizeof e->text - 4, "...", 4);
    return s;
}
