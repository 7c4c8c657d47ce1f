// want: none
// oracle: measures the memory of the process, which the log of all events would change
// direct: measures the memory of the process; a recording keeps the context of every thread
// witness: there is no race
/*
 * unmapped_memory.c - memory that the program unmaps keeps no shadow memory, also if its granules
 * had more access records than a cell has words. Fails if the process grows by more than a quarter
 * of what it has mapped and unmapped.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SIZE = 4 << 20, THREADS = 4, ROUNDS = 8 };

static char *area;

/* Four threads write bytes of every granule: two records in the cell, two in the overflow words. */
static void *run(void *arg)
{
    for (size_t i = 0; i < SIZE; i += 8)
        area[i + (size_t)arg] = 1;
    return NULL;
}

static void use(int round)
{
    pthread_t t[THREADS];
    area = mmap((void *)(0x7a0000000000 + round * 64l * SIZE), SIZE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED)
        abort();
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, run, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    munmap(area, SIZE);
}

static long resident_kb(void)
{
    long size, pages;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
        abort();
    fclose(f);
    return pages * 4;
}

int main(void)
{
    use(0);
    long before = resident_kb();
    for (int round = 1; round <= ROUNDS; round++)
        use(round);
    long grew = resident_kb() - before, limit = ROUNDS * (SIZE >> 10) / 4;
    if (grew > limit)
        fprintf(stderr, "%d MB that were unmapped keep %ld KB\n", ROUNDS * (SIZE >> 20), grew);
    return grew > limit;
}
