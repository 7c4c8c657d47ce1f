// want: race
// text: #0 mmap
// One thread maps memory and another one uses it; nothing orders the two.
#define ORDER memory_order_relaxed
#include "published.h"
#include <sys/mman.h>

static int *alloc(void)
{
    return mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int main(void) { return publish(alloc); }
