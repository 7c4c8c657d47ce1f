// A flag that is set and read by moves of inline assembly: x86 orders them.
// want: none
// tsan: it does not model assembly
#include "turns.h"

int flag, data;

void first(void)
{
    data = 1;
    __asm__ volatile("movl %1, %0" : "=m"(flag) : "ir"(1) : "memory");
}
void second(void)
{
    int seen;
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(flag) : "memory");
    if (seen)
        data++;
}
