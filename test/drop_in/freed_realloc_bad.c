// want: use-after-free
// text: #0 realloc
// text: freed_realloc_bad.c:20:15 in main
// A block is used at its old address after realloc has moved it.
#include <stdlib.h>

static __attribute__((noinline)) int *grow(int *p, size_t n) { return realloc(p, n * sizeof *p); }

int main(void)
{
    int *old = malloc(6 * sizeof *old);
    old[2] = 1;
    void *next = malloc(64); /* the block cannot grow in place */
    int *now = grow(old, 3000);
    int *volatile stale = old;
    if (now == old)
        return 1;
    now[2]++;
    free(next);
    int got = stale[4]; /* libc stores its own data in the first 16 bytes */
    free(now);
    return got == 17;
}
