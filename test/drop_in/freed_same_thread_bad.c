// want: use-after-free
// A thread frees a block and then reads it; there is only one thread.
#include <stdlib.h>

static __attribute__((noinline)) void release(int *p) { free(p); }
static __attribute__((noinline)) int get(const volatile int *p) { return p[3]; }

int main(void)
{
    int *block = calloc(25, sizeof *block);
    release(block);
    return get(block) & 0;
}
