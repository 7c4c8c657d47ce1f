// Range checks of loops over whole granules and vectors. If the bytes of two reads overlap, the
// read that reaches a byte first checks it, as in the loop; the other checks only the bytes before.
// count O2: 2 range_before_wide.c:31 apart < main
// want O2: read 392 in range_before_wide.c:31 apart < main
// want O2: read 24 in range_before_wide.c:31 apart < main
// count O2: 2 range_before_wide.c:31 apart < few
// want O2: read 16 in range_before_wide.c:31 apart < few
// never O2: read 24 in range_before_wide.c:31 apart < few
// count O2: 2 range_before_wide.c:37 crossed
// want O2: read 320 in range_before_wide.c:37 crossed
// want O2: write 320 in range_before_wide.c:37 crossed
// count O3: 2 range_before_wide.c:43 scaled
// want O3: read 768 reals range_before_wide.c:43 scaled
// want O3: write 768 scales range_before_wide.c:43 scaled
// count: 3 range_before_wide.c:51 gaps
// levels: O2 O3
// flags O2: -fno-vectorize -fno-unroll-loops -fno-slp-vectorize
// flags O3: -mavx2
#include <stdio.h>

long in[60];
double reals[96], scales[96];
struct three {
    long a, b, c;
} threes[3];

__attribute__((noinline)) static long apart(int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s = s * 3 + (in[i + 3] ^ in[i]);
    return s;
}
__attribute__((noinline)) static void crossed(int n)
{
    for (int i = 0; i < n; i++)
        in[i] = in[i + 4] + 1; /* as many bytes are written as are read */
}

__attribute__((noinline)) static void scaled(int n)
{
    for (int i = 0; i < n; i++)
        scales[i] = reals[i] * 0.5;
}

/* the bytes in between are not accessed */
__attribute__((noinline)) static void gaps(int n)
{
#pragma clang loop unroll(disable)
    for (int i = 0; i < n; i++)
        threes[i].b = i;
}
__attribute__((noinline)) static long few(void) { return apart(2); }

int main(int argc, char **argv)
{
    for (int i = 0; i < 60; i++)
        in[i] = i * i + argc;
    for (int i = 0; i < 96; i++)
        reals[i] = i + argc;
    long sum = apart(49) + few();
    crossed(40);
    scaled(95 + argc);
    gaps(2 + argc);
    for (int i = 0; i < 60; i++)
        sum = sum * 31 + in[i] + (long)scales[i] + threes[i % 3].b;
    printf("%ld\n", sum);
    return 0;
}
