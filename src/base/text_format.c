/* text_format.c - see text_format.h. */
#include "text_format.h"
#include "allocation.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void pf_text_format(struct pf_text *t, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pf_text_add(t, text);
}

static void *map(size_t size) { return pf_mem_resize(NULL, size, 1); }
static void unmap(void *at, size_t size)
{
    (void)size;
    free(at);
}

void pf_pool_init_malloc(struct pf_pool *p) { pf_pool_init(p, map, unmap); }
