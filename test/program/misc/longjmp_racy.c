// After a longjmp the stack is that of the function that called setjmp.
// want: race shared at JUMPED SECOND
// stack: JUMPED first turn_first
#include "turns.h"
#include <setjmp.h>

int shared;

static __attribute__((noinline)) void deep(jmp_buf *env, int n)
{
    if (n == 0)
        longjmp(*env, 1);
    deep(env, n - 1);
    __asm__ volatile("");
}

void first(void)
{
    jmp_buf env;
    if (setjmp(env) == 0)
        deep(&env, 5);
    shared = 1; /* JUMPED */
    __asm__ volatile("");
}
void second(void) { shared = 2; /* SECOND */ }
