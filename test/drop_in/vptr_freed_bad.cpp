// want: vptr-race
// text: heap-use-after-free (virtual call vs free)
// A virtual call on an object whose memory another thread has freed.
#include "vptr.h"
#include <cstdlib>

int main()
{
    char *block = (char *)std::malloc(256); /* free overwrites its beginning */
    base *b = new (block + 128) derived;
    std::thread t([block] {
        std::free(block);
        order_point(0);
    });
    order_point(1);
    __asm__ volatile("" ::: "memory");
    use(b);
    t.join();
}
