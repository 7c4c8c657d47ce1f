// A range check before a counted loop replaces the checks in it; its bytes, line and variable are
// those of the accesses.
// count O2: 1 range_before_loops.c:39 up
// want O2: write 400 ints range_before_loops.c:39 up
// count O2: 1 range_before_loops.c:45 add
// want O2: write 200 shorts range_before_loops.c:45 add
// count O2: 1 range_before_loops.c:52 from
// want O2: read 388 ints range_before_loops.c:52 from
// count O2: 1 range_before_loops.c:59 narrow
// want O2: read 97 - range_before_loops.c:59 narrow
// count O2: 1 range_before_loops.c:66 walk
// want O2: write 92 - range_before_loops.c:66 walk
// count O2: 1 range_before_loops.c:72 unrolled
// want O2: read 198 shorts range_before_loops.c:72 unrolled
// count O2: 2 range_before_loops.c:79 stencil
// want O2: read 196 shorts range_before_loops.c:79 stencil
// want O2: write 196 other range_before_loops.c:79 stencil
// count O2: 1 range_before_loops.c:86 down
// want O2: read 400 - range_before_loops.c:86 down
// count O2: 1 range_before_loops.c:92 vectors
// want O2: write 1024 wide range_before_loops.c:92 vectors
// never O2: range_before_loops.c:98 none
// count O2: 1 range_before_loops.c:103 row
// want O2: write 200 table range_before_loops.c:103 row
// levels: O0 O2
// flags: -fno-vectorize -fno-unroll-loops -fno-slp-vectorize
#include <stdio.h>

int ints[100];
short shorts[100], other[100];
char bytes[100];
typedef long vec __attribute__((vector_size(16)));
vec wide[64];
short table[30][100];

__attribute__((noinline)) static void up(int n)
{
    for (int i = 0; i < n; i++)
        ints[i] = i * i;
}

__attribute__((noinline)) static void add(size_t n)
{
    for (size_t i = 0; i < n; i++)
        shorts[i] += i * 3;
}

__attribute__((noinline)) static long from(int n)
{
    long s = 0;
    for (int i = 3; i < n; i++)
        s = s * 7 + ints[i];
    return s;
}
__attribute__((noinline)) static int narrow(const char *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = s * 5 + p[i];
    return s;
}

__attribute__((noinline)) static void walk(int *p, int *end)
{
    for (; p != end; p++)
        *p ^= 21;
}
__attribute__((noinline)) static long unrolled(size_t n)
{
    long s = 0;
    for (size_t i = 1; i < n; i++)
        s = s * 9 + shorts[i];
    return s;
}
__attribute__((noinline)) static void stencil(int n)
{
    /* the neighbour's value stays in a register: one read per iteration */
    for (int i = 1; i < n - 1; i++)
        other[i] = shorts[i + 1] * 5;
}
__attribute__((noinline)) static long down(unsigned n)
{
    long s = 0;
    const int *p = ints;
    for (unsigned left = n; left; left--)
        s = s * 3 + *p++;
    return s;
}
__attribute__((noinline)) static void vectors(int n)
{
    for (int i = 0; i < n; i++)
        wide[i] = (vec){i, i};
}

__attribute__((noinline)) static void none(int n)
{
    for (int i = 0; i < n; i++)
        bytes[i] = i;
}
__attribute__((noinline)) static void row(int r, int n)
{
    for (int i = 0; i < n; i++)
        table[r][i] = i ^ r;
}
int main(int argc, char **argv)
{
    up(99 + argc);
    add(99 + argc);
    none(argc - 1);
    long sum = from(99 + argc) + narrow(bytes + argc, 97);
    walk(ints + 2, ints + 25);
    sum += unrolled(100);
    stencil(100);
    sum += down(100);
    vectors(64);
    row(7 * argc, 100);
    for (int i = 0; i < 100; i++)
        sum = sum * 31 + ints[i] + other[i] + table[7][i] + wide[i % 64][1];
    printf("%ld\n", sum);
    return 0;
}
