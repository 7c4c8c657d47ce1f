// The memory order is known only at run time.
// want: none
#include "turns.h"

int data, seen, flag;
volatile int release = __ATOMIC_RELEASE, acquire = __ATOMIC_ACQUIRE;

void first(void)
{
    data = 42;
    __atomic_store_n(&flag, 1, release);
}

void second(void)
{
    while (!__atomic_load_n(&flag, acquire))
        ;
    seen = data;
}

int after(void) { return seen != 42; }
