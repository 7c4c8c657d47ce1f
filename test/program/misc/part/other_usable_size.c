/* A part of an allocator that is not used, because pf's malloc comes first. */
#include <stdlib.h>

size_t malloc_usable_size(void *p)
{
    if (p)
        abort(); /* not a block of this allocator */
    return 0;
}
