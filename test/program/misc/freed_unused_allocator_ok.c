// A library defines malloc and its family, as jemalloc does: pf's malloc comes first, so that the
// library does not know the blocks.
// want: none
// shared: libusable.so part/other_usable_size.c
// libs: -Wl,--no-as-needed -lusable
#include <malloc.h>
#include <stdlib.h>

int main(void)
{
    char *volatile p = malloc(100);
    p = realloc(p, 100000);
    p[99999] = 1;
    int wrong = malloc_usable_size(p) < 100000;
    free(p);
    return wrong;
}
