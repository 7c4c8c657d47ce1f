/*
 * vector.c - see vector.h. Capacity grows by half, so that a push costs amortised constant time.
 */
#include "vector.h"

#define FIRST 4

void *pf_vec_grow_(void *at, size_t len, size_t *cap, size_t more, size_t size)
{
    size_t want = *cap ? *cap : FIRST;
    while (want < len + more)
        want += want / 2 + 1;
    *cap = want;
    return pf_mem_resize(at, want, size);
}
