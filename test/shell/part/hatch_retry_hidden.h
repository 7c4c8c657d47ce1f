#include "photofinish.h"
#include <pthread.h>
int x, hidden = 1;
static volatile int own;
static inline void hide(int v) { __asm__ volatile("nop; movl %1, %0" : "=m"(hidden) : "r"(v)); }
static inline void turn(void) { __asm__ volatile("nop; xorl $1, %0" : "+m"(hidden)); }
static inline int peek(void)
{
    int v;
    __asm__ volatile("nop; movl %1, %0" : "=r"(v) : "m"(hidden));
    return v;
}
