// Loops whose accesses are not known in advance: every check stays at its access.
// count O2: 50 irregular_loops.c:34 gaps
// never O2: read 400 ints irregular_loops.c:34 gaps
// count O2: 11 irregular_loops.c:42 early
// count O2: 40 irregular_loops.c:49 calls
// count O2: 28 irregular_loops.c:58 maybe
// count O2: 20 irregular_loops.c:64 always
// count O2: 10 irregular_loops.c:73 released
// count O2: 25 irregular_loops.c:81 indirect
// count O2: 60 irregular_loops.c:93 places
// count O2: 60 irregular_loops.c:94 places
// levels: O2
// flags: -fno-vectorize -fno-unroll-loops -fno-slp-vectorize
#include <stdio.h>
#include <stdlib.h>

int ints[200]; long longs[20];
struct pair { int a, b; } pairs[100];
volatile int flags[20];
int ready;
int order[25], limit = 1000;

__attribute__((noinline)) static void log_it(int i)
{
    if (i > limit)
        exit(3);
}

/* every second element: the bytes in between are not accessed */
__attribute__((noinline)) static long gaps(int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s = s * 7 + pairs[i].b;
    return s;
}
/* the data decides where the loop ends */
__attribute__((noinline)) static int early(int n)
{
    int i = 0;
    for (; i < n; i++)
        if (longs[i] == 10)
            break;
    return i;
}
__attribute__((noinline)) static void calls(int n)
{
    for (int i = 0; i < n; i++) {
        ints[i] = i;
        log_it(i);
    }
}

__attribute__((noinline)) static void maybe(int n)
{
    for (int i = 0; i < n; i++)
        if (order[i % 25] != i / 2) /* a separate access in another block */
            ints[i] += order[i % 25];
}
__attribute__((noinline)) static int always(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += flags[i];
    return s;
}

/* each iteration is a new epoch */
__attribute__((noinline)) static void released(int n)
{
    for (int i = 0; i < n; i++) {
        __atomic_store_n(&ready, i, __ATOMIC_RELEASE);
        ints[i] = i;
    }
}

__attribute__((noinline)) static long indirect(int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s = s * 3 + ints[
            order[i]];
    return s;
}

/* together without gaps, but at two source positions */
__attribute__((noinline)) static long places(int n)
{
    long s = 0;
    const struct pair *p = pairs;
    for (int i = 0; i < n; i++) {
        s = s * 3 +
            p[i].a;
        s ^= p[i].b;
    }
    return s;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 100; i++)
        pairs[i] = (struct pair){i, i + argc};
    for (int i = 0; i < 25; i++)
        order[i] = i * 7 % 25;
    calls(40);
    released(10);
    longs[10] = 10;
    long sum = gaps(50) + early(20) + always(20) + indirect(25) + places(60);
    maybe(30);
    for (int i = 0; i < 200; i++)
        sum = sum * 31 + ints[i];
    printf("%ld\n", sum);
    return 0;
}
