// A read needs no check if a write of the same bytes follows on every path. It needs one if a path
// avoids the write, or if a call or a loop that may not terminate is in between.
// count O2: 0 read_before_write.c:18 both
// count O2: 1 read_before_write.c:20 both
// count O2: 1 read_before_write.c:30 one
// count O2: 1 read_before_write.c:37 call
// count O2: 1 read_before_write.c:47 loop
// count O2: 3 read_before_write.c:59 next
// levels: O1 O2
// flags: -fno-vectorize -fno-unroll-loops
#include <stdio.h>

volatile int v, w, x, y, z, never;
volatile int cells[4];

__attribute__((noinline)) static int both(volatile int *p, int n)
{
    int a = *p;
    if (a < n) {
        *p = a + 1;
        never = 0;
    } else {
        y += n;
        *p = a - n;
    }
    return a;
}
__attribute__((noinline)) static int one(volatile int *p, int n)
{
    int a = *p;
    if (n > 3)
        *p = a + 1;
    return a;
}
__attribute__((noinline)) static int call(volatile int *p, int n)
{
    int a = *p;
    if (n > 3)
        *p = a + 1;
    else
        puts("between"), *p = a - 1;
    return a;
}

__attribute__((noinline)) static int loop(volatile int *p)
{
    int a = *p;
    while (never)
        ;
    *p = a + 1;
    return a;
}
/* The write is not to the address that was read: the pointer changes in each iteration. */
__attribute__((noinline)) static int next(int n)
{
    int s = 0;
    volatile int *p = cells;
    for (int i = 0; i < n; i++) {
        s += *p;
        p = i % 2 ? &z : &cells[i];
        *p = s;
    }
    return s;
}
int main(int argc, char **argv)
{
    printf("%d %d %d %d %d\n", both(&v, argc), one(&w, argc), call(&x, argc), loop(&y), next(3));
    return 0;
}
