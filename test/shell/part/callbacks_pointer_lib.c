// Waits until another thread has stored a pointer in the box, and then until its target is not 0.
#include <sched.h>

struct box {
    int *flag;
};

void lib_wait(struct box *b)
{
    while (!__atomic_load_n(&b->flag, __ATOMIC_ACQUIRE))
        sched_yield();
    while (!__atomic_load_n(b->flag, __ATOMIC_ACQUIRE))
        sched_yield();
}
