// An interpreter with computed gotos.
// want: race shared at STORE SECOND
#include "turns.h"

int shared;
volatile const unsigned char program[] = {0, 0, 1, 2};

void first(void)
{
    static void *const op[] = {&&increment, &&store, &&halt};
    int acc = 0, pc = 0;
    goto *op[program[pc++]];
increment:
    acc++;
    goto *op[program[pc++]];
store:
    shared = acc; /* STORE */
    goto *op[program[pc++]];
halt:;
}
void second(void) { shared = 0; /* SECOND */ }
