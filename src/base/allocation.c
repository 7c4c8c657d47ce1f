/* allocation.c - see allocation.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "allocation.h"
#include "message.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define LARGE (16u << 20) /* bytes of an array that gets huge pages */

void pf_out_of_memory(size_t bytes)
{
    if (bytes)
        fprintf(stderr, "pf: out of memory (%zu bytes wanted)\n", bytes);
    else
        fputs("pf: out of memory\n", stderr);
    exit(PF_EXIT_USAGE);
}

/* Asks for huge pages: pf copies its process for every run, and with small pages the page tables of
 * a long trace took most of the time of a copy. */
static void use_huge_pages(void *p, size_t bytes)
{
    uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & -HUGE_PAGE;
    uintptr_t to = ((uintptr_t)p + bytes) & -HUGE_PAGE;
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void *pf_mem_resize(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        pf_out_of_memory(SIZE_MAX);
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        pf_out_of_memory(bytes);
    if (bytes >= LARGE)
        use_huge_pages(p, bytes);
    return p;
}

void *pf_mem_zero(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        pf_out_of_memory(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
    return p;
}

char *pf_mem_copy(const char *s) { return s ? pf_mem_copy_n(s, strlen(s)) : NULL; }

char *pf_mem_copy_n(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *to = pf_mem_resize(NULL, len + 1, 1);
    memcpy(to, s, len);
    to[len] = 0;
    return to;
}

char *pf_mem_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        pf_out_of_memory(0);
    return text;
}

void pf_mem_setenv(const char *name, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0 || setenv(name, text, 1))
        pf_out_of_memory(0);
    free(text);
}

void *pf_mem_checked(void *p)
{
    if (!p)
        pf_out_of_memory(0);
    return p;
}
