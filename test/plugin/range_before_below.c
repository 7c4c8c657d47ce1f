// Loops that run while a counter is below a limit: as unrolling leaves them, with a step that does
// not divide the distance, with a limit below the start, and with pointers.
// count O2: 1 range_before_below.c:29 unrolled
// want O2: read 400 ints range_before_below.c:29 unrolled
// count O2: 2 range_before_below.c:37 odd
// want O2: read 4 ints range_before_below.c:37 odd
// want O2: read 392 ints range_before_below.c:37 odd
// count O2: 1 range_before_below.c:46 steps
// want O2: read 400 ints range_before_below.c:46 steps
// count O2: 1 range_before_below.c:57 once
// want O2: read 8 ints range_before_below.c:57 once
// count O2: 1 range_before_below.c:67 pointers
// want O2: write 92 - range_before_below.c:67 pointers
// levels: O0 O2
// flags: -fno-vectorize -fno-slp-vectorize
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline)) static

int ints[100];

NOINLINE long unrolled(size_t from, size_t to)
{
    long s = 0;

#pragma clang loop unroll_count(2)
    for (size_t i = from; i < to; i++)
        s = s * 9 + ints[i];
    return s;
}
NOINLINE long odd(size_t from, size_t to)
{
    long s = 0;
#pragma clang loop unroll_count(2)
    for (size_t i = from; i < to; i++)
        s = s * 7 + ints[i];
    return s;
}
NOINLINE long steps(const int *p, int n)
{
    long s = 0, v;

#pragma clang loop unroll(disable)
    for (int i = 0; i < n; i += 2) {
        memcpy(&v, p + i, sizeof v);
        s = s * 5 + v;
    }
    return s;
}
NOINLINE long once(const int *p, int i, int n)
{
    long s = 0, v;
#pragma clang loop unroll(disable)
    do {

        memcpy(&v, p + i, sizeof v);
        s = s * 3 + v;
        i += 2;
    } while (i < n);
    return s;
}
NOINLINE void pointers(int *p, const int *end)
{
#pragma clang loop unroll(disable)
    for (; p < end; p++)
        *p ^= 21;
}
int main(int argc, char **argv)
{
    pointers(ints + 2, ints + 25);
    long sum = unrolled(argc - 1, 100) + odd(argc, 100) + steps(ints, 98 + argc) +
               once(ints, 10 * argc, 3);
    printf("%ld\n", sum);
    return 0;
}
