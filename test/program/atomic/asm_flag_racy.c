// The flag is set first, and the data is written after it. A segment-relative operand is not an
// address and is not read.
// want: race data at WRITE INC
#include "turns.h"

int flag, data;

static unsigned long own_block(void)
{
    unsigned long self;
    __asm__ volatile("movq %%fs:%1, %0" : "=r"(self) : "m"(*(unsigned long *)0) : "memory");
    return self;
}

void first(void)
{
    if (!own_block())
        return;
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
