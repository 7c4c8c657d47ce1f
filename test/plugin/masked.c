// A masked vector access checks only the lanes whose mask bit is set.
// levels: O3
// flags: -mavx2 -fno-unroll-loops
// count: 8 write 4
// never: read 4 - masked.c:9 pick
#include <stdio.h>
__attribute__((noinline)) void pick(int *restrict to, const int *restrict on, const int *restrict from)
{
    for (int i = 0; i < 16; i++)
        if (on[i])
            to[i] = i;
}

int main(int argc, char **argv)
{
    static int to[16], on[16], from[16];
    int local_on[16];
    (void)local_on;
    for (int i = 0; i < 16; i++)
        __asm__ volatile("movl %1, %0" : "=m"(on[i]) : "r"(i & 1));
    pick(to, on, from);
    int s = 0;
    for (int i = 0; i < 16; i++) {
        int x;
        __asm__ volatile("movl %1, %0" : "=r"(x) : "m"(to[i]));
        s += x;
    }
    printf("%d\n", s);
    return 0;
}
