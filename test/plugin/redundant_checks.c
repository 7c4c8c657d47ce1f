// A check is removed if an earlier or later one of the same epoch makes it redundant. It stays if a
// call or another iteration is in between.
// count O2: 1 redundant_checks.c:21 twice
// count O2: 0 redundant_checks.c:22 twice
// count O2: 0 redundant_checks.c:27 update
// count O2: 1 redundant_checks.c:28 update
// count O2: 1 redundant_checks.c:33 across
// count O2: 1 redundant_checks.c:35 across
// count O2: 0 redundant_checks.c:43 branches
// count O2: 4 redundant_checks.c:49 loop
// levels: O1 O2
// flags: -fno-vectorize -fno-unroll-loops
#include <stdio.h>

volatile int x, y, z, w;
volatile int cells[4];
void stop(void);

__attribute__((noinline)) static int twice(volatile int *p)
{
    int a = *p;
    int b = *p;
    return a + b;
}
__attribute__((noinline)) static void update(volatile int *p)
{
    int a = *p;
    *p = a + 1;
}

__attribute__((noinline)) static int across(volatile int *p)
{
    int a = *p;
    puts("between");
    return a + *p;
}
__attribute__((noinline)) static int branches(volatile int *p, int n)
{
    *p = 1;
    if (n > 3)
        n *= x;
    /* the check of *p is redundant on both paths */
    return n + *p;
}
__attribute__((noinline)) static int loop(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += cells[i];
    return s;
}
int main(int argc, char **argv)
{
    update(&y);
    printf("%d %d %d %d\n", twice(&x), across(&z), branches(&w, argc), loop(4));
    return 0;
}
