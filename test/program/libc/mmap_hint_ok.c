// An address hint inside the runtime's own memory may be ignored; nothing breaks.
// want: none
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *hinted = mmap((void *)0x300000000000, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (hinted == MAP_FAILED)
        return 1;
    hinted[0] = 1;
    return 0;
}
