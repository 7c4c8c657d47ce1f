// A library replaces libc's allocator by defining __libc_malloc and so on, as tcmalloc does.
// want: none
// shared: liballocator.so part/other_allocator.c
// libs: -Wl,--no-as-needed -lallocator
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    for (size_t size = 16; size < 100000; size *= 3) {
        char *volatile p = malloc(size), *volatile next = malloc(size);
        memset(p, 1, size);
        memset(next, 2, size);
        p = realloc(p, 2 * size);
        p[2 * size - 1] = p[size - 1];
        if (malloc_usable_size(p) < 2 * size)
            return 1;
        free(p);
        free(next);
        next = calloc(1, size);
        if (!next || next[0] || next[size - 1])
            return 1;
        free(next);
    }
    return 0;
}
