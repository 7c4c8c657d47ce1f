// A mapping at the address of an unmapped one has no history; neither has memory that was returned
// to the kernel.
// tsan: it keeps the history of pages released by madvise and mremap
// want: none
#define _GNU_SOURCE
#include "turns.h"
#include <sys/mman.h>

#define SIZE (1 << 16)
char *area, *given, *grown;
static void *map(void *at, int flags)
{
    return mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}
void before(void)
{
    area = map(NULL, 0);
    given = map(NULL, 0);
    grown = map(NULL, 0);
}
void first(void)
{
    area[100] = 1;
    munmap(area, SIZE);
    given[100] = 1;
    madvise(given, SIZE, MADV_DONTNEED);
    grown[SIZE - 1] = 1;
    mremap(grown, SIZE, SIZE / 2, 0);
}
void second(void)
{
    char *again = map(area, MAP_FIXED);
    again[100] = 2;
    given[100] = 2;
    char *half = map(grown + SIZE / 2, MAP_FIXED);
    half[SIZE / 2 - 1] = 2;
}
