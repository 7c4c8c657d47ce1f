// Memory from mmap is checked like other memory.
// want: race at A B
// want: race at C D
#define _GNU_SOURCE
#include "turns.h"
#include <sys/mman.h>

char *one, *two;
void before(void)
{
    one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    two = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    two = mremap(two, 4096, 8192, MREMAP_MAYMOVE);
}
void first(void)
{
    one[5] = 1; /* A */
    two[5] = 1; /* C */
}
void second(void)
{
    one[5] = 2; /* B */
    two[5] = 2; /* D */
}
