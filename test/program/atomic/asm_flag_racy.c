// The flag is set first and the data written after it.
// want: race data at WRITE INC
#include "turns.h"

int flag, data;

void first(void)
{
    __asm__ volatile("movl %1, %0" : "=m"(flag) : "ir"(1) : "memory");
    data = 1; /* WRITE */
}
void second(void)
{
    int seen;
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(flag) : "memory");
    if (seen)
        data++; /* INC */
}
