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

bool pf_vec_outgrown(size_t *cap, size_t n)
{
    if (n <= *cap)
        return false;
    *cap = n > *cap + *cap / 2 ? n : *cap + *cap / 2;
    return true;
}
