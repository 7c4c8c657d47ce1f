/*
 * vec.c - see vec.h. Capacity grows by half, so that a push costs amortised constant time.
 */
#include "vec.h"
#include <stdio.h>

static void *checked(void *p, size_t bytes)
{
    if (!p && bytes) {
        fprintf(stderr, "pf: out of memory (%zu bytes wanted)\n", bytes);
        abort();
    }
    return p;
}

void *pf_mem_resize(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return checked(NULL, SIZE_MAX);
    size_t bytes = count * size ? count * size : 1;
    return checked(realloc(old, bytes), bytes);
}

void *pf_mem_zero(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1), count * size + 1);
}

void *pf_vec_grow_(void *at, size_t len, size_t *cap, size_t more, size_t size)
{
    size_t want = *cap ? *cap : 8;
    while (want < len + more)
        want += want / 2;
    *cap = want;
    return pf_mem_resize(at, want, size);
}
