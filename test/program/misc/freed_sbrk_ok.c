// Memory that free has returned to the system comes back by sbrk, by brk, and as the data of a
// library.
// want: none
// shared: libfreed.so part/freed.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 200, SIZE = 8000 };

static void allocate_and_free(void)
{
    static char *volatile block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = malloc(SIZE);
        block[i][0] = 1;
    }
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]);
    malloc_trim(0);
}

static void use(volatile char *p, size_t n)
{
    for (size_t i = 0; i < n; i += 264)
        p[i]++;
}

int main(void)
{
    char *high = sbrk(0);
    allocate_and_free();
    char *p = sbrk(BLOCKS * SIZE / 2);
    use(p, BLOCKS * SIZE / 2);
    sbrk(-BLOCKS * SIZE / 2);
    allocate_and_free();
    p = sbrk(0);
    if (p > high || brk(p + BLOCKS * SIZE / 2)) /* it was not returned */
        return 1;
    use(p, BLOCKS * SIZE / 2);

    mallopt(M_MMAP_THRESHOLD, 4096);
    allocate_and_free();
    void *library = dlopen("./libfreed.so", RTLD_NOW);
    volatile char *data = dlsym(library, "freed_data");
    use(data, 500000);
    return 0;
}
