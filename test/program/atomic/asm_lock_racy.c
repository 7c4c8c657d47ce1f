// Two locks of inline assembly for one variable.
// want: race shared at INC INC
#include "turns.h"

unsigned char lock[2];
int shared;

static void increment(unsigned char *l)
{
    unsigned char was = 1;
    __asm__ volatile("xchgb %0, %1" : "+q"(was), "+m"(*l) : : "memory");
    shared++; /* INC */
    __asm__ volatile("movb $0, %0" : "=m"(*l) : : "memory");
}

void first(void) { increment(&lock[0]); }
void second(void) { increment(&lock[1]); }
